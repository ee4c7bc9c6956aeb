#include "scheduler/dispatcher.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "scheduler/details.hpp"

namespace merpati::scheduler {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t turn_max = 64;  // Sends of one lane before the next lane's turn.
constexpr Millis probe_first = 5s;
constexpr Millis probe_longest = 60s;

}  // namespace

Dispatcher::Dispatcher(const Clock& clock, Random& random, store::Committer& committer,
                       const connector::Connectors& connectors, const CallbackFactory& callbacks,
                       const FinishListener& on_finish, const Options& options, Post post)
    : clock_(clock),
      random_(random),
      committer_(committer),
      connectors_(connectors),
      callbacks_(callbacks),
      on_finish_(on_finish),
      options_(options),
      retry_{
          .first = options.retry_first, .longest = options.retry_max, .give_up = options.give_up},
      post_(std::move(post)) {}

Result<void> Dispatcher::recover(std::unique_ptr<store::Reader> reader) {
    reader_ = std::move(reader);
    auto lanes = reader_->lanes();
    if (!lanes) {
        return pass(lanes);
    }
    for (const auto& summary : *lanes) {
        auto& lane = lane_of(summary.device);
        lane.source(summary.source).note_on_disk(summary.due_from);
        make_ready(lane);
    }
    return {};
}

void Dispatcher::step(std::vector<Event>& events) {
    now_ = clock_.now();
    for (auto& event : events) {
        std::visit([this](auto&& one) { handle(std::move(one)); }, event);
    }
    events.clear();
    while (!timers_.empty() && timers_.top().at <= now_) {
        auto& lane = *timers_.top().lane;
        timers_.pop();
        lane.timer_at = Timestamp::max();
        make_ready(lane);
    }
    // One turn for each lane that stands in the round now; those that want another come later.
    for (std::size_t turns = round_.size(); turns > 0; --turns) {
        auto& lane = *round_.front();
        round_.pop_front();
        lane.ready = false;
        take_turn(lane);
    }
}

Timestamp Dispatcher::next_step_at() const {
    if (!round_.empty()) {
        return Timestamp::min();
    }
    return timers_.empty() ? Timestamp::max() : timers_.top().at;
}

Counts Dispatcher::counts() const noexcept {
    return {.lanes = lanes_.size(),
            .messages_in_memory = in_memory_,
            .sends_in_flight = in_flight_.size(),
            .attempts_total = attempts_,
            .retries_total = retries_};
}

void Dispatcher::handle(Accepted&& event) {
    auto& lane = lane_of(event.message->device);
    auto& source = lane.source(event.message->source);
    const auto due = event.message->due_at;
    // It may have been read from the store between its commit and this event.
    if (in_flight_.contains(event.message->id) || source.memory.knows(event.message->id)) {
        return;
    }
    // In memory only where nothing that goes before it waits on disk.
    const bool soon = due <= now_ + options_.horizon;
    const bool first = !source.disk_due || *source.disk_due > due;
    const bool room =
        lane.in_memory() < options_.lane_memory_max && in_memory_ < options_.memory_max;
    if (soon && first && room) {
        ++in_memory_;
        source.memory.push({.message = std::move(event.message), .queued_at = due});
    } else {
        source.note_on_disk(due);
    }
    make_ready(lane);
}

void Dispatcher::handle(Reported&& event) {
    const auto found = in_flight_.find(event.message);
    if (found == in_flight_.end() || found->second.queued.message == nullptr) {
        return;  // Reported twice: the first outcome counts.
    }
    auto& flight = found->second;
    auto& lane = *flight.lane;
    auto& outcome = event.outcome;
    if (outcome.kind != model::Outcome::Kind::device_down) {
        lane.probing = false;
        ++flight.queued.attempts;
    }
    switch (outcome.kind) {
        case model::Outcome::Kind::sent:
            finish(flight, {.state = model::MessageState::sent,
                            .code = model::StatusCode::sent,
                            .details = std::move(outcome.details),
                            .platform_id = std::move(outcome.platform_id)});
            return;
        case model::Outcome::Kind::failed:
            finish(flight, {.state = model::MessageState::failed,
                            .code = outcome.code,
                            .details = std::move(outcome.details),
                            .platform_id = std::move(outcome.platform_id)});
            return;
        case model::Outcome::Kind::retry:
            report_failure(flight, std::move(outcome));
            return;
        case model::Outcome::Kind::unknown:
            if (must_hold(lane, flight.queued)) {
                finish(flight, {.state = model::MessageState::held,
                                .code = model::StatusCode::failed,
                                .details = std::string{details::held}});
            } else {
                report_failure(flight, std::move(outcome));
            }
            return;
        case model::Outcome::Kind::device_down:
            put_back(flight);
            return;
    }
}

void Dispatcher::report_failure(InFlight& flight, model::Outcome outcome) {
    const auto next = retry_.next(now_, flight.queued.message->due_at, flight.queued.attempts,
                                  outcome.retry_after, random_);
    if (next) {
        ++retries_;
        reschedule(flight, *next, std::move(outcome.details));
        return;
    }
    finish(flight, {.state = model::MessageState::failed,
                    .code = model::StatusCode::failed,
                    .details = std::string{details::gave_up} + ": " + outcome.details});
}

