// What became of an attempt to send.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "model/message.hpp"

namespace merpati::model {

/// The codes of status callbacks (interface 7.3), and 500 for every failure without one
/// (decisions.md, Revision A).
enum class StatusCode : std::uint16_t {
    sent = 200,
    failed = 500,
    recipient_unregistered = 1001,
    recipient_invalid = 1002,
    media_refused = 1003,
};

/// What a connector says of one attempt. `details` is never empty: it goes to the caller in the
/// callback, and must not contain message text.
struct Outcome {
    enum class Kind : std::uint8_t {
        sent,         // The platform has it for good.
        accepted,     // The platform took it under `platform_id`, and says later what became of it.
        failed,       // Refused for good; `code` says why.
        retry,        // A passing reason: try again, not before `retry_after`.
        device_down,  // The device cannot send now; the whole lane pauses. Costs no attempt.
        unknown,      // Nobody can tell whether the platform has it (connection lost in mid-send).
    };
    Kind kind = Kind::failed;
    StatusCode code = StatusCode::failed;
    std::string details;
    std::string platform_id;            // The platform's message id, where it gave one.
    std::optional<Millis> retry_after;  // The platform's own wish; only for retry.
    /// Only for accepted: without a status by then nobody can tell what became of the message.
    Millis decide_within{60'000};
};

/// How far a message has come on its platform. A message that came so far is past all before it:
/// statuses may come late, twice and in any order.
enum class Progress : std::uint8_t { sent = 1, failed, delivered, read };
[[nodiscard]] std::string_view to_string(Progress progress) noexcept;

/// What a platform said of a message after it took it.
struct PlatformStatus {
    Progress progress = Progress::sent;
    StatusCode code = StatusCode::failed;  // Why, where it failed.
    std::string details;                   // The platform's own words; may be empty.
    Timestamp at;                          // When that was, by the platform.
};

/// Longer ids are no platform's.
constexpr std::size_t platform_id_bytes_max = 256;

/// The end of a message: what is stored, reported in the callback and shown.
struct Completion {
    MessageState state = MessageState::failed;  // sent, failed, cancelled or held
    StatusCode code = StatusCode::failed;
    std::string details;
    std::string platform_id;
    Timestamp finished_at;  // By the wall clock.
    std::uint32_t attempts = 0;
    std::optional<Millis> took{};  // From the beginning of its last attempt; empty: unknown.
};

}  // namespace merpati::model
