// Public reference pages: errors, media types, the version, the description as JSON.
#pragma once

#include <string_view>

#include "http/reply.hpp"

namespace merpati::api {

/// {"version":"1.2.3"}
[[nodiscard]] http::Reply version_page(std::string_view version);

/// The error catalogue of the sending interface: a row for each refusal, in both revisions.
[[nodiscard]] http::Reply error_page();

/// The media types that are accepted, with the revisions that accept them.
[[nodiscard]] http::Reply media_type_page();

/// docs/openapi.yaml as JSON, compiled into the program.
[[nodiscard]] std::string_view openapi_json() noexcept;

}  // namespace merpati::api