/// The device was down: the message keeps its place, the lane pauses and probes.
void Dispatcher::put_back(InFlight& flight) {
    auto& lane = *flight.lane;
    lane.probe_wait = lane.probing ? std::min(lane.probe_wait * 2, probe_longest) : probe_first;
    lane.probing = true;
    lane.probe_at = now_ + lane.probe_wait;
    if (flight.queued.intent_recorded) {
        reschedule(flight, flight.queued.queued_at, {});  // Takes the intent back.
        return;
    }
    auto queued = std::move(flight.queued);
    const auto id = queued.message->id;
    lane.source(queued.message->source).memory.push_known(std::move(queued));
    ++in_memory_;
    --lane.in_flight;
    in_flight_.erase(id);
    make_ready(lane);
}

void Dispatcher::handle(IntentRecorded&& event) {
    const auto found = in_flight_.find(event.message);
    invariant(found != in_flight_.end(), "an intent belongs to a message in flight");
    found->second.queued.intent_recorded = true;
    hand_over(found->second);
}

void Dispatcher::handle(Committed&& event) {
    auto found = in_flight_.extract(event.message);
    if (found.empty()) {
        return;
    }
    auto& flight = found.mapped();
    auto& lane = *flight.lane;
    if (flight.windowed) {
        --lane.in_flight;
    }
    if (event.queue_at && flight.queued.message != nullptr) {
        auto& source = lane.source(flight.queued.message->source);
        const bool first = !source.disk_due || *source.disk_due > *event.queue_at;
        if (first && *event.queue_at <= now_ + options_.horizon) {
            flight.queued.queued_at = *event.queue_at;
            flight.queued.attempts = event.attempts;
            flight.queued.intent_recorded = false;
            source.memory.push(std::move(flight.queued));
            ++in_memory_;
        } else {
            source.note_on_disk(*event.queue_at);
        }
    }
    make_ready(lane);
}

void Dispatcher::handle(DeviceChanged&& event) {
    const auto& device = event.device;
    auto& lane = lane_of(device.number);
    lane.known = true;
    lane.state = device.state;
    lane.connector = connectors_.find(device.connector);
    lane.pacer.set(device.pace);
    if (lane.connector != nullptr) {
        lane.window = std::max<std::size_t>(
            1, options_.window != 0 ? options_.window : lane.connector->capabilities().window);
    }
    if (lane.state == model::DeviceState::connected) {
        lane.probing = false;
    }
    make_ready(lane);
}

void Dispatcher::handle(DeviceRemoved&& event) {
    auto& lane = lane_of(event.device);
    lane.known = false;
    lane.connector = nullptr;
}

void Dispatcher::handle(Cancelled&& event) {
    const auto id = event.message.message->id;
    auto& lane = lane_of(event.message.message->device);
    if (in_flight_.contains(id)) {
        event.done(fail(ErrorCode::conflict, "the message is being sent"));
        return;
    }
    auto& source = lane.source(event.message.message->source);
    if (auto here = source.memory.remove(id)) {
        --in_memory_;
        event.message = std::move(*here);
    }
    auto& flight = fly(lane, std::move(event.message), false);
    store::Finish work;
    work.queued_at = flight.queued.queued_at;
    work.completion = {.state = model::MessageState::cancelled,
                       .code = model::StatusCode::failed,
                       .details = std::string{details::cancelled},
                       .finished_at = now_,
                       .attempts = flight.queued.attempts};
    work.callback = callbacks_(*flight.queued.message, work.completion);
    work.message = std::move(flight.queued.message);
    committer_.finish(
        std::move(work), [this, id, done = std::move(event.done)](store::Finish&& ended) mutable {
            const bool finished = ended.finished;
            if (finished) {
                on_finish_(std::move(ended));
            }
            done(finished ? Result<void>{} : fail(ErrorCode::conflict, "the message has ended"));
            post_(Committed{.message = id});
        });
}

void Dispatcher::handle(Woken&& event) {
    auto& lane = lane_of(event.device);
    lane.source(event.source).note_on_disk(event.due);
    make_ready(lane);
}

Lane& Dispatcher::lane_of(model::PhoneNumber device) {
    auto& lane = lanes_[device];
    if (lane == nullptr) {
        lane = std::make_unique<Lane>();
        lane->device = device;
    }
    return *lane;
}

void Dispatcher::make_ready(Lane& lane) {
    if (!lane.ready) {
        lane.ready = true;
        round_.push_back(&lane);
    }
}

void Dispatcher::arm(Lane& lane, Timestamp at) {
    // An earlier timer stays armed and merely finds little to do.
    if (at < lane.timer_at) {
        lane.timer_at = at;
        timers_.push({.at = at, .lane = &lane});
    }
}

