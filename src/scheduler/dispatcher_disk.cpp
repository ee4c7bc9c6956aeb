// The dispatcher's memory and reading: what comes due is loaded, what waited too long is ended.
#include <algorithm>
#include <tuple>
#include <unordered_set>

#include "scheduler/details.hpp"
#include "scheduler/dispatcher.hpp"

namespace merpati::scheduler {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t load_max = 1'024;  // Messages of one read: others wait for it.
constexpr std::size_t expire_max = 256;  // Overdue messages of a down lane that end at once.
constexpr Millis rest_min = 10s;         // A lane that cannot send for so long needs no memory.

}  // namespace

bool Dispatcher::rests(const Lane& lane) const {
    return !lane.connected() || lane.may_send_at() > now_ + rest_min;
}

/// In memory only where it is due soon and nothing that goes before it waits on disk. What goes
/// after it makes room for it.
void Dispatcher::place(Lane& lane, store::QueuedMessage queued) {
    auto& source = lane.source(queued.message->source);
    const auto due = queued.queued_at;
    const auto first = [&] { return !source.disk_due || *source.disk_due > due; };
    const bool soon = due <= now_ + options_.horizon && !rests(lane);
    if (soon && first() && memory_.room(lane) == 0 && !source.memory.empty() &&
        due < source.memory.latest()) {
        memory_.let_go_later_half(source);
    }
    if (soon && first() && memory_.room(lane) > 0) {
        memory_.keep(source, std::move(queued));
    } else {
        source.note_on_disk(due);
    }
}

bool Dispatcher::wants_load(const Lane& lane, const LaneSource& source) const {
    return source.disk_due && (source.disk_first() || memory_.low(lane, source));
}

/// Reads when the first is nearly due, and then all of a horizon: so the reads of a lane with a
/// long queue are few, however densely it comes due.
void Dispatcher::load_due(Lane& lane) {
    const Timestamp soon = now_ + load_ahead();
    for (const auto which : {model::Source::api, model::Source::campaign}) {
        const auto& source = lane.source(which);
        if (wants_load(lane, source) && *source.disk_due <= soon && lane.may_send_at() <= soon) {
            load(lane, which);
        }
    }
}

void Dispatcher::load(Lane& lane, model::Source which) {
    auto& source = lane.source(which);
    if (now_ < read_again_at_) {
        return;
    }
    if (source.disk_first() && memory_.room(lane) < LaneMemory::reserve / 2) {
        memory_.let_go_later_half(source);
    }
    const auto limit = std::min(memory_.room(lane), load_max);
    // A read for a few is not worth it while there is something to send.
    const bool few = limit < LaneMemory::reserve / 2 && !source.memory.empty();
    if (limit == 0 || few) {
        return;
    }
    std::unordered_set<Uuid> here;
    source.memory.for_each([&here](const auto& queued) { here.insert(queued.message->id); });
    const Timestamp before = now_ + options_.horizon + 1ms;
    auto loaded = reader_->load_lane(lane.device, which, before, limit, [&](const Uuid& id) {
        return here.contains(id) || in_flight_.contains(id);
    });
    if (!loaded) {
        read_failed(loaded.error());
        return;
    }
    const bool all = loaded->size() < limit;
    step_loaded_ += loaded->size();
    if (!all) {
        source.disk_due = loaded->back().queued_at;  // The others go after these.
    }
    for (auto& queued : *loaded) {
        memory_.keep_known(source, std::move(queued));
    }
    if (!all) {
        return;  // The next load comes when memory is low again.
    }
    if (auto next = reader_->next_due(lane.device, which, before)) {
        source.disk_due = *next;
    } else {
        read_failed(next.error());
    }
}

void Dispatcher::read_failed(const Error& error) {
    if (error.code != ErrorCode::damaged) {  // Damage concerns that lane alone, which stops.
        read_again_at_ = now_ + store_pause;
    }
    if (options_.on_trouble) {
        options_.on_trouble(error);
    }
}

/// A lane that cannot send lets its messages wait until give_up after its device went down, then
/// ends those that are due, a few at a time.
void Dispatcher::expire(Lane& lane) {
    const auto ends_at =
        std::max<Timestamp>(lane.down_since.value_or(now_) + options_.give_up, give_up_from_);
    if (now_ >= ends_at) {
        std::size_t room = 0;
        if (in_flight_.size() < options_.memory_max) {
            room = expire_max - std::min(expire_max, lane.in_flight);
        }
        room = expire(lane, model::Source::api, room);
        std::ignore = expire(lane, model::Source::campaign, room);
    }
    auto next = lane.memory_due();
    if (const auto disk = lane.disk_due(); disk && (!next || *disk < *next)) {
        next = disk;
    }
    if (next) {
        timers_.arm(lane,
                    std::max<Timestamp>({*next, ends_at, now_ + memory_pause, read_again_at_}));
    }
}

/// Answers how many more may be ended now.
std::size_t Dispatcher::expire(Lane& lane, model::Source which, std::size_t room) {
    auto& source = lane.source(which);
    const auto end = [&](store::QueuedMessage queued) {
        --room;
        if (queued.intent_recorded && is_careful(lane.connector, *queued.message)) {
            hold(fly(lane, std::move(queued)));  // A crash interrupted its send.
        } else {
            finish_unsent(lane, std::move(queued), model::StatusCode::failed, details::device_down);
        }
    };
    while (room > 0 && !source.memory.empty() && source.memory.top().queued_at <= now_) {
        end(memory_.take(source));
    }
    const bool due = source.disk_due && *source.disk_due <= now_;
    if (room == 0 || !due || now_ < read_again_at_) {
        return room;
    }
    // Nothing that is in memory is due, or it would have been ended above.
    const Timestamp before = now_ + 1ms;
    const auto limit = room;
    auto loaded = reader_->load_lane(lane.device, which, before, limit,
                                     [this](const Uuid& id) { return in_flight_.contains(id); });
    if (!loaded) {
        read_failed(loaded.error());
        return room;
    }
    const bool all = loaded->size() < limit;
    for (auto& queued : *loaded) {
        end(std::move(queued));
    }
    if (!all) {
        return room;
    }
    if (auto next = reader_->next_due(lane.device, which, before)) {
        source.disk_due = *next;
    } else {
        read_failed(next.error());
    }
    return room;
}

}  // namespace merpati::scheduler
