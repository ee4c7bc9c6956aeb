// The dispatcher: runs one lane and begins its sends.
#include <algorithm>

#include "model/texts.hpp"
#include "scheduler/dispatcher.hpp"

namespace merpati::scheduler {
namespace {

constexpr std::size_t sends_max = 64;  // Of one lane, before the next lane is run.
// Between two tries of a suspect while its connector has another one; drawn anew each time, so that
// many suspects follow each other closely.
constexpr std::uint64_t suspect_pause_min = 500;
constexpr std::uint64_t suspect_pause_max = 1'500;
// For the statuses that a platform reports again after a start.
constexpr Millis interrupted_wait_min{10'000};

}  // namespace

void Dispatcher::run_lane(Lane& lane) {
    if (lane.is_expecting() && !lane.is_leaving()) {
        arrive(lane);
    }
    if (lane.is_expecting() || lane.is_leaving()) {
        return;
    }
    if (!lane.connected() && !lane.outage().since() && now_ >= give_up_from_) {
        lane.outage().begin(now_);  // Its device is unknown.
    }
    if (lane.outage().needs_storing()) {
        store_outage(lane);
    }
    if (draining_ || committer_.condition().is_damaged(lane.device())) {
        return;  // Outcomes could not be recorded; its messages stay where they are.
    }
    if (!sends_soon(lane)) {
        memory_.evict(lane);
    }
    if (lane.is_paused()) {
        count(lane);
        return;  // Its device's next change makes it ready.
    }
    // A probe that is due or in flight may still show that the device works again.
    const bool probe_may_succeed = lane.in_window() > 0 || lane.may_send_at() <= now_;
    if (!lane.connected() || (lane.outage().is_probing() && !probe_may_succeed)) {
        expire(lane);
    }
    if (lane.connected()) {
        lane.set_window(std::max<std::size_t>(
            1, options_.window != 0 ? options_.window : lane.connector()->capabilities()->window));
        load_due(lane);
        send_due(lane);
        schedule_next_run(lane);
    }
    count(lane);
}

void Dispatcher::count(Lane& lane) {
    if (lane.busy_changed()) {
        busy_lanes_ = lane.idle() ? busy_lanes_ - 1 : busy_lanes_ + 1;
    }
}

void Dispatcher::send_due(Lane& lane) {
    for (std::size_t sent = 0; sent < sends_max && !lane.is_window_full(); ++sent) {
        if (lane.may_send_at() > now_ || !may_send()) {
            return;
        }
        auto* source = lane.next_due(now_, memory_.awaiting_max());
        if (source == nullptr) {
            return;
        }
        if (source->fetches().has_file()) {
            send_with_file(lane, *source);
        } else {
            check_and_send(lane, memory_.pop(*source));
        }
    }
}

/// Ends or holds a message that must not be sent; otherwise begins its send, or the fetch of its
/// file.
void Dispatcher::check_and_send(Lane& lane, store::QueuedMessage queued) {
    const auto& message = *queued.message;
    if (is_withheld(queued)) {
        withdraw(add_in_flight(lane, std::move(queued)));
        return;
    }
    if (options_.recipient_possible && !options_.recipient_possible(message.recipient)) {
        finish_unsent(lane, std::move(queued), model::StatusCode::recipient_invalid,
                      model::details::recipient_invalid);
        return;
    }
    if (settle_interrupted(lane, queued)) {
        return;
    }
    if (message.filled_template != nullptr && lane.connector() != nullptr &&
        !lane.connector()->capabilities()->templates) {
        finish_unsent(lane, std::move(queued), model::StatusCode::failed,
                      model::details::template_unsupported);
        return;
    }
    if (message.type == model::MessageType::media) {
        await_file(lane, std::move(queued));
    } else {
        begin_send(add_in_flight(lane, std::move(queued)));
    }
}

/// Takes a message out of its lane whose send a crash interrupted, if it must not be repeated, or
/// not yet. False: it is treated as if its send had not begun.
bool Dispatcher::settle_interrupted(Lane& lane, store::QueuedMessage& queued) {
    if (!queued.intent_recorded) {
        return false;
    }
    auto* const connector = lane.connector();
    const auto abilities =
        connector != nullptr ? connector->capabilities() : connector::CapabilitiesPtr{};
    const auto within = abilities != nullptr ? abilities->status_within : std::nullopt;
    if (within) {
        const auto must_hold = connector->holds_unknown(lane.device());
        await_lost_answer(add_in_flight(lane, std::move(queued)),
                          std::max(*within, interrupted_wait_min),
                          std::string{model::details::unknown}, must_hold);
        return true;
    }
    if (!is_sent_once(connector, *queued.message)) {
        return false;
    }
    hold(add_in_flight(lane, std::move(queued)), model::details::held);
    return true;
}

/// Counts the send in the pace, records the intent if it is needed, and sends. The pace counts it
/// before the intent is durable, so that no other send begins meanwhile.
void Dispatcher::begin_send(InFlight& flight) {
    if (must_wait_as_suspect(flight)) {
        return;
    }
    note_waits(flight);
    const auto jitter_max = flight.lane().pacer().pace().jitter_max;
    const auto jitter = random_.between(0, static_cast<std::uint64_t>(jitter_max.count()));
    const auto midnight = std::chrono::floor<std::chrono::days>(wall_now_) + std::chrono::days{1};
    flight.count_in_pace(now_, Millis{static_cast<std::int64_t>(jitter)}, midnight - wall_now_);
    const auto& message = flight.message();
    if (flight.queued().intent_recorded || !needs_intent(flight.connector(), message)) {
        send(flight);
        return;
    }
    committer_.record_intent(
        flight.begin_recording(returns_if_suppressed(flight.queued())),
        [this, id = message.id](const store::Intent& intent) {
            if (intent.damaged) {
                post_(Committed{.message = id});  // Its lane has stopped.
            } else {
                post_(IntentRecorded{.message = id, .recorded = intent.recorded});
            }
        });
}

/// True: its connector has another suspect. The message is put back, for a later attempt.
bool Dispatcher::must_wait_as_suspect(InFlight& flight) {
    if (flight.queued().crashes == 0) {
        return false;
    }
    if (!with_suspect_.insert(flight.connector()).second) {
        const Millis pause{
            static_cast<std::int64_t>(random_.between(suspect_pause_min, suspect_pause_max))};
        reschedule(flight, now_ + pause, std::string{model::details::crashed});
        return true;
    }
    flight.begin_suspicion();
    return false;
}

void Dispatcher::send(InFlight& flight) {
    ++attempts_;
    flight.begin_sending();
    const auto& queued = flight.queued();
    // If the connector reports from within `send`, its outcome comes back as an event, too.
    flight.connector()->send({.message = *queued.message,
                              .attempt = queued.attempts + 1,
                              .file = flight.file(),
                              .as_template = queued.as_template});
}

void Dispatcher::schedule_next_run(Lane& lane) {
    if (lane.is_window_full()) {
        return;  // The next commit makes the lane ready.
    }
    // A source that is blocked by fetches does not count: its next file makes the lane ready.
    auto next = Timestamp::max();
    if (const auto due = lane.memory_due(memory_.awaiting_max())) {
        next = std::max(*due, lane.may_send_at());
    }
    for (const auto which : {model::Source::api, model::Source::campaign}) {
        if (needs_load(lane, which)) {
            const Timestamp at =
                std::max(*lane.source(which).disk_due(), lane.may_send_at()) - load_ahead();
            // Due but not loaded: memory is short, or a read failed. Not again at once.
            next = std::min(
                next,
                at > now_ ? at : std::max<Timestamp>(now_ + memory_pause, lane.next_read_at()));
        }
    }
    if (next <= now_) {
        make_ready(lane);
    } else if (next != Timestamp::max()) {
        timers_.arm(lane, next);
    }
}

}  // namespace merpati::scheduler
