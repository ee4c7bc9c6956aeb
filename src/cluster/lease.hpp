// Until when a node may act for its accounts.
#pragma once

#include <atomic>

#include "base/clock.hpp"

namespace merpati::cluster {

/// Operation: holds from each renewal until a moment of the machine's steady clock, which is before
/// any other node may think that this one is gone. So a process that was frozen finds that it does
/// not hold any more, before it begins anything. That clock stands still while the whole machine is
/// suspended: after that only the database refuses what the process writes.
///
/// Threads: any.
class Lease {
public:
    explicit Lease(const Clock& clock) : clock_(clock) {}

    [[nodiscard]] bool holds() const noexcept {
        return clock_.steady_now().time_since_epoch().count() < until_.load();
    }
    void extend(SteadyTime until) noexcept { until_ = until.time_since_epoch().count(); }
    void end() noexcept { until_ = never; }

private:
    static constexpr SteadyTime::rep never = 0;

    const Clock& clock_;
    std::atomic<SteadyTime::rep> until_{never};
};

}  // namespace merpati::cluster
