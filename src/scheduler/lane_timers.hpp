// When each lane wants its next turn.
#pragma once

#include <optional>
#include <set>

#include "scheduler/lane.hpp"

namespace merpati::scheduler {

/// At most one moment a lane, whatever is asked: the earliest. A lane that is woken plans anew, so
/// a later wish would only pile up.
class LaneTimers {
public:
    /// Wakes the lane at `at`, or earlier where it is to be woken earlier anyway.
    void arm(Lane& lane, Timestamp at);

    /// Takes out a lane whose moment has come; null when there is none.
    [[nodiscard]] Lane* take_due(Timestamp now);

    /// Timestamp::max() when no lane waits.
    [[nodiscard]] Timestamp next() const noexcept;

    [[nodiscard]] std::size_t size() const noexcept { return waiting_.size(); }

private:
    struct Entry {
        Timestamp at;
        Lane* lane;
        friend bool operator<(const Entry& left, const Entry& right) {
            return left.at != right.at ? left.at < right.at
                                       : left.lane->device < right.lane->device;
        }
    };
    std::set<Entry> waiting_;
};

}  // namespace merpati::scheduler
