#include "scheduler/retry_policy.hpp"

#include <algorithm>

namespace merpati::scheduler {
namespace {

constexpr Millis restriction_min = std::chrono::seconds{5};
constexpr Millis restriction_max = std::chrono::days{7};

}  // namespace

Millis restriction_wait(Timestamp now, Timestamp until) {
    return std::clamp<Millis>(std::chrono::ceil<Millis>(until - now), restriction_min,
                              restriction_max);
}

std::optional<Timestamp> RetryPolicy::next(Timestamp now, Timestamp failing_since,
                                           std::uint32_t attempts, std::optional<Millis> asked,
                                           Random& random) const {
    if (now - failing_since >= give_up) {
        return std::nullopt;
    }
    auto wait = first;
    for (std::uint32_t attempt = 1; attempt < attempts && wait < longest; ++attempt) {
        wait *= 2;
    }
    wait = std::min(wait, longest);
    const auto fifth = static_cast<std::uint64_t>(wait.count()) / 5;
    wait += Millis{static_cast<std::int64_t>(random.between(0, 2 * fifth))} -
            Millis{static_cast<std::int64_t>(fifth)};
    if (asked) {
        wait = std::max(wait, *asked);
    }
    return std::min<Timestamp>(now + wait, failing_since + give_up);
}

}  // namespace merpati::scheduler
