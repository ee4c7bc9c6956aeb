#include "base/http_date.hpp"

#include <algorithm>
#include <array>

#include "base/number.hpp"

namespace merpati {

std::optional<Timestamp> parse_http_date(std::string_view text) {
    constexpr std::string_view form = "Sun, 06 Nov 1994 08:49:37 GMT";
    constexpr std::array<std::string_view, 12> months = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    if (text.size() != form.size() || !text.ends_with(" GMT") || text.substr(3, 2) != ", ") {
        return std::nullopt;
    }
    const auto day = parse_whole<unsigned>(text.substr(5, 2));
    const auto* month = std::ranges::find(months, text.substr(8, 3));
    const auto year = parse_whole<int>(text.substr(12, 4));
    const auto hour = parse_whole<unsigned>(text.substr(17, 2));
    const auto minute = parse_whole<unsigned>(text.substr(20, 2));
    const auto second = parse_whole<unsigned>(text.substr(23, 2));
    if (!day || month == months.end() || !year || !hour || !minute || !second || *hour > 23 ||
        *minute > 59 || *second > 60) {
        return std::nullopt;
    }
    const std::chrono::year_month_day date{
        std::chrono::year{*year},
        std::chrono::month{static_cast<unsigned>(month - months.begin()) + 1},
        std::chrono::day{*day}};
    if (!date.ok()) {
        return std::nullopt;
    }
    return std::chrono::sys_days{date} + std::chrono::hours{*hour} + std::chrono::minutes{*minute} +
           std::chrono::seconds{*second};
}

}  // namespace merpati
