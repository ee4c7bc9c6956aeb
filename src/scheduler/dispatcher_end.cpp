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

constexpr std::uint32_t crashes_max = 2;  // Of one message.

}  // namespace

void Dispatcher::store_outage(Lane& lane) {
    // Fails only when the store stops; the next start then counts the outage from that moment.
    std::ignore = committer_.change_always(
        [device = lane.device(), since = lane.outage().take_for_store()](store::Tables& tables) {
            return tables.set_down_since(device, since);
        },
        [](const Result<void>&) {});
}

bool is_sent_once(const connector::Connector* connector, const model::Message& message) {
    return message.delivery == model::Delivery::at_most_once &&
           (connector == nullptr || !connector->capabilities()->recognises_repeats);
}

bool needs_intent(const connector::Connector* connector, const model::Message& message) {
    return message.campaign_row != 0 || is_sent_once(connector, message) ||
           (connector != nullptr && connector->capabilities()->status_within);
}

InFlight& Dispatcher::add_in_flight(Lane& lane, store::QueuedMessage queued, bool in_window) {
    const auto id = queued.message->id;
    const auto added = in_flight_.try_emplace(id, lane, std::move(queued), in_window);
    invariant(added.second, "a message is in flight once");
    return added.first->second;
}

void Dispatcher::handle_outcome(InFlight& flight, model::Outcome outcome) {
    end_suspicion(flight);
    if (outcome.kind == model::Outcome::Kind::restricted) {
        await_restriction(flight, outcome);
        return;
    }
    if (outcome.kind != model::Outcome::Kind::device_down) {
        flight.lane().note_working(flight.is_probe(), now_);
        if (outcome.kind != model::Outcome::Kind::retry || !outcome.as_template) {
            flight.count_attempt();
        }
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

/// The platform takes no free text now. Once this is committed, every send of the message is one of
/// the fallback template. That replaces only a text, and only once.
void Dispatcher::send_as_template(InFlight& flight, model::Outcome outcome) {
    auto text = of_platform(std::move(outcome.details));
    const auto& queued = flight.queued();
    if (queued.as_template || queued.message->type == model::MessageType::media ||
        queued.message->filled_template != nullptr) {
        flight.count_attempt();
        finish(flight, {.state = MessageState::failed,
                        .code = outcome.code,
                        .details = of_platform(std::move(text), model::details::failed)});
        return;
    }
    flight.become_template();
    const auto wall = wall_now_;
    flight.add_event({.step = model::MessageStep::attempted,
                      .at = wall,
                      .until = wall,
                      .code = static_cast<std::uint16_t>(outcome.code),
                      .details = text});
    reschedule(flight, queued.queued_at, std::move(text));
}

/// At least once: the message may be sent twice, but is not lost.
void Dispatcher::settle_unknown(InFlight& flight, model::Outcome outcome) {
    if (outcome.crashed) {
        flight.count_crash();
    }
    if (outcome.status_within && !outcome.hold_unknown) {
        await_lost_answer(flight, *outcome.status_within, of_platform(std::move(outcome.details)),
                          false, std::move(outcome.sent_as));
        return;
    }
    flight.note_perhaps_sent();
    if (outcome.hold_unknown || is_sent_once(flight.connector(), flight.message())) {
        hold(flight, model::details::held);
    } else if (outcome.crashed && flight.queued().crashes >= crashes_max) {
        hold(flight, model::details::held_after_crashes);
    } else {
        retry(flight, std::move(outcome));
    }
}

void Dispatcher::retry(InFlight& flight, model::Outcome outcome) {
    auto text = of_platform(std::move(outcome.details));
    const auto failing_since = flight.note_failing(now_);
    const auto next =
        retry_.next(now_, failing_since, flight.queued().attempts, outcome.retry_after, random_);
    if (next) {
        ++retries_;
        flight.add_event({.step = model::MessageStep::attempted,
                          .at = wall_now_,
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
    auto& lane = flight.lane();
    flight.uncount_in_pace();
    lane.outage().probe_later(now_, flight.is_probe(), retry_after, options_.give_up);
    if (flight.queued().intent_recorded) {
        reschedule(flight, flight.queued().queued_at, {});  // Clears the intent.
        return;
    }
    auto queued = flight.take_unsent();
    auto& source = lane.source(queued.message->source);
    in_flight_.erase(queued.message->id);
    if (!lane.is_leaving()) {
        memory_.push_loaded(source, std::move(queued));
    }
    make_ready(lane);
}

/// The message would begin a new chat: it waits for the end of the device's restriction, and others
/// go on. The wait does not count towards `scheduler.give_up`. The send shows that the device
/// works, but nothing reached the platform.
void Dispatcher::await_restriction(InFlight& flight, const model::Outcome& outcome) {
    flight.lane().note_working(flight.is_probe(), now_);
    flight.take_back_from_pace();
    const auto wall = wall_now_;
    const auto wait = restriction_wait(wall, outcome.restricted_until);
    flight.forget_failing();
    flight.add_event(model::MessageEvent::wait(model::WaitReason::restricted, wall, wall + wait));
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
               .sent_as = std::move(outcome.sent_as),
               .at = wall_now_});
}

/// The platform may have the message, and would report that. Otherwise it is held if it must be, or
/// the account's choice decides; after `give_up` nobody knows.
void Dispatcher::await_lost_answer(InFlight& flight, Millis within, std::string details,
                                   bool must_hold,
                                   std::shared_ptr<const model::SentTemplate> sent_as) {
    using enum model::WithoutStatus;
    const auto failing_since = flight.note_failing(now_);
    const auto decide_by = now_ + std::clamp<Millis>(within, 0ms, options_.give_up);
    auto without_status = repeated;
    if (must_hold || is_sent_once(flight.connector(), flight.message()) ||
        flight.queued().crashes >= crashes_max) {
        without_status = held;
    } else if (now_ - failing_since >= options_.give_up) {
        without_status = failed;
    }
    flight.add_event({.step = model::MessageStep::attempted,
                      .at = wall_now_,
                      .until = wall_time_of(decide_by),
                      .code = static_cast<std::uint16_t>(StatusCode::failed),
                      .details = std::move(details)});
    hand_over(
        flight,
        {.decide_by = decide_by, .without_status = without_status, .sent_as = std::move(sent_as)});
}

void Dispatcher::hand_over(InFlight& flight, store::HandOver work) {
    committer_.hand_over(flight.hand_over(std::move(work)), [this](const store::HandOver& done) {
        if (done.handed_over && options_.on_handed_over) {
            options_.on_handed_over(done.decide_by);
        }
        post_(Committed{.message = done.message});
    });
}

void Dispatcher::finish(InFlight& flight, model::Completion completion) {
    const auto state = flight.is_begun() ? MessageState::sending : MessageState::pending;
    invariant(model::may_move(state, completion.state), "a message ends by a move of its states");
    committer_.finish(finish_of(flight, std::move(completion)), [this](store::Finish&& ended) {
        const auto id = ended.message->id;
        if (ended.finished) {
            on_finish_(std::move(ended));
        }
        post_(Committed{.message = id});
    });
}

/// Takes the message out of `flight`.
store::Finish Dispatcher::finish_of(InFlight& flight, model::Completion completion) {
    const auto& queued = flight.queued();
    completion.finished_at = wall_now_;
    completion.attempts = queued.attempts;
    completion.as_template = queued.as_template;
    if (const auto began = flight.began()) {
        completion.took = std::max(now_ - *began, Millis{0});
    }
    if (queued.perhaps_sent) {
        note_doubt(completion);
    }
    auto callback = callbacks_(flight.message(), completion);
    return flight.finish(std::move(completion), std::move(callback));
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
    committer_.reschedule(
        flight.reschedule(queue_at, std::move(details)), [this](const store::Reschedule& done) {
            post_(Committed{
                .message = done.message,
                .queue_at = done.rescheduled ? std::optional{done.queue_at} : std::nullopt});
        });
}

}  // namespace merpati::scheduler
