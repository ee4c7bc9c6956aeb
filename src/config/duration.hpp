// Durations as people write them: "500ms", "15s", "10m", "24h", "30d".
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace merpati::config {

/// Reads a whole number with a unit; `bare` is the unit of a number without one. Empty: another
/// form, or more than 10 digits.
[[nodiscard]] std::optional<std::chrono::milliseconds> parse_duration(
    std::string_view text, std::chrono::milliseconds bare) noexcept;

/// The shortest exact form. Days are used from two on: one day is "24h".
[[nodiscard]] std::string print_duration(std::chrono::milliseconds duration);

}  // namespace merpati::config
