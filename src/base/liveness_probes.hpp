// Tells whether a thread still returns to its loop.
#pragma once

#include <functional>
#include <mutex>
#include <utility>
#include <vector>

namespace merpati {

/// The probes that wait for one thread, their owner.
///
/// Operation: a checker calls `add`, and wakes the owner if that may sleep. The owner calls
/// `answer` in each turn of its loop; `answer` calls every probe added since the last turn. A
/// thread that hangs answers none.
///
/// Threads: `add` from any; `answer` from the owner's.
///
/// Limits: none of its own; each checker has one probe in flight.
class LivenessProbes {
public:
    using Probe = std::move_only_function<void()>;

    void add(Probe probe) {
        const std::lock_guard lock{mutex_};
        waiting_.push_back(std::move(probe));
    }

    void answer() {
        std::vector<Probe> probes;
        {
            const std::lock_guard lock{mutex_};
            probes.swap(waiting_);
        }
        for (auto& probe : probes) {
            probe();
        }
    }

private:
    std::mutex mutex_;
    std::vector<Probe> waiting_;
};

}  // namespace merpati
