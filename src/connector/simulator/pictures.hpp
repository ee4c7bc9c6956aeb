// The media in replies of simulated recipients.
#pragma once

#include <cstdint>
#include <optional>

#include "base/error.hpp"
#include "connector/connector.hpp"
#include "connector/simulator/recipients.hpp"

namespace merpati::connector::simulator {

/// The media of a reply; empty: it has none.
[[nodiscard]] std::optional<InboundMessage::Media> media_of(Reply reply);

/// Writes a picture of one pixel, and returns its size. Errors: not_found (the reference is of a
/// lost or unknown picture), refused (larger than bytes_max), unreachable (it cannot be written).
[[nodiscard]] Result<std::uint64_t> write_picture(const MediaRequest& request);

}  // namespace merpati::connector::simulator
