#include "base/clock.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/number.hpp"

namespace merpati {
namespace {

/// Takes `width` digits from the front of `text`; false when they are not all there.
bool take_digits(std::string_view& text, std::size_t width, int& out) {
    const auto number = parse_whole<unsigned>(text.substr(0, width));
    if (text.size() < width || !number) {
        return false;
    }
    out = static_cast<int>(*number);
    text.remove_prefix(width);
    return true;
}

bool take_char(std::string_view& text, std::string_view allowed) {
    if (text.empty() || allowed.find(text.front()) == std::string_view::npos) {
        return false;
    }
    text.remove_prefix(1);
    return true;
}

bool take_fraction(std::string_view& text, int& millis) {
    int scale = 100;
    bool any = false;
    while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
        millis += (text.front() - '0') * scale;
        scale /= 10;
        any = true;
        text.remove_prefix(1);
    }
    return any;
}

bool take_offset(std::string_view& text, std::chrono::minutes& offset) {
    if (take_char(text, "Zz")) {
        return true;
    }
    const int sign = !text.empty() && text.front() == '-' ? -1 : 1;
    int hours = 0;
    int minutes = 0;
    if (!take_char(text, "+-") || !take_digits(text, 2, hours) || !take_char(text, ":") ||
        !take_digits(text, 2, minutes) || hours > 23 || minutes > 59) {
        return false;
    }
    offset = sign * (std::chrono::hours{hours} + std::chrono::minutes{minutes});
    return true;
}

/// Writes the last `count` digits of a number that is not negative.
void write_digits(std::string& text, std::size_t place, std::size_t count, std::int64_t number) {
    for (auto at = place + count; at > place; number /= 10) {
        text[--at] = static_cast<char>('0' + number % 10);
    }
}

}  // namespace

/// Digit by digit, because every event of a batch of callbacks has a time.
std::string to_rfc3339(Timestamp time) {
    const auto day = std::chrono::floor<std::chrono::days>(time);
    const std::chrono::year_month_day date{day};
    const auto millis = (time - day).count();
    std::string text = "0000-00-00T00:00:00.000Z";
    write_digits(text, 0, 4, std::clamp(static_cast<int>(date.year()), 0, 9'999));
    write_digits(text, 5, 2, static_cast<unsigned>(date.month()));
    write_digits(text, 8, 2, static_cast<unsigned>(date.day()));
    write_digits(text, 11, 2, millis / 3'600'000);
    write_digits(text, 14, 2, millis / 60'000 % 60);
    write_digits(text, 17, 2, millis / 1'000 % 60);
    write_digits(text, 20, 3, millis % 1'000);
    return text;
}

Result<Timestamp> parse_rfc3339(std::string_view text) {
    const std::string whole{text};
    int year = 0;
    int month = 0;
    int day = 0;
    int hour = 0;
    int minute = 0;
    int second = 0;
    int millis = 0;
    std::chrono::minutes offset{0};
    const bool shaped =
        take_digits(text, 4, year) && take_char(text, "-") && take_digits(text, 2, month) &&
        take_char(text, "-") && take_digits(text, 2, day) && take_char(text, "Tt ") &&
        take_digits(text, 2, hour) && take_char(text, ":") && take_digits(text, 2, minute) &&
        take_char(text, ":") && take_digits(text, 2, second) &&
        (!take_char(text, ".") || take_fraction(text, millis)) && take_offset(text, offset) &&
        text.empty();
    const std::chrono::year_month_day date{std::chrono::year{year},
                                           std::chrono::month{static_cast<unsigned>(month)},
                                           std::chrono::day{static_cast<unsigned>(day)}};
    if (!shaped || !date.ok() || hour > 23 || minute > 59 || second > 60) {
        return fail(
            ErrorCode::invalid_argument,
            fmt::format("'{}' is not an RFC 3339 time such as 2026-12-31T00:00:00Z", whole));
    }
    return Timestamp{std::chrono::sys_days{date}} + std::chrono::hours{hour} +
           std::chrono::minutes{minute} + std::chrono::seconds{second} + Millis{millis} - offset;
}

}  // namespace merpati
