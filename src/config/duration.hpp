// Durations as people write them: "500ms", "15s", "10m", "24h", "30d".
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace merpati::config {

/// Reads a whole number with its unit; without one it counts in `bare`. Empty when it is neither,
/// negative, or more than 10 digits long.
[[nodiscard]] std::optional<std::chrono::milliseconds> parse_duration(
    std::string_view text, std::chrono::milliseconds bare) noexcept;

/// The shortest exact form. "24h" stays hours: days are used from two on.
[[nodiscard]] std::string print_duration(std::chrono::milliseconds duration);

}  // namespace merpati::config
