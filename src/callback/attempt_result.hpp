// The result of an attempt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "callback/health.hpp"
#include "outbound/client.hpp"

namespace merpati::callback {

/// How one attempt ended.
enum class AttemptResult : std::uint8_t {
    delivered,       // 2xx
    redirected,      // 3xx
    refused,         // 4xx
    receiver_fault,  // 5xx, and what is no status at all
    timeout,
    unreachable,  // TLS failed, too.
    forbidden,    // The address is not public, or the URL not https.
    broken,       // What came was no HTTP.
};
constexpr std::size_t attempt_results_count = static_cast<std::size_t>(AttemptResult::broken) + 1;
[[nodiscard]] std::string_view to_string(AttemptResult result) noexcept;

[[nodiscard]] AttemptResult result_of(const Result<outbound::Response>& answer);

/// What it says of the endpoint's health.
[[nodiscard]] Health::Answer answer_of(const Result<outbound::Response>& answer);

/// What an operator reads of a failed attempt. Names no address.
[[nodiscard]] std::string error_text(const Result<outbound::Response>& answer);

}  // namespace merpati::callback
