#include "campaign/quiet_hours.hpp"

namespace merpati::campaign {

std::optional<QuietTime> quiet_time(const model::QuietHours& hours, const TimeZone& zone,
                                    Timestamp now) {
    using std::chrono::days;
    const auto today = std::chrono::floor<days>(zone.local_of(now));
    // Yesterday's may last until today. A quiet time may be empty, where the clock leaves it out.
    for (auto day = today - days{1}; day <= today + days{2}; day += days{1}) {
        const auto last_day = hours.to > hours.from ? day : day + days{1};
        const QuietTime quiet{.from = zone.instant_of(day + hours.from),
                              .until = zone.instant_of(last_day + hours.to, TimeZone::Twice::last)};
        if (hours.from != hours.to && quiet.from < quiet.until && now < quiet.until) {
            return quiet;
        }
    }
    return std::nullopt;
}

std::optional<Timestamp> quiet_until(const model::QuietHours& hours, const TimeZone& zone,
                                     Timestamp now) {
    const auto quiet = quiet_time(hours, zone, now);
    return quiet && quiet->from <= now ? std::optional{quiet->until} : std::nullopt;
}

}  // namespace merpati::campaign
