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
    receiver_fault,  // 5xx, and statuses outside 200 to 599.
    timeout,
    unreachable,  // Also if TLS failed.
    forbidden,    // The address is not public, or the URL not https.
    broken,       // The answer was not HTTP.
    asked_again,  // 2xx, and the answer to the batch asks for this event again.
};
constexpr std::size_t attempt_results_count =
    static_cast<std::size_t>(AttemptResult::asked_again) + 1;
[[nodiscard]] std::string_view to_string(AttemptResult result) noexcept;

[[nodiscard]] AttemptResult result_of(const Result<outbound::Response>& answer);

/// How the answer counts for the endpoint's health.
[[nodiscard]] Health::Answer answer_of(const Result<outbound::Response>& answer);

/// The text about a failed attempt for operators. Names no address.
[[nodiscard]] std::string error_text(const Result<outbound::Response>& answer);

/// The text of an event that a 2xx answer asked for again (batch_answer.hpp).
inline constexpr const char* asked_again_text = "the receiver asked for it again";

}  // namespace merpati::callback
