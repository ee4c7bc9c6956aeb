#include "scheduler/in_flight.hpp"

#include <algorithm>
#include <utility>

namespace merpati::scheduler {

InFlight::InFlight(Lane& lane, store::QueuedMessage queued, bool in_window)
    : lane_(lane),
      connector_(lane.connector()),
      queued_(std::move(queued)),
      probe_(lane.outage().is_probing()),
      in_window_(in_window) {
    ++lane_.flights_;
    lane_.in_window_ += in_window_ ? 1 : 0;
}

InFlight::~InFlight() {
    --lane_.flights_;
    lane_.in_window_ -= in_window_ ? 1 : 0;
}

void InFlight::give_file(media::FilePtr file, const WaitSpan& fetch) {
    file_ = std::move(file);
    fetch_ = fetch;
}

void InFlight::begin(Timestamp now) {
    began_ = now;
    events_.clear();
}

void InFlight::count_in_pace(Timestamp now, Millis jitter, Millis day_left) {
    paced_ = lane_.pacer().sent(now, jitter, day_left);
}

store::Intent InFlight::begin_recording(bool returns_if_suppressed) {
    stage_ = Stage::recording;
    return {.message = message().id,
            .device = message().device,
            .source = message().source,
            .queued_at = queued_.queued_at,
            .unless_suppressed = returns_if_suppressed
                                     ? model::PhoneNumber::parse(message().recipient)
                                     : std::nullopt,
            .account = message().account};
}

Timestamp InFlight::note_failing(Timestamp now) {
    const auto since = std::max(queued_.failing_since.value_or(now), lane_.pause().until);
    queued_.failing_since = since;
    return since;
}

void InFlight::order_events() {
    std::ranges::sort(events_, {}, &model::MessageEvent::at);
}

store::Finish InFlight::finish(model::Completion completion,
                               std::optional<model::Callback> callback) {
    store::Finish work{.message = std::move(queued_.message),
                       .queued_at = queued_.queued_at,
                       .completion = std::move(completion),
                       .callback = std::move(callback),
                       .sent = is_begun() ? lane_.pacer().record() : std::nullopt,
                       .events = std::move(events_)};
    stage_ = Stage::committing;
    return work;
}

store::Finish InFlight::withdraw(Timestamp at) {
    stage_ = Stage::committing;
    return {.message = std::move(queued_.message),
            .queued_at = queued_.queued_at,
            .completion = {.finished_at = at},
            .withdrawn = true};
}

store::Reschedule InFlight::reschedule(Timestamp queue_at, std::string details) {
    stage_ = Stage::committing;
    return {.message = message().id,
            .device = message().device,
            .source = message().source,
            .queued_at = queued_.queued_at,
            .queue_at = queue_at,
            .attempts = queued_.attempts,
            .failing_since = queued_.failing_since,
            .crashes = queued_.crashes,
            .perhaps_sent = queued_.perhaps_sent,
            .as_template = queued_.as_template,
            .last_details = std::move(details),
            .sent = lane_.pacer().record(),
            .events = std::move(events_)};
}

store::HandOver InFlight::hand_over(store::HandOver work) {
    stage_ = Stage::committing;
    work.message = message().id;
    work.device = message().device;
    work.source = message().source;
    work.queued_at = queued_.queued_at;
    work.attempts = queued_.attempts;
    work.perhaps_sent = queued_.perhaps_sent;
    work.failing_since = queued_.failing_since;
    work.crashes = queued_.crashes;
    work.as_template = queued_.as_template;
    work.sent = lane_.pacer().record();
    work.events = std::move(events_);
    return work;
}

store::QueuedMessage InFlight::take_rescheduled(Timestamp queued_at) {
    queued_.queued_at = queued_at;
    queued_.intent_recorded = false;
    return std::move(queued_);
}

}  // namespace merpati::scheduler
