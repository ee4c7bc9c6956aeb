// The dispatcher: reads messages that come due, ends those that waited too long.
#include <algorithm>
#include <tuple>
#include <unordered_set>

#include "model/texts.hpp"
#include "scheduler/dispatcher.hpp"

namespace merpati::scheduler {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t load_max = 1'024;  // Of one read, which delays other lanes.
/// Of the first read of a lane: after a start, or when many lanes were attached, each begins soon.
constexpr std::size_t first_load_max = LaneMemory::reserve;
constexpr std::size_t expire_max = 256;  // Overdue messages of one lane that are being ended.
constexpr Millis wait_max = 10s;         // A lane that waits longer keeps nothing in memory.

}  // namespace

bool Dispatcher::sends_soon(const Lane& lane) const {
    return lane.connected() && !lane.is_paused() && lane.may_send_at() <= now_ + wait_max;
}

/// A message is kept in memory only if it is due soon and no message on disk goes before it.
void Dispatcher::enqueue(Lane& lane, store::QueuedMessage queued) {
    const auto which = queued.message->source;
    auto& source = lane.source(which);
    const auto due = queued.queued_at;
    const auto first = [&] { return !source.disk_due() || *source.disk_due() > due; };
    const bool soon = due <= now_ + options_.horizon && sends_soon(lane);
    if (soon && first() && memory_.room(lane, which) == 0) {
        make_room(lane, source, due);
    }
    if (soon && first() && memory_.room(lane, which) > 0) {
        memory_.push(source, std::move(queued));
    } else {
        source.note_on_disk(due);
    }
}

/// Evicts messages that go after one of `source` that is due at `due`: campaign messages first.
void Dispatcher::make_room(Lane& lane, LaneSource& source, Timestamp due) {
    auto& campaign = lane.source(model::Source::campaign);
    if (&source != &campaign && !campaign.memory().empty()) {
        memory_.evict_later_half(campaign);
    } else if (!source.memory().empty() && due < source.memory().latest()) {
        memory_.evict_later_half(source);
    }
}

bool Dispatcher::needs_load(const Lane& lane, model::Source which) const {
    const auto& source = lane.source(which);
    return source.disk_due() && (source.disk_first() || memory_.low(lane, which));
}

/// Reads when the first message on disk is nearly due, and then all that are due within the
/// horizon, so that a lane with a long queue needs few reads.
void Dispatcher::load_due(Lane& lane) {
    const Timestamp soon = now_ + load_ahead();
    for (const auto which : {model::Source::api, model::Source::campaign}) {
        const auto& source = lane.source(which);
        if (needs_load(lane, which) && *source.disk_due() <= soon && lane.may_send_at() <= soon) {
            load(lane, which);
        }
    }
}

void Dispatcher::load(Lane& lane, model::Source which) {
    auto& source = lane.source(which);
    if (now_ < lane.next_read_at()) {
        return;
    }
    const bool goes_first = source.memory().empty() || source.disk_first();
    if (goes_first && memory_.room(lane, which) < LaneMemory::reserve / 2) {
        make_room(lane, source, *source.disk_due());
    }
    const auto most = lane.has_read(which) ? load_max : first_load_max;
    const auto limit = std::min(memory_.room(lane, which), most);
    // A read for a few messages does not pay while there is something to send.
    const bool few = limit < LaneMemory::reserve / 2 && !source.memory().empty();
    if (limit == 0 || few) {
        return;
    }
    std::unordered_set<Uuid> in_memory;
    source.memory().for_each(
        [&in_memory](const auto& queued) { in_memory.insert(queued.message->id); });
    auto loaded = read(lane, which, now_ + options_.horizon + 1ms, limit, [&](const Uuid& id) {
        return in_memory.contains(id) || is_taken_out(source, id);
    });
    if (loaded) {
        lane.note_read(which);
        loaded_in_step_ += loaded->size();
        for (auto& queued : *loaded) {
            memory_.push_loaded(source, std::move(queued));
        }
    }
}

