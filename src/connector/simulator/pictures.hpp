// The media of what simulated recipients write back.
#pragma once

#include <cstdint>
#include <optional>

#include "base/error.hpp"
#include "connector/connector.hpp"
#include "connector/simulator/recipients.hpp"

namespace merpati::connector::simulator {

/// Empty where the reply has none.
[[nodiscard]] std::optional<InboundMessage::Media> media_of(Reply reply);

/// A picture of one pixel. Errors: not_found (it is lost, or was never sent), refused (it is larger
/// than it may be), unreachable (it cannot be written).
[[nodiscard]] Result<std::uint64_t> write_picture(const MediaRequest& request);

}  // namespace merpati::connector::simulator
