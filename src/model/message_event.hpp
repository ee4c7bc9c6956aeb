// The steps of a message between its acceptance and its end.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"

namespace merpati::model {

/// What a message that has not ended waits for. Stored as a number: append only.
enum class WaitReason : std::uint8_t {
    due,         // Its delay.
    retry,       // The back-off after an attempt that failed for a passing reason.
    queue,       // The messages before it.
    pace,        // The gap between two sends of its device.
    cap,         // The next day, because its device has reached its cap.
    device,      // Its device, which is not connected.
    paused,      // Its device, which is paused.
    file,        // The file of a media message.
    disk,        // Room on the disk, or a repair of the store.
    platform,    // The platform: it is being sent, or its result is awaited.
    restricted,  // The end of its device's restriction: it would begin a new chat.
};
constexpr WaitReason wait_reason_last = WaitReason::restricted;
[[nodiscard]] std::string_view to_string(WaitReason reason) noexcept;

/// Stored as a number: append only.
enum class MessageStep : std::uint8_t {
    waited,      // From `at` until `until`, for `reason()`.
    attempted,   // It failed for a passing reason; the next attempt is due at `until`.
    hastened,    // A person made it due at once.
    held,        // A crash interrupted its send, or its sends crashed the connector's program.
    released,    // A person put it back into its lane.
    delivered,   // The recipient's device has it.
    read,        // The recipient has read it.
    retry_of,    // It repeats message `details`, which was not sent.
    retried_as,  // Message `details` repeats it.
};
[[nodiscard]] std::string_view to_string(MessageStep step) noexcept;

/// One step. Only steps that no other row shows are stored, so a message that is sent at once has
/// none.
struct MessageEvent {
    MessageStep step = MessageStep::waited;
    Timestamp at;                    // By the wall clock.
    std::optional<Timestamp> until;  // The same.
    std::uint16_t code = 0;          // A StatusCode; for `waited` a WaitReason.
    std::string details;             // The platform's text, or a message's id.
    std::uint32_t number = 0;        // Its position; missing numbers were removed.

    [[nodiscard]] WaitReason reason() const noexcept { return static_cast<WaitReason>(code); }

    [[nodiscard]] static MessageEvent wait(WaitReason reason, Timestamp from, Timestamp until) {
        return {.step = MessageStep::waited,
                .at = from,
                .until = until,
                .code = static_cast<std::uint16_t>(reason)};
    }

    /// A message keeps its first `first_kept` and its last `last_kept` events.
    static constexpr std::uint32_t first_kept = 31;
    static constexpr std::uint32_t last_kept = 32;
};

}  // namespace merpati::model