void Dispatcher::take_turn(Lane& lane) {
    if (draining_) {
        return;
    }
    if (!lane.connected()) {
        expire(lane);
        return;
    }
    for (const auto source : {model::Source::api, model::Source::campaign}) {
        const auto due = lane.source(source).disk_due;
        const bool low = lane.source(source).memory.size() < options_.lane_memory_max / 4;
        if (due && low && *due <= now_ + options_.horizon) {
            load(lane, source);
        }
    }
    send_due(lane);
    plan_next_turn(lane);
}

void Dispatcher::send_due(Lane& lane) {
    const std::size_t window = lane.probing ? 1 : lane.window;
    for (std::size_t sent = 0; sent < turn_max && lane.in_flight < window; ++sent) {
        if (lane.pacer.ready_at() > now_ || (lane.probing && lane.probe_at > now_)) {
            return;
        }
        auto* source = lane.next_due(now_);
        if (source == nullptr) {
            return;
        }
        --in_memory_;
        start(lane, source->memory.pop());
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
    if (queued.intent_recorded && must_hold(lane, queued)) {
        auto& flight = fly(lane, std::move(queued), true);
        finish(flight, {.state = model::MessageState::held,
                        .code = model::StatusCode::failed,
                        .details = std::string{details::held}});
        return;
    }
    const auto jitter =
        random_.between(0, static_cast<std::uint64_t>(lane.pacer.pace().jitter_max.count()));
    lane.pacer.sent(now_, Millis{static_cast<std::int64_t>(jitter)});
    auto& flight = fly(lane, std::move(queued), true);
    if (!must_hold(lane, flight.queued)) {
        hand_over(flight);
        return;
    }
    const auto& going = *flight.queued.message;
    committer_.record_intent({.message = going.id,
                              .device = going.device,
                              .source = going.source,
                              .queued_at = flight.queued.queued_at},
                             [this, id = going.id] { post_(IntentRecorded{.message = id}); });
}

void Dispatcher::hand_over(InFlight& flight) {
    ++attempts_;
    // The connector may report from within `send`; that comes back as an event, like any other.
    flight.lane->connector->send(
        {.message = *flight.queued.message, .attempt = flight.queued.attempts + 1});
}

/// Whether a crash in mid-send would leave the message to the operator.
bool Dispatcher::must_hold(const Lane& lane, const store::QueuedMessage& queued) const {
    return queued.message->delivery == model::Delivery::at_most_once &&
           !lane.connector->capabilities().recognises_repeats;
}

void Dispatcher::plan_next_turn(Lane& lane) {
    if (lane.in_flight >= (lane.probing ? 1 : lane.window)) {
        return;  // The next commit gives the lane its turn.
    }
    std::optional<Timestamp> next = lane.memory_due();
    if (next) {
        next = std::max(*next, lane.pacer.ready_at());
        if (lane.probing) {
            next = std::max(*next, lane.probe_at);
        }
    }
    if (const auto disk = lane.disk_due();
        disk && lane.in_memory() < options_.lane_memory_max / 4) {
        const Timestamp load_at = *disk - options_.horizon;
        // Not loaded although due: memory was short or a read failed. Not at once again.
        const auto at = load_at <= now_ ? now_ + memory_pause : load_at;
        next = next ? std::min(*next, at) : at;
    }
    if (!next) {
        return;
    }
    if (*next <= now_) {
        make_ready(lane);
    } else {
        arm(lane, *next);
    }
}

Dispatcher::InFlight& Dispatcher::fly(Lane& lane, store::QueuedMessage queued, bool windowed) {
    if (windowed) {
        ++lane.in_flight;
    }
    const auto id = queued.message->id;
    auto& flight = in_flight_[id];
    flight = {.queued = std::move(queued), .lane = &lane, .windowed = windowed};
    return flight;
}

void Dispatcher::finish_unsent(Lane& lane, store::QueuedMessage queued, model::StatusCode code,
                               std::string_view details) {
    auto& flight = fly(lane, std::move(queued), true);
    finish(flight,
           {.state = model::MessageState::failed, .code = code, .details = std::string{details}});
}

void Dispatcher::finish(InFlight& flight, model::Completion completion) {
    store::Finish work;
    work.queued_at = flight.queued.queued_at;
    work.completion = std::move(completion);
    work.completion.finished_at = now_;
    work.completion.attempts = flight.queued.attempts;
    work.callback = callbacks_(*flight.queued.message, work.completion);
    work.message = std::move(flight.queued.message);
    committer_.finish(std::move(work), [this](store::Finish&& ended) {
        const auto id = ended.message->id;
        if (ended.finished) {
            on_finish_(std::move(ended));
        }
        post_(Committed{.message = id});
    });
}

void Dispatcher::reschedule(InFlight& flight, Timestamp queue_at, std::string details) {
    const auto& message = *flight.queued.message;
    committer_.reschedule(
        {.message = message.id,
         .device = message.device,
         .source = message.source,
         .queued_at = flight.queued.queued_at,
         .queue_at = queue_at,
         .attempts = flight.queued.attempts,
         .last_details = std::move(details)},
        [this](const store::Reschedule& done) {
            post_(Committed{
                .message = done.message,
                .queue_at = done.rescheduled ? std::optional{done.queue_at} : std::nullopt,
                .attempts = done.attempts});
        });
}

}  // namespace merpati::scheduler
