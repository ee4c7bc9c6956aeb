#include "store/sql/retention.hpp"

#include <algorithm>

namespace merpati::store::sql {

PruneStep Retention::step(const PruneLimits& limits) {
    if (places_.empty()) {
        for (auto& task : prune_tasks(rooms_)) {
            places_.push_back({.task = std::move(task)});
        }
    }
    if (limits.begins_round || !has_more()) {
        begin_round(limits);
    }
    PruneStep done;
    std::size_t visits = 0;
    bool is_over = false;
    while (!is_over && has_more()) {
        auto& place = places_[turn_];
        turn_ = (turn_ + 1) % places_.size();
        for (std::size_t count = 0; place.has_more && !is_over && count < visits_in_turn; ++count) {
            const auto visited = visit(place, limits);
            done.removed += visited == PruneTask::Visit::removed ? 1 : 0;
            place.has_more = visited != PruneTask::Visit::none;
            is_over = ++visits >= limits.visits_max || (limits.is_over && limits.is_over());
        }
    }
    done.complete = !has_more();
    return done;
}

void Retention::begin_round(const PruneLimits& limits) {
    for (auto& place : places_) {
        place.has_more = !place.is_damaged && (place.has_more || place.task->is_due(limits));
    }
}

bool Retention::has_more() const {
    return std::ranges::any_of(places_, &Place::has_more);
}

PruneTask::Visit Retention::visit(Place& place, const PruneLimits& limits) {
    try {
        return place.task->visit(limits);
    } catch (const Failure& failure) {
        if (failure.is_damage()) {
            place.is_damaged = true;
            place.has_more = false;
        }
        throw;
    }
}

}  // namespace merpati::store::sql
