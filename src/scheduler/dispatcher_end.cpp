// The dispatcher: handles outcomes, and ends messages without a send.
#include <algorithm>
#include <tuple>
#include <utility>

#include "base/assert.hpp"
#include "model/texts.hpp"
#include "scheduler/dispatcher.hpp"
#include "scheduler/doubt.hpp"
#include "scheduler/platform_text.hpp"

namespace merpati::scheduler {
namespace {

using namespace std::chrono_literals;
using model::MessageState;
using model::StatusCode;

constexpr Millis probe_first = 5s;
constexpr Millis probe_longest = 60s;
constexpr Millis asked_wait_min = 1s;
constexpr std::uint32_t crashes_max = 2;  // Of one message.

}  // namespace

void Dispatcher::store_down_since(Lane& lane) {
    // Fails only when the store stops; the next start then counts the outage from that moment.
    std::ignore = committer_.change_always(
        [device = lane.device, since = lane.down_since](store::Tables& tables) {
            return tables.set_down_since(device, since);
        },
        [](const Result<void>&) {});
    lane.down_since_stored = lane.down_since;
}

bool is_sent_once(const connector::Connector* connector, const model::Message& message) {
    return message.delivery == model::Delivery::at_most_once &&
           (connector == nullptr || !connector->capabilities()->recognises_repeats);
}

bool needs_intent(const connector::Connector* connector, const model::Message& message) {
    return message.campaign_row != 0 || is_sent_once(connector, message) ||
           (connector != nullptr && connector->capabilities()->status_within);
}

Dispatcher::InFlight& Dispatcher::add_in_flight(Lane& lane, store::QueuedMessage queued,
                                                bool in_window) {
    ++lane.flights;
    if (in_window) {
        ++lane.in_flight;
    }
    const auto id = queued.message->id;
    auto& flight = in_flight_[id];
    flight = {.queued = std::move(queued),
              .lane = &lane,
              .connector = lane.connector,
              .probe = lane.probing,
              .in_window = in_window};
    return flight;
}

void Dispatcher::handle_outcome(InFlight& flight, model::Outcome outcome) {
    if (std::exchange(flight.suspect, false)) {
        with_suspect_.erase(flight.connector);
    }
    if (outcome.kind == model::Outcome::Kind::restricted) {
        await_restriction(flight, outcome);
        return;
    }
    if (outcome.kind != model::Outcome::Kind::device_down) {
        note_working(flight);
        const bool counts = outcome.kind != model::Outcome::Kind::retry || !outcome.as_template;
        flight.queued.attempts += counts ? 1 : 0;
    }
    if (outcome.kind == model::Outcome::Kind::accepted &&
        !connector::is_platform_id(outcome.platform_id)) {
        outcome.kind = model::Outcome::Kind::unknown;  // No later status could be matched to it.
    }
    switch (outcome.kind) {
        case model::Outcome::Kind::sent:
            finish(flight,
                   {.state = MessageState::sent,
                    .code = StatusCode::sent,
                    .details = of_platform(std::move(outcome.details), model::details::sent),
                    .platform_id = of_platform(std::move(outcome.platform_id))});
            return;
        case model::Outcome::Kind::failed:
            finish(flight,
                   {.state = MessageState::failed,
                    .code = outcome.code,
                    .details = of_platform(std::move(outcome.details), model::details::failed),
                    .platform_id = of_platform(std::move(outcome.platform_id))});
            return;
        case model::Outcome::Kind::accepted:
            await_status(flight, std::move(outcome));
            return;
        case model::Outcome::Kind::retry:
            if (outcome.as_template) {
                send_as_template(flight, std::move(outcome));
            } else {
                retry(flight, std::move(outcome));
            }
            return;
        case model::Outcome::Kind::unknown:
            settle_unknown(flight, std::move(outcome));
            return;
        case model::Outcome::Kind::device_down:
        case model::Outcome::Kind::restricted:
            requeue(flight, outcome.retry_after);
            return;
    }
}

/// The platform has answered, so the device works.
void Dispatcher::note_working(InFlight& flight) {
    auto& lane = *flight.lane;
    if (flight.probe) {
        lane.probing = false;
    }
    if (!lane.probing && lane.connected()) {
        note_up(lane);
    }
}

/// The platform takes no free text now. Once this is committed, every send of the message is one of
/// the fallback template. That replaces only a text, and only once.
void Dispatcher::send_as_template(InFlight& flight, model::Outcome outcome) {
    auto text = of_platform(std::move(outcome.details));
    auto& queued = flight.queued;
    if (queued.as_template || queued.message->type == model::MessageType::media ||
        queued.message->filled_template != nullptr) {
        ++queued.attempts;
        finish(flight, {.state = MessageState::failed,
                        .code = outcome.code,
                        .details = of_platform(std::move(text), model::details::failed)});
        return;
    }
    queued.as_template = true;
    const auto wall = clock_.wall_now();
    flight.events.push_back({.step = model::MessageStep::attempted,
                             .at = wall,
                             .until = wall,
                             .code = static_cast<std::uint16_t>(outcome.code),
                             .details = text});
    reschedule(flight, queued.queued_at, std::move(text));
}

/// At least once: the message may be sent twice, but is not lost.
void Dispatcher::settle_unknown(InFlight& flight, model::Outcome outcome) {
    auto& queued = flight.queued;
    queued.crashes += outcome.crashed ? 1 : 0;
    if (outcome.status_within && !outcome.hold_unknown) {
        await_lost_answer(flight, *outcome.status_within, of_platform(std::move(outcome.details)),
                          false);
        return;
    }
    queued.perhaps_sent = true;
    if (outcome.hold_unknown || is_sent_once(flight.connector, *queued.message)) {
        hold(flight, model::details::held);
    } else if (outcome.crashed && queued.crashes >= crashes_max) {
        hold(flight, model::details::held_after_crashes);
    } else {
        retry(flight, std::move(outcome));
    }
}

void Dispatcher::retry(InFlight& flight, model::Outcome outcome) {
    auto text = of_platform(std::move(outcome.details));
    auto& failing_since = flight.queued.failing_since;
    failing_since = std::max(failing_since.value_or(now_), flight.lane->pause.until);
    const auto next =
        retry_.next(now_, *failing_since, flight.queued.attempts, outcome.retry_after, random_);
    if (next) {
        ++retries_;
        flight.events.push_back({.step = model::MessageStep::attempted,
                                 .at = clock_.wall_now(),
                                 .until = wall_time_of(*next),
                                 .code = static_cast<std::uint16_t>(outcome.code),
                                 .details = text});
        reschedule(flight, *next, std::move(text));
        return;
    }
    finish(flight, gave_up(text));
}

/// The device is down: the message keeps its position, and the lane pauses and probes.
void Dispatcher::requeue(InFlight& flight, std::optional<Millis> retry_after) {
    auto& lane = *flight.lane;
    lane.pacer.uncount(flight.paced);
    probe_later(lane, flight.probe, retry_after);
    if (flight.queued.intent_recorded) {
        reschedule(flight, flight.queued.queued_at, {});  // Clears the intent.
        return;
    }
    auto queued = std::move(flight.queued);
    auto& source = lane.source(queued.message->source);
    in_flight_.erase(queued.message->id);
    --lane.flights;
    --lane.in_flight;
    if (lane.leaving == nullptr) {
        memory_.push_loaded(source, std::move(queued));
    }
    make_ready(lane);
}

/// The pause is as long as the platform asks for, otherwise longer after each probe. Sends that
/// were in flight when the device went down change it only if the platform asks for a longer one.
void Dispatcher::probe_later(Lane& lane, bool is_probe, std::optional<Millis> retry_after) {
    const bool begins = !lane.probing;
    if (begins) {
        lane.probing = true;
        lane.probe_wait = 0ms;
        lane.down_since = lane.down_since.value_or(now_);
    }
    if (retry_after) {
        const auto until =
            now_ + std::max(std::min<Millis>(*retry_after, options_.give_up), asked_wait_min);
        lane.probe_at = begins || is_probe ? until : std::max<Timestamp>(lane.probe_at, until);
    } else if (begins || is_probe) {
        lane.probe_wait = std::clamp<Millis>(lane.probe_wait * 2, probe_first, probe_longest);
        lane.probe_at = now_ + lane.probe_wait;
    }
}

/// The message would begin a new chat: it waits for the end of the device's restriction, and others
/// go on. The wait does not count towards `scheduler.give_up`. The send shows that the device
/// works, but nothing reached the platform.
void Dispatcher::await_restriction(InFlight& flight, const model::Outcome& outcome) {
    note_working(flight);
    flight.lane->pacer.take_back(flight.paced);
    const auto wall = clock_.wall_now();
    const auto wait = restriction_wait(wall, outcome.restricted_until);
    flight.queued.failing_since.reset();
    flight.events.push_back(
        model::MessageEvent::wait(model::WaitReason::restricted, wall, wall + wait));
    reschedule(flight, now_ + wait, {});
}

/// Once this is committed, the message leaves the window; only a report on a passing failure brings
/// it back. A crash before the commit is treated as one in any other send.
void Dispatcher::await_status(InFlight& flight, model::Outcome outcome) {
    using enum model::WithoutStatus;
    const bool is_enough = outcome.undecided == model::Outcome::Undecided::sent;
    hand_over(flight,
              {.platform_id = std::move(outcome.platform_id),
               .decide_by = now_ + std::min<Millis>(outcome.decide_within, options_.give_up),
               .without_status = is_enough ? sent : failed,
               .at = clock_.wall_now()});
}

/// The platform may have the message, and would report that. Otherwise it is held if it must be, or
/// the account's choice decides; after `give_up` nobody knows.
void Dispatcher::await_lost_answer(InFlight& flight, Millis within, std::string details,
                                   bool must_hold) {
    using enum model::WithoutStatus;
    auto& queued = flight.queued;
    queued.failing_since = std::max(queued.failing_since.value_or(now_), flight.lane->pause.until);
    const auto decide_by = now_ + std::clamp<Millis>(within, 0ms, options_.give_up);
    auto without_status = repeated;
    if (must_hold || is_sent_once(flight.connector, *queued.message) ||
        queued.crashes >= crashes_max) {
        without_status = held;
    } else if (now_ - *queued.failing_since >= options_.give_up) {
        without_status = failed;
    }
    flight.events.push_back({.step = model::MessageStep::attempted,
                             .at = clock_.wall_now(),
                             .until = wall_time_of(decide_by),
                             .code = static_cast<std::uint16_t>(StatusCode::failed),
                             .details = std::move(details)});
    hand_over(flight, {.decide_by = decide_by, .without_status = without_status});
}

/// Adds to `work` what is known of the message.
void Dispatcher::hand_over(InFlight& flight, store::HandOver work) {
    flight.stage = Stage::committing;
    const auto& queued = flight.queued;
    const auto& message = *queued.message;
    work.message = message.id;
    work.device = message.device;
    work.source = message.source;
    work.queued_at = queued.queued_at;
    work.attempts = queued.attempts;
    work.perhaps_sent = queued.perhaps_sent;
    work.failing_since = queued.failing_since;
    work.crashes = queued.crashes;
    work.as_template = queued.as_template;
    work.sent = flight.lane->pacer.record();
    work.events = std::move(flight.events);
    committer_.hand_over(std::move(work), [this](const store::HandOver& done) {
        if (done.handed_over && options_.on_handed_over) {
            options_.on_handed_over(done.decide_by);
        }
        post_(Committed{.message = done.message});
    });
}

void Dispatcher::finish(InFlight& flight, model::Completion completion) {
    const bool begun = flight.stage == Stage::sending || flight.queued.intent_recorded;
    invariant(
        model::may_move(begun ? MessageState::sending : MessageState::pending, completion.state),
        "a message ends by a move of its states");
    flight.stage = Stage::committing;
    const auto sent = begun ? flight.lane->pacer.record() : std::nullopt;
    auto work = finish_of(flight, std::move(completion));
    work.sent = sent;
    committer_.finish(std::move(work), [this](store::Finish&& ended) {
        const auto id = ended.message->id;
        if (ended.finished) {
            on_finish_(std::move(ended));
        }
        post_(Committed{.message = id});
    });
}

/// Takes the message out of `flight`.
store::Finish Dispatcher::finish_of(InFlight& flight, model::Completion completion) {
    store::Finish finish;
    finish.queued_at = flight.queued.queued_at;
    finish.completion = std::move(completion);
    finish.completion.finished_at = clock_.wall_now();
    finish.completion.attempts = flight.queued.attempts;
    finish.completion.as_template = flight.queued.as_template;
    if (flight.began) {
        finish.completion.took = std::max(now_ - *flight.began, Millis{0});
    }
    finish.events = std::move(flight.events);
    if (flight.queued.perhaps_sent) {
        note_doubt(finish.completion);
    }
    finish.callback = callbacks_(*flight.queued.message, finish.completion);
    finish.message = std::move(flight.queued.message);
    return finish;
}

void Dispatcher::finish_unsent(Lane& lane, store::QueuedMessage queued, StatusCode code,
                               std::string_view details) {
    auto& flight = add_in_flight(lane, std::move(queued));
    if (details == model::details::device_down) {
        note_expired(flight);
    }
    finish(flight, {.state = MessageState::failed, .code = code, .details = std::string{details}});
}

void Dispatcher::hold(InFlight& flight, std::string_view details) {
    finish(
        flight,
        {.state = MessageState::held, .code = StatusCode::failed, .details = std::string{details}});
}

void Dispatcher::reschedule(InFlight& flight, Timestamp queue_at, std::string details) {
    flight.stage = Stage::committing;
    const auto& message = *flight.queued.message;
    committer_.reschedule(
        {.message = message.id,
         .device = message.device,
         .source = message.source,
         .queued_at = flight.queued.queued_at,
         .queue_at = queue_at,
         .attempts = flight.queued.attempts,
         .failing_since = flight.queued.failing_since,
         .crashes = flight.queued.crashes,
         .perhaps_sent = flight.queued.perhaps_sent,
         .as_template = flight.queued.as_template,
         .last_details = std::move(details),
         .sent = flight.lane->pacer.record(),
         .events = std::move(flight.events)},
        [this](const store::Reschedule& done) {
            post_(Committed{
                .message = done.message,
                .queue_at = done.rescheduled ? std::optional{done.queue_at} : std::nullopt});
        });
}

}  // namespace merpati::scheduler
