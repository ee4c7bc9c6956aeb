#include "campaign/time_zone.hpp"

#include <algorithm>
#include <date/tz.h>
#include <exception>
#include <string>
#include <tuple>

namespace merpati::campaign {
namespace {

/// Letters, digits and `_+-`, in parts that `/` divides: the database is a folder.
bool is_zone_name(std::string_view name) {
    const auto may_stand = [](char c) {
        return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '+' || c == '-' || c == '/';
    };
    return !name.empty() && name.size() <= TimeZone::name_bytes_max &&
           std::ranges::all_of(name, may_stand);
}

}  // namespace

Result<TimeZone> TimeZone::find(std::string_view name) {
    if (!is_zone_name(name)) {
        return fail(ErrorCode::invalid_argument, "a time zone has a name such as Asia/Jakarta");
    }
    const date::tzdb* database = nullptr;
    try {
        database = &date::get_tzdb();
    } catch (const std::exception& error) {
        return fail(ErrorCode::io_failed,
                    std::string{"the machine has no time zones (package tzdata): "} + error.what());
    }
    if (database->zones.empty()) {
        return fail(ErrorCode::io_failed, "the machine has no time zones (package tzdata)");
    }
    try {
        const auto* zone = date::locate_zone(name);
        std::ignore = zone->get_info(date::sys_seconds{});  // Reads its file.
        return TimeZone{*zone};
    } catch (const std::exception&) {
        return fail(ErrorCode::invalid_argument, "there is no time zone " + std::string{name});
    }
}

LocalTime TimeZone::local_of(Timestamp instant) const {
    return LocalTime{zone_->to_local(instant).time_since_epoch()};
}

Timestamp TimeZone::instant_of(LocalTime local, Twice twice) const {
    const date::local_time<Millis> shown{local.time_since_epoch()};
    const auto info = zone_->get_info(shown);
    if (info.result == date::local_info::nonexistent) {
        return info.first.end;
    }
    const auto& side = info.result == date::local_info::ambiguous && twice == Twice::last
                           ? info.second
                           : info.first;
    return Timestamp{shown.time_since_epoch() - side.offset};
}

}  // namespace merpati::campaign
