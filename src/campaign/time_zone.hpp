// Time zones by their IANA names, from the machine's zone database.
#pragma once

#include <chrono>
#include <string_view>

#include "base/clock.hpp"
#include "base/error.hpp"

namespace date {
class time_zone;
}

namespace merpati::campaign {

/// What a clock on the wall shows, in whole milliseconds; no moment without a zone.
using LocalTime = std::chrono::local_time<Millis>;

/// A zone. Cheap to copy; lives as long as the process.
///
/// Operation: `find` reads the database (Debian's package tzdata) at its first call. A newer
/// database is used after a restart.
///
/// Threads: any.
class TimeZone {
public:
    /// `name`: as "Asia/Jakarta". Errors: invalid_argument (there is no such zone), io_failed (the
    /// machine has no zone database, or it cannot be read).
    [[nodiscard]] static Result<TimeZone> find(std::string_view name);

    [[nodiscard]] LocalTime local_of(Timestamp instant) const;

    /// Which moment a local time means where the clock is set back and shows it twice.
    enum class Twice : std::uint8_t { first, last };
    /// A local time that is left out, because the clock is set forward, is the moment of that.
    [[nodiscard]] Timestamp instant_of(LocalTime local, Twice twice = Twice::first) const;

    static constexpr std::size_t name_bytes_max = 64;

private:
    explicit TimeZone(const date::time_zone& zone) : zone_(&zone) {}
    const date::time_zone* zone_;
};

}  // namespace merpati::campaign
