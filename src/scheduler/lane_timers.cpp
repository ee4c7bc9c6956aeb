#include "scheduler/lane_timers.hpp"

#include <utility>

namespace merpati::scheduler {

void LaneTimers::arm(Lane& lane, Timestamp at) {
    if (at >= lane.timer_at_) {
        return;
    }
    // An existing entry is moved, which allocates nothing.
    auto moved = waiting_.extract({.at = lane.timer_at_, .lane = &lane});
    lane.timer_at_ = at;
    if (moved.empty()) {
        waiting_.insert({.at = at, .lane = &lane});
    } else {
        moved.value().at = at;
        waiting_.insert(std::move(moved));
    }
}

void LaneTimers::disarm(Lane& lane) {
    waiting_.erase({.at = lane.timer_at_, .lane = &lane});
    lane.timer_at_ = Timestamp::max();
}

Lane* LaneTimers::take_due(Timestamp now) {
    if (waiting_.empty() || waiting_.begin()->at > now) {
        return nullptr;
    }
    auto* lane = waiting_.begin()->lane;
    waiting_.erase(waiting_.begin());
    lane->timer_at_ = Timestamp::max();
    return lane;
}

Timestamp LaneTimers::next() const noexcept {
    return waiting_.empty() ? Timestamp::max() : waiting_.begin()->at;
}

void ReadyLanes::add(Lane& lane) {
    if (!std::exchange(lane.ready_, true)) {
        lanes_.push_back(&lane);
    }
}

Lane& ReadyLanes::take_first() {
    auto& lane = *lanes_.front();
    lanes_.pop_front();
    lane.ready_ = false;
    return lane;
}

}  // namespace merpati::scheduler
