// What the simulated platform does with a message, by the end of its recipient.
#pragma once

#include <cstdint>
#include <string>

#include "model/message.hpp"
#include "model/outcome.hpp"

namespace merpati::connector::simulator {

/// The recipients that anyone may rely on (operate.md, The simulator's recipients). One that ends
/// in
///   991001  is not registered
///   991002  is invalid for the platform
///   991003  has its media type refused, whatever is sent, so that 1003 can be tried with a text
///   995000  fails twice for a passing reason, then succeeds
///   995001  never succeeds, for a passing reason
///   995002  fails at once, for good
/// All others succeed. `attempt` is 1 for the first.
[[nodiscard]] model::Outcome judge(const model::Message& message, std::uint32_t attempt);

/// The platform took the message.
[[nodiscard]] model::Outcome accepted(const model::Message& message);

/// The platform cannot take a message now.
[[nodiscard]] model::Outcome unavailable();

/// The platform's id of a message: the same on every attempt.
[[nodiscard]] std::string platform_id(const model::MessageId& id);

}  // namespace merpati::connector::simulator