/// Whether the message is in memory or in flight, but not in the source's heap.
bool Dispatcher::is_taken_out(const LaneSource& source, const model::MessageId& id) const {
    return in_flight_.contains(id) || source.fetches().contains(id);
}

/// Reads messages that are due before `before`, and updates `disk_due` to what follows them. Empty:
/// the read failed.
std::optional<std::vector<store::QueuedMessage>> Dispatcher::read(Lane& lane, model::Source which,
                                                                  Timestamp before,
                                                                  std::size_t limit,
                                                                  const store::Known& known) {
    auto loaded = reader_->load_lane(lane.device(), which, before, limit, known);
    if (!loaded) {
        read_failed(lane, loaded.error());
        return std::nullopt;
    }
    auto& source = lane.source(which);
    if (loaded->size() == limit) {
        source.note_read(loaded->back().queued_at);  // The others go after these.
    } else if (auto next = reader_->next_due(lane.device(), which, before)) {
        source.note_read(*next);
    } else {
        read_failed(lane, next.error());
    }
    for (auto& queued : *loaded) {  // A crash interrupted a send that was begun.
        queued.perhaps_sent = queued.perhaps_sent || queued.intent_recorded;
    }
    return std::move(*loaded);
}

/// Pauses the reads of this lane alone. Damage stops it (Condition::is_damaged).
void Dispatcher::read_failed(Lane& lane, const Error& error) {
    lane.pause_reads(now_ + store_pause);
    report(error);
}

void Dispatcher::report(const Error& error) {
    const bool is_damage = error.code == ErrorCode::damaged;
    if (options_.on_store_error && (is_damage || now_ >= report_from_)) {
        report_from_ = is_damage ? report_from_ : now_ + store_pause;
        options_.on_store_error(error);
    }
}

/// Messages of a lane that cannot send wait until `give_up` after its device went down, or after a
/// pause that ended later; then those that are due are ended, a few at a time.
void Dispatcher::expire(Lane& lane) {
    const auto from = std::max(lane.outage().since().value_or(now_), lane.pause().until);
    const auto ends_at =
        std::max<Timestamp>({from + options_.give_up, give_up_from_, lane.give_up_from()});
    if (now_ >= ends_at) {
        std::size_t room = 0;
        if (in_flight_.size() + memory_.awaiting() < options_.memory_max) {
            room = expire_max - std::min(expire_max, lane.in_window());
        }
        room = expire(lane, model::Source::api, room);
        std::ignore = expire(lane, model::Source::campaign, room);
    }
    auto next = lane.memory_due(memory_.awaiting_max());
    if (const auto disk = lane.disk_due(); disk && (!next || *disk < *next)) {
        next = disk;
    }
    if (next) {
        timers_.arm(
            lane, std::max<Timestamp>({*next, ends_at, now_ + memory_pause, lane.next_read_at()}));
    }
}

/// Ends at most `room` messages that are due; returns how much of `room` is left.
std::size_t Dispatcher::expire(Lane& lane, model::Source which, std::size_t room) {
    auto& source = lane.source(which);
    const auto end = [&](store::QueuedMessage queued) {
        --room;
        if (!settle_interrupted(lane, queued)) {
            finish_unsent(lane, std::move(queued), model::StatusCode::failed,
                          model::details::device_down);
        }
    };
    while (room > 0 && !source.memory().empty() && source.memory().top().queued_at <= now_) {
        end(memory_.pop(source));
    }
    const bool due = source.disk_due() && *source.disk_due() <= now_;
    if (room == 0 || !due || now_ < lane.next_read_at()) {
        return room;
    }
    // No message in memory is due any more: they were ended above.
    auto loaded = read(lane, which, now_ + 1ms, room,
                       [&](const Uuid& id) { return is_taken_out(source, id); });
    if (loaded) {
        for (auto& queued : *loaded) {
            end(std::move(queued));
        }
    }
    return room;
}

}  // namespace merpati::scheduler
