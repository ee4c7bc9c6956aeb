// The dispatcher: tells what messages wait for, or have waited for.
#include <algorithm>

#include "scheduler/dispatcher.hpp"

namespace merpati::scheduler {

using model::WaitReason;

/// Called when a send begins: notes what the message waited for since it was due.
void Dispatcher::note_waits(InFlight& flight) {
    flight.began = now_;
    flight.events.clear();
    auto& lane = *flight.lane;
    const auto due = flight.queued.queued_at;
    const auto ready_at = lane.pacer.ready_at();
    if (lane.pacer.is_capped() && ready_at <= now_) {
        lane.cap = {.from = lane.pacer.sent_at().value_or(ready_at), .until = ready_at};
    }
    if (now_ - due < Scheduler::wait_noted_min) {
        return;
    }
    if (lane.down_since) {  // This send shows that the outage is over.
        add_wait(flight, WaitReason::device, std::max(due, *lane.down_since), now_);
    } else {
        add_wait(flight, WaitReason::device, std::max(due, lane.outage.from), lane.outage.until);
    }
    add_wait(flight, WaitReason::paused, std::max(due, lane.pause.from), lane.pause.until);
    add_wait(flight, WaitReason::cap, std::max(due, lane.cap.from), lane.cap.until);
    if (!lane.pacer.is_capped()) {
        add_wait(flight, WaitReason::pace, std::max(due, lane.cap.until), ready_at);
    }
    if (flight.fetch_began && flight.fetched_at) {
        add_wait(flight, WaitReason::file, *flight.fetch_began, *flight.fetched_at);
    }
    std::ranges::sort(flight.events, {}, &model::MessageEvent::at);
}

/// The lane's device can send again.
void Dispatcher::note_up(Lane& lane) {
    if (lane.down_since) {
        lane.outage = {.from = *lane.down_since, .until = now_};
        lane.down_since.reset();
    }
}

/// The message ends unsent, because its device was down for too long.
void Dispatcher::note_expired(InFlight& flight) {
    const auto due = flight.queued.queued_at;
    add_wait(flight, WaitReason::device, std::max(due, flight.lane->down_since.value_or(due)),
             now_);
}

void Dispatcher::add_wait(InFlight& flight, WaitReason reason, Timestamp from, Timestamp until) {
    until = std::min(until, now_);
    if (until - from >= Scheduler::wait_noted_min) {
        flight.events.push_back(
            model::MessageEvent::wait(reason, wall_time_of(from), wall_time_of(until)));
    }
}

/// Converts queue time, by the current difference of the clocks.
Timestamp Dispatcher::wall_time_of(Timestamp time) const {
    return time + (clock_.wall_now() - now_);
}

void Dispatcher::handle(ExplainRequested&& event) {
    event.done(wait_of(event.message));
}

Wait Dispatcher::wait_of(const store::QueuedMessage& queued) {
    const auto& message = *queued.message;
    const auto found = in_flight_.find(message.id);
    if (found != in_flight_.end() && found->second.stage != Stage::fetching) {
        return {.reason = WaitReason::platform, .since = found->second.began};
    }
    const auto due = found != in_flight_.end() ? found->second.queued.queued_at : queued.queued_at;
    if (due > now_) {
        const auto reason = queued.attempts > 0 ? WaitReason::retry : WaitReason::due;
        return {.reason = reason, .until = due};
    }
    const auto lane = lanes_.find(message.device);
    auto wait =
        lane == lanes_.end() ? Wait{.reason = WaitReason::device} : wait_of_lane(*lane->second);
    if (wait.reason == WaitReason::queue && found != in_flight_.end() &&
        found->second.file == nullptr) {
        return {.reason = WaitReason::file, .since = found->second.fetch_began};
    }
    const bool is_of_sends = wait.reason == WaitReason::pace || wait.reason == WaitReason::cap;
    if (wait.since && is_of_sends) {
        wait.since = std::max(*wait.since, due);
    }
    return wait;
}

Wait Dispatcher::wait_of_lane(const Lane& lane) const {
    if (committer_.condition().is_damaged(lane.device) || !may_send()) {
        return {.reason = WaitReason::disk};
    }
    if (lane.paused) {
        return {.reason = WaitReason::paused, .since = lane.pause.from};
    }
    if (!lane.connected()) {
        return {.reason = WaitReason::device, .since = lane.down_since};
    }
    const bool capped = lane.pacer.is_capped() && lane.pacer.ready_at() > now_;
    if (lane.probing && !capped) {
        const auto next = lane.may_send_at();
        return {.reason = WaitReason::device,
                .since = lane.down_since,
                .until = next > now_ ? std::optional{next} : std::nullopt};
    }
    if (lane.pacer.ready_at() > now_) {
        return {.reason = lane.pacer.is_capped() ? WaitReason::cap : WaitReason::pace,
                .since = lane.pacer.sent_at(),
                .until = lane.pacer.ready_at()};
    }
    return {.reason = WaitReason::queue};
}

}  // namespace merpati::scheduler
