#include "api/manage/campaigns/time_fields.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "api/manage/campaigns/plan_fields.hpp"
#include "base/ascii.hpp"
#include "campaign/time_zone.hpp"

namespace merpati::api::manage {
namespace {

constexpr std::size_t date_and_minute = 16;  // "2027-01-31T09:00"

int two_digits(std::string_view text) {
    return (text[0] - '0') * 10 + (text[1] - '0');
}

/// Whether the time says how far it is from UTC.
bool has_offset(std::string_view text) {
    return text.ends_with('Z') || text.ends_with('z') || text.contains('+') ||
           (text.size() > date_and_minute &&
            text.substr(date_and_minute).find('-') != std::string_view::npos);
}

/// The time that a clock shows. Empty: the text has another form.
std::optional<campaign::LocalTime> parse_local(std::string_view text) {
    // With seconds and an offset it is RFC 3339.
    const auto whole = fmt::format("{}{}Z", text, text.size() == date_and_minute ? ":00" : "");
    const auto parsed = parse_rfc3339(whole);
    return parsed ? std::optional{campaign::LocalTime{parsed->time_since_epoch()}} : std::nullopt;
}

Result<Timestamp> parse_wished(std::string_view text, std::string_view time_zone) {
    if (has_offset(text)) {
        return parse_rfc3339(text);
    }
    const auto local = parse_local(text);
    if (!local) {
        return fail(ErrorCode::invalid_argument, "it has another form");
    }
    const auto zone = campaign::TimeZone::find(time_zone);
    return zone ? Result<Timestamp>{zone->instant_of(*local)} : pass(zone);
}

}  // namespace

std::optional<std::chrono::minutes> parse_time_of_day(std::string_view text) noexcept {
    constexpr std::string_view form = "00:00";
    const bool fits = text.size() == form.size() && text[2] == ':' &&
                      std::ranges::all_of(text.substr(0, 2), is_digit) &&
                      std::ranges::all_of(text.substr(3), is_digit);
    if (!fits) {
        return std::nullopt;
    }
    const int hour = two_digits(text);
    const int minute = two_digits(text.substr(3));
    return hour < 24 && minute < 60 ? std::optional{std::chrono::minutes{hour * 60 + minute}}
                                    : std::nullopt;
}

std::string time_of_day_text(std::chrono::minutes time) {
    return fmt::format("{:02}:{:02}", time.count() / 60, time.count() % 60);
}

Result<Timestamp> read_wished_time(std::string_view field, std::string_view text,
                                   std::string_view time_zone, Timestamp now) {
    const auto wished = parse_wished(text, time_zone);
    if (!wished && wished.error().code != ErrorCode::invalid_argument) {
        return pass(wished);
    }
    if (!wished) {
        return fail(ErrorCode::invalid_argument,
                    fmt::format("'{}' must be a time like 2027-01-31T09:00:00+07:00, or without an "
                                "offset by the campaign's time zone",
                                field));
    }
    if (*wished <= now) {
        return fail(ErrorCode::invalid_argument, fmt::format("'{}' must be in the future", field));
    }
    return *wished;
}

}  // namespace merpati::api::manage
