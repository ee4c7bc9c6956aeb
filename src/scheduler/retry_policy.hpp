// When a message is tried again after a passing failure.
#pragma once

#include <cstdint>
#include <optional>

#include "base/clock.hpp"
#include "base/random.hpp"

namespace merpati::scheduler {

/// Doubling back-off from `first` to `longest`, with 20 % of jitter either way, so that a platform
/// that comes back is not met by all its messages at once.
struct RetryPolicy {
    Millis first{5'000};
    Millis longest{600'000};
    std::chrono::seconds give_up{24 * 3600};

    /// The time of the next attempt after `attempts` of them, or empty when `give_up` has passed
    /// since the first one that failed. `asked`: the platform's own wish, honoured where it is
    /// later. The last attempt falls on the moment of giving up, not behind it.
    [[nodiscard]] std::optional<Timestamp> next(Timestamp now, Timestamp failing_since,
                                                std::uint32_t attempts, std::optional<Millis> asked,
                                                Random& random) const;

    [[nodiscard]] bool given_up(Timestamp now, Timestamp failing_since) const noexcept {
        return now - failing_since >= give_up;
    }
};

}  // namespace merpati::scheduler
