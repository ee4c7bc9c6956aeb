#include "callback/retry_table.hpp"

#include <algorithm>
#include <charconv>

#include "base/http_date.hpp"

namespace merpati::callback {

std::optional<Timestamp> next_attempt(Timestamp now, std::uint32_t attempts,
                                      std::optional<std::chrono::seconds> retry_after,
                                      Random& random) {
    if (attempts == 0 || attempts > retry_waits.size()) {
        return std::nullopt;
    }
    Millis wait = retry_waits[attempts - 1];
    const auto fifth = static_cast<std::uint64_t>(wait.count()) / 5;
    wait += Millis{static_cast<std::int64_t>(random.between(0, 2 * fifth))} -
            Millis{static_cast<std::int64_t>(fifth)};
    if (retry_after) {
        wait = std::max<Millis>(wait, std::min<std::chrono::seconds>(*retry_after, 24h));
    }
    return now + wait;
}

std::optional<std::chrono::seconds> parse_retry_after(std::string_view value, Timestamp now) {
    if (value.empty()) {
        return std::nullopt;
    }
    std::uint32_t seconds = 0;
    const auto* end = value.data() + value.size();
    const auto [stop, error] = std::from_chars(value.data(), end, seconds);
    if (error == std::errc{} && stop == end) {
        return std::chrono::seconds{seconds};
    }
    const auto date = parse_http_date(value);
    if (!date) {
        return std::nullopt;
    }
    const auto wait = std::chrono::ceil<std::chrono::seconds>(*date - now);
    return wait.count() > 0 ? std::optional{wait} : std::nullopt;
}

}  // namespace merpati::callback
