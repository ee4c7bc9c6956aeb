// The time of day in which a campaign sends nothing.
#pragma once

#include <optional>

#include "base/clock.hpp"
#include "campaign/time_zone.hpp"
#include "model/campaign.hpp"

namespace merpati::campaign {

/// One quiet time: from `from` until before `until`.
struct QuietTime {
    Timestamp from;
    Timestamp until;
    friend bool operator==(const QuietTime&, const QuietTime&) = default;
};

/// The quiet time of `now`; else the next one. By the wall clock. Empty: there is none, because
/// both ends are the same time of day.
///
/// Where the zone's clock is set back and shows an end of the quiet hours twice, the quiet time has
/// both; an end that the clock leaves out is the moment in which it is set forward.
[[nodiscard]] std::optional<QuietTime> quiet_time(const model::QuietHours& hours,
                                                  const TimeZone& zone, Timestamp now);

/// Until when it is quiet; empty: it is not quiet now.
[[nodiscard]] std::optional<Timestamp> quiet_until(const model::QuietHours& hours,
                                                   const TimeZone& zone, Timestamp now);

}  // namespace merpati::campaign
