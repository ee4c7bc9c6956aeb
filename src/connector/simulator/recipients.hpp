// What the simulated platform does with a message, by the last digits of its recipient.
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
    lost_picture,  // The platform no longer has it when it is downloaded.
    refusal,       // It wants no more of it.
};

/// What happens to one attempt.
struct Play {
    model::Outcome outcome;
    bool taken = false;  // Whether the platform has the message, whatever the outcome says.
    std::vector<model::PlatformStatus> before;  // Reported before the outcome,
    std::vector<model::PlatformStatus> after;   // and after it, one by one.
    bool reported_at_reconnect = false;         // `sent` is reported at the next connection.
    Reply reply = Reply::none;
    bool worker_dies = false;  // During the send; all devices lose their connection.
};

/// What happens to an attempt (1 is the first). docs/simulator.md promises these recipients to
/// users. One that ends in
///   991001  is not registered
///   991002  is invalid for the platform
///   991003  has its media type refused, even of a text, so that 1003 can be tried with one
///   995000  fails twice for a passing reason, then succeeds
///   995001  never succeeds, for a passing reason
///   995002  fails at once, for good
///   995003  is taken at the first attempt, but its outcome is unknown
///   995004  is not taken at the first attempt: the connector's worker dies
///   996000  is accepted, then sent, delivered and read
///   996001  is accepted, then fails
///   996002  is read, delivered and sent before it is accepted
///   996003  is accepted, then sent, delivered and read, each three times
///   996004  is accepted, and no status follows
///   996005  is accepted, and sent when its device connects again
///   997000  writes back
///   997001  writes back, with a picture
///   997002  writes back, with a picture that cannot be downloaded
///   997003  writes back BERHENTI
/// All others succeed.
[[nodiscard]] Play play(const model::Message& message, std::uint32_t attempt, Timestamp now);

/// Whether play() says `reported_at_reconnect`.
[[nodiscard]] bool is_reported_at_reconnect(std::string_view recipient);

/// Whether play() takes the number for registered. Errors: invalid_argument.
[[nodiscard]] Result<bool> is_registered(std::string_view recipient);

/// The outcome `sent`.
[[nodiscard]] model::Outcome taken(const model::Message& message);

/// The outcome of a platform that cannot take a message now: `retry`.
[[nodiscard]] model::Outcome unavailable();

/// The platform's id of a message: the same on every attempt.
[[nodiscard]] std::string platform_id(const model::MessageId& id);

}  // namespace merpati::connector::simulator
