// When each lane must be run next.
#pragma once

#include <optional>
#include <set>

#include "scheduler/lane.hpp"

namespace merpati::scheduler {

/// Keeps one time per lane, the earliest that was armed. Later ones need not be kept, because each
/// run of a lane arms its next time.
class LaneTimers {
public:
    /// The lane is due at `at`, or earlier if an earlier time was armed before.
    void arm(Lane& lane, Timestamp at);

    /// Forgets the lane, so that it may be destroyed.
    void disarm(Lane& lane);

    /// Removes and returns a lane that is due; null: there is none.
    [[nodiscard]] Lane* take_due(Timestamp now);

    /// When the first lane is due; Timestamp::max(): none waits.
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
