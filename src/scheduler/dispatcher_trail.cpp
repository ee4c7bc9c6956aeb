// The dispatcher: tells what messages wait for, or have waited for.
#include <algorithm>

#include "scheduler/dispatcher.hpp"

namespace merpati::scheduler {

using model::WaitReason;

/// Called when a send begins: notes what the message waited for since it was due.
void Dispatcher::note_waits(InFlight& flight) {
    flight.begin(now_);
    auto& lane = flight.lane();
    lane.note_end_of_cap(now_);
    const auto due = flight.queued().queued_at;
    if (now_ - due < Scheduler::wait_noted_min) {
        return;
    }
    const auto outage = lane.outage().span(now_);  // This send shows that it is over.
    add_wait(flight, WaitReason::device, std::max(due, outage.from), outage.until);
    add_wait(flight, WaitReason::paused, std::max(due, lane.pause().from), lane.pause().until);
    add_wait(flight, WaitReason::cap, std::max(due, lane.cap().from), lane.cap().until);
    if (!lane.pacer().is_capped()) {
        add_wait(flight, WaitReason::pace, std::max(due, lane.cap().until),
                 lane.pacer().ready_at());
    }
    add_wait(flight, WaitReason::file, flight.fetch().from, flight.fetch().until);
    flight.order_events();
}

/// The message ends unsent, because its device was down for too long.
void Dispatcher::note_expired(InFlight& flight) {
    const auto due = flight.queued().queued_at;
    const auto since = flight.lane().outage().since().value_or(due);
    add_wait(flight, WaitReason::device, std::max(due, since), now_);
}

void Dispatcher::add_wait(InFlight& flight, WaitReason reason, Timestamp from, Timestamp until) {
    until = std::min(until, now_);
    if (until - from >= Scheduler::wait_noted_min) {
        flight.add_event(
            model::MessageEvent::wait(reason, wall_time_of(from), wall_time_of(until)));
    }
}

/// Converts queue time, by the current difference of the clocks.
Timestamp Dispatcher::wall_time_of(Timestamp time) const {
    return time + (wall_now_ - now_);
}

void Dispatcher::handle(ExplainRequested&& event) {
    event.done(wait_of(event.message));
}

Wait Dispatcher::wait_of(const store::QueuedMessage& queued) {
    const auto& message = *queued.message;
    if (const auto found = in_flight_.find(message.id); found != in_flight_.end()) {
        return {.reason = WaitReason::platform, .since = found->second.began()};
    }
    const auto lane = lanes_.find(message.device);
    const auto* awaiting = lane == lanes_.end()
                               ? nullptr
                               : lane->second->source(message.source).fetches().find(message.id);
    const auto due = awaiting != nullptr ? awaiting->queued.queued_at : queued.queued_at;
    if (due > now_) {
        const auto reason = queued.attempts > 0 ? WaitReason::retry : WaitReason::due;
        return {.reason = reason, .until = due};
    }
    auto wait =
        lane == lanes_.end() ? Wait{.reason = WaitReason::device} : wait_of_lane(*lane->second);
    if (wait.reason == WaitReason::queue && awaiting != nullptr && awaiting->file == nullptr) {
        return {.reason = WaitReason::file, .since = awaiting->began};
    }
    const bool is_of_sends = wait.reason == WaitReason::pace || wait.reason == WaitReason::cap;
    if (wait.since && is_of_sends) {
        wait.since = std::max(*wait.since, due);
    }
    return wait;
}

Wait Dispatcher::wait_of_lane(const Lane& lane) const {
    if (committer_.condition().is_damaged(lane.device()) || !may_send()) {
        return {.reason = WaitReason::disk};
    }
    if (lane.is_paused()) {
        return {.reason = WaitReason::paused, .since = lane.pause().from};
    }
    const auto& outage = lane.outage();
    if (!lane.connected()) {
        return {.reason = WaitReason::device, .since = outage.since()};
    }
    const auto& pacer = lane.pacer();
    const bool capped = pacer.is_capped() && pacer.ready_at() > now_;
    if (outage.is_probing() && !capped) {
        const auto next = lane.may_send_at();
        return {.reason = WaitReason::device,
                .since = outage.since(),
                .until = next > now_ ? std::optional{next} : std::nullopt};
    }
    if (pacer.ready_at() > now_) {
        return {.reason = pacer.is_capped() ? WaitReason::cap : WaitReason::pace,
                .since = pacer.sent_at(),
                .until = pacer.ready_at()};
    }
    return {.reason = WaitReason::queue};
}

}  // namespace merpati::scheduler
