#include "media/freshness.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "base/ascii.hpp"
#include "base/http_date.hpp"
#include "base/number.hpp"

namespace merpati::media {
namespace {

using std::chrono::seconds;

constexpr seconds lifetime_max = std::chrono::hours{24};

/// A number that is too large counts as the largest.
std::optional<seconds> seconds_of(std::string_view text) {
    if (text.starts_with('"') && text.ends_with('"') && text.size() >= 2) {
        text = text.substr(1, text.size() - 2);
    }
    if (text.empty() || !std::ranges::all_of(text, is_digit)) {
        return std::nullopt;
    }
    constexpr std::int64_t most = 1'000'000'000;
    return seconds{std::min(parse_whole<std::int64_t>(text).value_or(most), most)};
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
            made += to_lower(c);
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
        return until ? *until - sent : Millis{0};  // Many servers send the malformed "Expires: 0".
    }
    return otherwise;
}

}  // namespace

Millis freshness_of(const outbound::Response& head, Timestamp now, Millis otherwise) {
    const auto control = cache_control_of(head);
    if (control.no_store) {
        return Millis{0};
    }
    const auto lifetime = lifetime_of(head, control, now, otherwise);
    return std::clamp<Millis>(lifetime, Millis{0}, lifetime_max);
}

}  // namespace merpati::media
