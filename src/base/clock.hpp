// Time, injected: only base/system_clock.cpp asks the machine.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace merpati {

using Millis = std::chrono::milliseconds;

/// A moment of the wall clock (UTC) or of queue time (QueueClock), in whole milliseconds: the form
/// that is stored and shown.
using Timestamp = std::chrono::sys_time<Millis>;

/// A moment of a clock that only moves forward: for waits in memory and for deadlines.
using SteadyTime = std::chrono::steady_clock::time_point;

class Clock {
public:
    virtual ~Clock() = default;

    [[nodiscard]] virtual Timestamp now() const noexcept = 0;
    [[nodiscard]] virtual SteadyTime steady_now() const noexcept = 0;
};

/// The machine's clocks.
class SystemClock final : public Clock {
public:
    [[nodiscard]] Timestamp now() const noexcept override;
    [[nodiscard]] SteadyTime steady_now() const noexcept override;
};

/// Milliseconds since 1970, as stored.
[[nodiscard]] constexpr std::int64_t to_unix_millis(Timestamp time) noexcept {
    return time.time_since_epoch().count();
}
[[nodiscard]] constexpr Timestamp from_unix_millis(std::int64_t millis) noexcept {
    return Timestamp{Millis{millis}};
}

/// RFC 3339 in UTC with milliseconds: "2026-11-20T10:00:00.123Z".
[[nodiscard]] std::string to_rfc3339(Timestamp time);

/// Parses RFC 3339 with any offset; fractions beyond milliseconds are cut off.
/// Errors: invalid_argument.
[[nodiscard]] Result<Timestamp> parse_rfc3339(std::string_view text);

}  // namespace merpati
