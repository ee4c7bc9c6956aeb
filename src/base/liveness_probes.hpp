// How to learn whether a thread still comes round to its work.
#pragma once

#include <functional>
#include <mutex>
#include <utility>
#include <vector>

namespace merpati {

/// Probes that wait for the thread they are meant for.
///
/// Operation: whoever wants to know calls `add`, and wakes the owner if it may sleep; the owner
/// calls `answer` once a turn, which calls every probe added since. A thread that hangs answers
/// nothing.
///
/// Threads: `add` from any; `answer` is the owner's.
///
/// Limits: none of its own; each asker has one probe under way.
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
