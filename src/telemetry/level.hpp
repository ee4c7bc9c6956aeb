// How much a line of the log matters.
#pragma once

#include <cstdint>

namespace merpati::telemetry {

enum class Level : std::uint8_t { debug, info, warn, error };

}  // namespace merpati::telemetry
