// When a message is retried after a passing failure.
#pragma once

#include <cstdint>
#include <optional>

#include "base/clock.hpp"
#include "base/random.hpp"

namespace merpati::scheduler {

/// Exponential back-off from `first` to `longest`, doubled each time, with a jitter of ±20 %, so
/// that a platform that recovers does not receive all its messages at once.
struct RetryPolicy {
    Millis first{5'000};
    Millis longest{600'000};
    std::chrono::seconds give_up{24 * 3600};

    /// The time of the next attempt after `attempts` attempts; empty once `give_up` has passed
    /// since `failing_since`, the first failure. `asked`: the shortest wait that the platform asked
    /// for. The last attempt is due no later than `give_up` after the first failure, even if
    /// `asked` is later.
    [[nodiscard]] std::optional<Timestamp> next(Timestamp now, Timestamp failing_since,
                                                std::uint32_t attempts, std::optional<Millis> asked,
                                                Random& random) const;
};

/// How long a message waits for the end of its device's restriction, or of its recipient's: 5
/// seconds at least, and a week at most. Then its connector is asked again.
[[nodiscard]] Millis restriction_wait(Timestamp now, Timestamp until);

}  // namespace merpati::scheduler
