// The error catalogue of the published interface, as one table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "admission/refusal.hpp"
#include "http/reply.hpp"
#include "model/account.hpp"

namespace merpati::api {

using admission::Checked;
using admission::Refusal;
using admission::refuse;

/// What a refusal looks like in one revision.
struct Wording {
    std::string_view status;  // The status word, with its exact capitals.
    std::uint16_t code = 500;
};

/// A row of the catalogue (interface 7.1 and 7.2; decisions.md for what they leave out).
struct ErrorRow {
    Refusal id = Refusal::internal;
    std::string_view name;  // For metrics and /v1/errors: "key_invalid".
    std::string_view text;
    Wording a;
    Wording b;
    std::uint16_t retry_after = 0;  // Seconds, for `Retry-After`; 0: none.
};

constexpr std::size_t refusals_count = static_cast<std::size_t>(Refusal::internal) + 1;

[[nodiscard]] const ErrorRow& error_row(Refusal refusal) noexcept;

/// `{"success":false,"message":…,"status":…,"code":…,"data":{"status":…,"code":…}}`, with the HTTP
/// status equal to the code (decisions.md, Shape of a failure). With `WWW-Authenticate` for 401,
/// and `Retry-After` where the catalogue gives a time.
[[nodiscard]] http::Reply failure(Refusal refusal, model::Revision revision = model::Revision::a);

/// The same body, for refusals by the HTTP server itself (404, 405, 408, 413, 431 and so on).
[[nodiscard]] std::string refusal_body(std::uint16_t status);

}  // namespace merpati::api
