// The dispatcher's sending: a lane has its turn.
#include <algorithm>

#include "scheduler/details.hpp"
#include "scheduler/dispatcher.hpp"

namespace merpati::scheduler {
namespace {

constexpr std::size_t turn_max = 64;  // Sends of one lane before the next lane's turn.

}  // namespace

void Dispatcher::take_turn(Lane& lane) {
    if (!lane.connected() && !lane.down_since && now_ >= give_up_from_) {
        lane.down_since = now_;  // Messages of a device that nobody knows.
    }
    if (lane.down_since != lane.down_since_stored) {
        store_down_since(lane);
    }
    if (draining_ || committer_.condition().is_damaged(lane.device)) {
        return;  // What is damaged cannot be recorded: its messages stay where they are.
    }
    if (rests(lane)) {
        leave_to_disk(lane);
    }
    // A probe that is due or under way may yet tell that the device is back.
    const bool probe_tells = lane.probing && (lane.in_flight > 0 || lane.may_send_at() <= now_);
    if (!lane.connected() || (lane.probing && !probe_tells)) {
        expire(lane);
    }
    if (lane.connected()) {
        load_due(lane);
        send_due(lane);
        plan_next_turn(lane);
    }
    count(lane);
}

void Dispatcher::count(Lane& lane) {
    const bool busy = !lane.idle();
    if (busy && !lane.counted) {
        ++busy_lanes_;
    } else if (!busy && lane.counted) {
        --busy_lanes_;
    }
    lane.counted = busy;
}

void Dispatcher::send_due(Lane& lane) {
    for (std::size_t sent = 0; sent < turn_max && lane.in_flight < lane.places(); ++sent) {
        if (lane.may_send_at() > now_ || !may_send()) {
            return;
        }
        auto* source = lane.next_due(now_);
        if (source == nullptr || blocked_by_fetches(lane)) {
            return;
        }
        if (source->with_file.empty()) {
            start(lane, memory_.take(*source));
        } else {
            begin(take_with_file(*source));
        }
    }
}

/// What keeps a message from the platform altogether is seen here; the rest is handed over.
void Dispatcher::start(Lane& lane, store::QueuedMessage queued) {
    const auto& message = *queued.message;
    if (options_.recipient_possible && !options_.recipient_possible(message.recipient)) {
        finish_unsent(lane, std::move(queued), model::StatusCode::recipient_invalid,
                      details::recipient_invalid);
        return;
    }
    if (queued.intent_recorded && is_careful(lane.connector, message)) {
        hold(fly(lane, std::move(queued)));  // A crash interrupted its send.
    } else if (message.type == model::MessageType::media) {
        await_file(lane, std::move(queued));
    } else {
        begin(fly(lane, std::move(queued)));
    }
}

/// Its turn has come, and nothing is missing.
void Dispatcher::begin(InFlight& flight) {
    auto& lane = *flight.lane;
    const auto jitter =
        random_.between(0, static_cast<std::uint64_t>(lane.pacer.pace().jitter_max.count()));
    const auto wall = clock_.wall_now();
    const auto midnight = std::chrono::floor<std::chrono::days>(wall) + std::chrono::days{1};
    lane.pacer.sent(now_, Millis{static_cast<std::int64_t>(jitter)}, midnight - wall);
    const auto& going = *flight.queued.message;
    if (!is_careful(flight.connector, going)) {
        hand_over(flight);
        return;
    }
    flight.stage = Stage::recording;
    committer_.record_intent({.message = going.id,
                              .device = going.device,
                              .source = going.source,
                              .queued_at = flight.queued.queued_at},
                             [this, id = going.id](const store::Intent& intent) {
                                 if (intent.damaged) {
                                     post_(Committed{.message = id});  // Its lane is at its end.
                                 } else {
                                     post_(IntentRecorded{.message = id});
                                 }
                             });
}

void Dispatcher::hand_over(InFlight& flight) {
    ++attempts_;
    flight.stage = Stage::sending;
    // The connector may report from within `send`; that comes back as an event, like any other.
    flight.connector->send({.message = *flight.queued.message,
                            .attempt = flight.queued.attempts + 1,
                            .file = flight.file.get()});
}

void Dispatcher::plan_next_turn(Lane& lane) {
    if (lane.in_flight >= lane.places()) {
        return;  // The next commit gives the lane its turn.
    }
    if (blocked_by_fetches(lane)) {
        return;  // The next file does.
    }
    auto next = Timestamp::max();
    if (const auto due = lane.memory_due()) {
        next = std::max(*due, lane.may_send_at());
    }
    for (const auto& source : lane.sources) {
        if (wants_load(lane, source)) {
            const Timestamp at = std::max(*source.disk_due, lane.may_send_at()) - load_ahead();
            // Not loaded although due: memory is short, or a read failed. Not at once again.
            next = std::min(
                next, at > now_ ? at : std::max<Timestamp>(now_ + memory_pause, read_again_at_));
        }
    }
    if (next <= now_) {
        make_ready(lane);
    } else if (next != Timestamp::max()) {
        timers_.arm(lane, next);
    }
}

}  // namespace merpati::scheduler
