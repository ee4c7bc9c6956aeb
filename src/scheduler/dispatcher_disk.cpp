// The dispatcher's reading: what comes due is loaded, what waited too long is ended.
#include <algorithm>
#include <unordered_set>

#include "scheduler/details.hpp"
#include "scheduler/dispatcher.hpp"

namespace merpati::scheduler {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t expire_max = 256;  // Overdue messages of a down lane ended in one turn.
constexpr Millis store_pause = 1s;       // After a failed read, before the next one.

}  // namespace

void Dispatcher::load(Lane& lane, model::Source which) {
    auto& source = lane.source(which);
    const auto lane_room =
        options_.lane_memory_max - std::min(options_.lane_memory_max, lane.in_memory());
    const auto all_room = options_.memory_max - std::min(options_.memory_max, in_memory_);
    const auto limit = std::min(lane_room, all_room);
    if (limit == 0) {
        return;
    }
    std::unordered_set<Uuid> here;
    source.memory.collect_ids(here);
    const Timestamp before = now_ + options_.horizon + 1ms;
    auto loaded = reader_->load_lane(lane.device, which, before, limit, [&](const Uuid& id) {
        return here.contains(id) || in_flight_.contains(id);
    });
    if (!loaded) {
        arm(lane, now_ + store_pause);
        return;
    }
    const bool all = loaded->size() < limit;
    for (auto& queued : *loaded) {
        ++in_memory_;
        source.memory.push_known(std::move(queued));
    }
    if (!all) {
        return;  // More is due: disk_due stays, and the next load comes when memory is low again.
    }
    const auto next = reader_->next_due(lane.device, which, before);
    if (next) {
        source.disk_due = *next;
    } else {
        arm(lane, now_ + store_pause);
    }
}

/// A lane that cannot send lets its messages wait until give_up, then ends them, a few at a time.
void Dispatcher::expire(Lane& lane) {
    std::size_t ended = 0;
    for (const auto which : {model::Source::api, model::Source::campaign}) {
        auto& source = lane.source(which);
        while (ended < expire_max && !source.memory.empty() &&
               retry_.given_up(now_, source.memory.top().queued_at)) {
            --in_memory_;
            ++ended;
            finish_unsent(lane, source.memory.pop(), model::StatusCode::failed,
                          details::device_down);
        }
        if (!source.disk_due || !retry_.given_up(now_, *source.disk_due) || ended >= expire_max) {
            continue;
        }
        const Timestamp before = now_ - options_.give_up + 1ms;
        auto loaded =
            reader_->load_lane(lane.device, which, before, expire_max - ended,
                               [this](const Uuid& id) { return in_flight_.contains(id); });
        const auto next = loaded && loaded->size() < expire_max - ended
                              ? reader_->next_due(lane.device, which, before)
                              : Result<std::optional<Timestamp>>{source.disk_due};
        if (!loaded || !next) {
            arm(lane, now_ + store_pause);
            continue;
        }
        for (auto& queued : *loaded) {
            ++ended;
            finish_unsent(lane, std::move(queued), model::StatusCode::failed, details::device_down);
        }
        source.disk_due = *next;
    }
    auto next = lane.memory_due();
    if (const auto disk = lane.disk_due(); disk && (!next || *disk < *next)) {
        next = disk;
    }
    if (next) {
        arm(lane, std::max<Timestamp>(*next + options_.give_up, now_ + memory_pause));
    }
}

}  // namespace merpati::scheduler
