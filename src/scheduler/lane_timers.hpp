// When each lane must be run next.
#pragma once

#include <cstddef>
#include <deque>
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
                                       : left.lane->device() < right.lane->device();
        }
    };
    std::set<Entry> waiting_;
};

/// Lanes that are to be run, each once and in turn.
class ReadyLanes {
public:
    /// A lane that is here already stays at its place.
    void add(Lane& lane);
    /// Call it while there are some.
    [[nodiscard]] Lane& take_first();

    [[nodiscard]] bool empty() const noexcept { return lanes_.empty(); }
    [[nodiscard]] std::size_t size() const noexcept { return lanes_.size(); }

private:
    std::deque<Lane*> lanes_;
};

}  // namespace merpati::scheduler
