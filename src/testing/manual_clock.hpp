// A clock that moves only when a test says so.
#pragma once

#include <atomic>

#include "base/clock.hpp"

namespace merpati::testing {

/// Starts at 2026-11-20T10:00:00Z. `advance` moves both of its clocks alike; `set_wall` steps the
/// wall clock alone, as an operator or NTP would.
class ManualClock final : public Clock {
public:
    [[nodiscard]] Timestamp now() const noexcept override { return from_unix_millis(wall_); }
    [[nodiscard]] SteadyTime steady_now() const noexcept override {
        return SteadyTime{Millis{steady_}};
    }

    void advance(Millis by) {
        wall_ += by.count();
        steady_ += by.count();
    }
    void set_wall(Timestamp time) { wall_ = to_unix_millis(time); }

private:
    std::atomic<std::int64_t> wall_{1'795'168'800'000};
    std::atomic<std::int64_t> steady_{1'000'000};
};

}  // namespace merpati::testing
