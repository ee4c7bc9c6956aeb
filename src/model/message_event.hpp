// What a message went through beside its acceptance and its end.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"

namespace merpati::model {

/// What a message that has not ended waits for.
enum class WaitReason : std::uint8_t {
    due,       // Its delay.
    retry,     // The back-off after an attempt that failed for a passing reason.
    queue,     // Those before it.
    pace,      // The gap between two sends of its device.
    cap,       // The next day, because its device has sent as many as it may in one.
    device,    // Its device, which is not connected.
    paused,    // Its device, which was paused by hand.
    file,      // The file of a media message.
    disk,      // Room on the disk, or a repair of the store.
    platform,  // The platform, which has it.
};
[[nodiscard]] std::string_view to_string(WaitReason reason) noexcept;

/// Numbers are stored: append only.
enum class MessageStep : std::uint8_t {
    waited,      // From `at` until `until`, for `reason()`.
    attempted,   // It failed for a passing reason; the next attempt is due at `until`.
    hastened,    // Was made due at once, by hand.
    held,        // A crash cut off its send.
    released,    // Was put back into its lane, by hand.
    delivered,   // The recipient's device has it.
    read,        // The recipient has read it.
    retry_of,    // Sends again what message `details` could not.
    retried_as,  // Message `details` sends it again.
};
[[nodiscard]] std::string_view to_string(MessageStep step) noexcept;

/// One step. Only steps that other rows do not tell are stored, so a message that is accepted and
/// sent at once has none.
struct MessageEvent {
    MessageStep step = MessageStep::waited;
    Timestamp at;                    // By the wall clock.
    std::optional<Timestamp> until;  // The same.
    std::uint16_t code = 0;          // A StatusCode; of `waited` a WaitReason.
    std::string details;             // The platform's words, or a message's id.
    std::uint32_t number = 0;        // Its position; numbers that are missing were dropped.

    [[nodiscard]] WaitReason reason() const noexcept { return static_cast<WaitReason>(code); }

    [[nodiscard]] static MessageEvent wait(WaitReason reason, Timestamp from, Timestamp until) {
        return {.step = MessageStep::waited,
                .at = from,
                .until = until,
                .code = static_cast<std::uint16_t>(reason)};
    }

    /// Of one message the first `first_kept` and the last `last_kept` are kept.
    static constexpr std::uint32_t first_kept = 31;
    static constexpr std::uint32_t last_kept = 32;
};

}  // namespace merpati::model
