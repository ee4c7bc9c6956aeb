// What everybody may look up: errors, media types, the version, the description as JSON.
#pragma once

#include <string_view>

#include "http/reply.hpp"

namespace merpati::api {

/// {"version":"1.2.3"}
[[nodiscard]] http::Reply version_page(std::string_view version);

/// The error catalogue of the sending interface: a row for each refusal, in both revisions.
[[nodiscard]] http::Reply error_page();

/// The types that media may have, with the revisions that take them.
[[nodiscard]] http::Reply media_type_page();

/// docs/openapi.yaml as JSON, as this program was built with it.
[[nodiscard]] std::string_view openapi_json() noexcept;

}  // namespace merpati::api
