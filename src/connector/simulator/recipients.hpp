// What the simulated platform does with a message, by the end of its recipient.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "model/message.hpp"
#include "model/outcome.hpp"

namespace merpati::connector::simulator {

/// Whether the recipient writes back, and what.
enum class Reply : std::uint8_t {
    none,
    text,
    picture,
    lost_picture,  // The platform has it no more when somebody asks for it.
};

/// One message on the platform.
struct Play {
    model::Outcome outcome;
    bool taken = false;  // The platform has the message, whatever the outcome says.
    std::vector<model::PlatformStatus> before;  // Reported before the outcome,
    std::vector<model::PlatformStatus> after;   // and after it, one by one.
    bool reported_at_reconnect = false;         // `sent` comes when the device connects again.
    Reply reply = Reply::none;
    bool worker_dies = false;  // In mid-send, with all devices.
};

/// The recipients that anyone may rely on (operate.md, The simulator's recipients; the later ones:
/// docs/simulator.md). One that ends in
///   991001  is not registered
///   991002  is invalid for the platform
///   991003  has its media type refused, whatever is sent, so that 1003 can be tried with a text
///   995000  fails twice for a passing reason, then succeeds
///   995001  never succeeds, for a passing reason
///   995002  fails at once, for good
///   995003  is taken, but nobody learns of it at the first attempt
///   995004  is not taken: the connector's worker dies at the first attempt
///   996000  is accepted, then sent, delivered and read
///   996001  is accepted, then fails
///   996002  is read, delivered and sent before it is accepted
///   996003  is accepted, then sent, delivered and read, each three times
///   996004  is accepted, and never heard of again
///   996005  is accepted, and sent when its device connects again
///   997000  writes back
///   997001  writes back, with a picture
///   997002  writes back, with a picture that cannot be downloaded
/// All others succeed. `attempt` is 1 for the first.
[[nodiscard]] Play play(const model::Message& message, std::uint32_t attempt, Timestamp now);

/// Whether play() says `reported_at_reconnect`.
[[nodiscard]] bool is_reported_at_reconnect(std::string_view recipient);

/// Whether the number is registered, as play() has it. Errors: invalid_argument.
[[nodiscard]] Result<bool> is_registered(std::string_view recipient);

/// The platform took the message.
[[nodiscard]] model::Outcome taken(const model::Message& message);

/// The platform cannot take a message now.
[[nodiscard]] model::Outcome unavailable();

/// The platform's id of a message: the same on every attempt.
[[nodiscard]] std::string platform_id(const model::MessageId& id);

}  // namespace merpati::connector::simulator
