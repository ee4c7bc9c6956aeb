#include "media/freshness.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace merpati::media {
namespace {

using std::chrono::seconds;

constexpr std::size_t validator_max = 200;
constexpr seconds lifetime_max = std::chrono::hours{24};

template <class Number>
std::optional<Number> number(std::string_view text) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc{} && end == text.data() + text.size();
    return whole ? std::optional{value} : std::nullopt;
}

/// Digits that say more seconds than there are count as all there are.
std::optional<seconds> seconds_of(std::string_view text) {
    if (text.starts_with('"') && text.ends_with('"') && text.size() >= 2) {
        text = text.substr(1, text.size() - 2);
    }
    const bool digits =
        !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
    if (!digits) {
        return std::nullopt;
    }
    constexpr std::int64_t most = 1'000'000'000;
    return seconds{std::min(number<std::int64_t>(text).value_or(most), most)};
}

struct CacheControl {
    bool no_store = false;
    bool no_cache = false;
    std::optional<seconds> max_age;
};

std::string lower_without_blanks(std::string_view text) {
    std::string made;
    for (const char c : text) {
        if (c != ' ' && c != '\t') {
            made += c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
        }
    }
    return made;
}

CacheControl cache_control_of(const outbound::Response& head) {
    CacheControl control;
    for (const auto& [name, value] : head.headers) {
        if (name != "cache-control") {
            continue;
        }
        const auto whole = lower_without_blanks(value);
        for (std::string_view rest = whole; !rest.empty();) {
            const auto end = std::min(rest.find(','), rest.size());
            const auto one = rest.substr(0, end);
            rest.remove_prefix(std::min(end + 1, rest.size()));
            constexpr std::string_view max_age = "max-age=";
            if (one == "no-store") {
                control.no_store = true;
            } else if (one == "no-cache" || one.starts_with("no-cache=")) {
                control.no_cache = true;
            } else if (one.starts_with(max_age)) {
                control.max_age = seconds_of(one.substr(max_age.size())).value_or(seconds{0});
            }
        }
    }
    return control;
}

Millis lifetime_of(const outbound::Response& head, const CacheControl& control, Timestamp now,
                   Millis otherwise) {
    if (control.no_cache) {
        return Millis{0};
    }
    if (control.max_age) {
        return *control.max_age - seconds_of(head.header("age")).value_or(seconds{0});
    }
    if (const auto expires = head.header("expires"); !expires.empty()) {
        const auto sent = parse_http_date(head.header("date")).value_or(now);
        const auto until = parse_http_date(expires);
        return until ? *until - sent : Millis{0};  // "Expires: 0" is how many say "at once".
    }
    return otherwise;
}

std::string validator(std::string_view text) {
    const bool plain = std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7f; });
    return plain && text.size() <= validator_max ? std::string{text} : std::string{};
}

}  // namespace

std::string Freshness::conditions() const {
    if (!etag.empty()) {
        return "If-None-Match: " + etag + "\r\n";
    }
    return last_modified.empty() ? std::string{} : "If-Modified-Since: " + last_modified + "\r\n";
}

Freshness freshness_of(const outbound::Response& head, Timestamp now, Millis otherwise) {
    const auto control = cache_control_of(head);
    if (control.no_store) {
        return {};
    }
    const auto lifetime = lifetime_of(head, control, now, otherwise);
    return {.lifetime = std::clamp<Millis>(lifetime, Millis{0}, lifetime_max),
            .etag = validator(head.header("etag")),
            .last_modified = validator(head.header("last-modified"))};
}

std::optional<Timestamp> parse_http_date(std::string_view text) {
    constexpr std::string_view form = "Sun, 06 Nov 1994 08:49:37 GMT";
    constexpr std::array<std::string_view, 12> months = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    if (text.size() != form.size() || !text.ends_with(" GMT") || text.substr(3, 2) != ", ") {
        return std::nullopt;
    }
    const auto day = number<unsigned>(text.substr(5, 2));
    const auto* month = std::ranges::find(months, text.substr(8, 3));
    const auto year = number<int>(text.substr(12, 4));
    const auto hour = number<unsigned>(text.substr(17, 2));
    const auto minute = number<unsigned>(text.substr(20, 2));
    const auto second = number<unsigned>(text.substr(23, 2));
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
           seconds{*second};
}

}  // namespace merpati::media
