// When a callback is retried.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/clock.hpp"
#include "base/random.hpp"

namespace merpati::callback {

using namespace std::chrono_literals;

/// The waits between attempts (docs/api.md, Callbacks). After the last one: exhausted.
inline constexpr std::array<std::chrono::seconds, 10> retry_waits{5s, 30s, 2min, 10min, 30min,
                                                                  1h, 3h,  6h,   12h,   24h};

/// The time of the next attempt after `attempts` failed ones, with a jitter of ±20 %; empty: they
/// are exhausted. `retry_after`: the shortest wait that the receiver asked for, respected up to 24
/// h.
[[nodiscard]] std::optional<Timestamp> next_attempt(Timestamp now, std::uint32_t attempts,
                                                    std::optional<std::chrono::seconds> retry_after,
                                                    Random& random);

/// Parses a Retry-After header: seconds, or a date (RFC 9110 10.2.3). Empty if it is malformed,
/// negative or in the past.
[[nodiscard]] std::optional<std::chrono::seconds> parse_retry_after(std::string_view value,
                                                                    Timestamp now);

}  // namespace merpati::callback
