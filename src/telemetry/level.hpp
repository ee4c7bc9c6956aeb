// The severity of a log line.
#pragma once

#include <cstdint>

namespace merpati::telemetry {

enum class Level : std::uint8_t { debug, info, warn, error };

}  // namespace merpati::telemetry
