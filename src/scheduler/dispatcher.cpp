#include "scheduler/dispatcher.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/assert.hpp"

namespace merpati::scheduler {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t step_load_max = 4'096;  // Messages read before events are handled again.

}  // namespace

Dispatcher::Dispatcher(const QueueClock& clock, Random& random, store::Committer& committer,
                       const connector::Connectors& connectors, const CallbackFactory& callbacks,
                       const FinishListener& on_finish, const Options& options, Post post)
    : clock_(clock),
      random_(random),
      committer_(committer),
      connectors_(connectors),
      callbacks_(callbacks),
      on_finish_(on_finish),
      options_(options),
      retry_(options.retry_policy()),
      post_(std::move(post)),
      memory_(options_) {}

Result<void> Dispatcher::recover(std::unique_ptr<store::LaneReader> reader) {
    reader_ = std::move(reader);
    now_ = clock_.now();
    give_up_from_ = now_ + std::min<Millis>(start_grace, options_.give_up);
    if (options_.starts_empty) {
        return {};
    }
    const auto lanes = reader_->lanes();
    if (!lanes) {
        return pass(lanes);
    }
    for (const auto& summary : *lanes) {
        auto& lane = lane_of(summary.device);
        lane.recover(summary.source, summary.due_from);
        make_ready(lane);
    }
    const auto records = reader_->lane_records();
    if (!records) {
        return pass(records);
    }
    for (const auto& record : *records) {
        lane_of(record.device).recover(record);
    }
    return {};
}

void Dispatcher::step(std::vector<Event>& events) {
    now_ = clock_.now();
    wall_now_ = clock_.wall_now();
    for (auto& event : events) {
        std::visit([this](auto&& one) { handle(std::forward<decltype(one)>(one)); },
                   std::move(event));
    }
    events.clear();
    arrive_some();
    while (auto* lane = timers_.take_due(now_)) {
        make_ready(*lane);
    }
    loaded_in_step_ = 0;
    // Each lane that is ready now is run once; those that become ready meanwhile, in the next step.
    for (std::size_t count = ready_lanes_.size();
         count > 0 && loaded_in_step_ < step_load_max && may_send(); --count) {
        auto& lane = ready_lanes_.take_first();
        run_lane(lane);
        if (lane.is_leaving()) {
            end_if_left(lane);
        } else if (lane.is_superfluous()) {
            erase_if_unused(lane);
        }
    }
}

Timestamp Dispatcher::next_step_at() const {
    auto next = timers_.next();
    if (!ready_lanes_.empty()) {
        next = may_send() ? Timestamp::min() : now_ + memory_pause;
    }
    return arriving_.empty() ? next : std::min(next, arrive_at_);
}

/// No send is begun unless the disk is sure to have room for its outcome.
bool Dispatcher::may_send() const {
    return may_begin() && committer_.condition().may_send(in_flight());
}

bool Dispatcher::may_begin() const {
    return !options_.may_begin || options_.may_begin();
}

Counts Dispatcher::counts() const noexcept {
    return {.lanes = busy_lanes_,
            .messages_in_memory = memory_.messages(),
            .sends_in_flight = in_flight(),
            .awaiting_files = memory_.awaiting(),
            .attempts_total = attempts_,
            .retries_total = retries_,
            .withdrawn_total = withdrawn_};
}

void Dispatcher::handle(Accepted&& event) {
    const auto& id = event.message->id;
    auto* lane = find_lane(event.message->device);
    // It may have been read from the store between its commit and this event.
    if (lane == nullptr || in_flight_.contains(id) ||
        lane->source(event.message->source).is_loaded(id)) {
        return;
    }
    const auto due = event.message->due_at;
    enqueue(*lane, {.message = std::move(event.message), .queued_at = due});
    make_ready(*lane);
}

void Dispatcher::handle(Reported&& event) {
    const auto found = in_flight_.find(event.message);
    // The first outcome of a send counts; others, and those of no send, are ignored.
    if (found == in_flight_.end() || found->second.stage() != InFlight::Stage::sending) {
        return;
    }
    if (found->second.lane().drops_outcomes()) {
        drop(found->second);
    } else {
        handle_outcome(found->second, std::move(event.outcome));
    }
}

void Dispatcher::handle(IntentRecorded&& event) {
    const auto found = in_flight_.find(event.message);
    invariant(found != in_flight_.end(), "an intent belongs to a message in flight");
    auto& flight = found->second;
    const auto& lane = flight.lane();
    flight.note_intent();
    if (lane.drops_outcomes()) {
        drop(flight);
    } else if (!event.recorded || is_withheld(flight.queued())) {
        flight.take_back_from_pace();
        withdraw(flight);
    } else if (draining_ || lane.is_leaving() || lane.is_paused() || !may_begin()) {
        flight.take_back_from_pace();
        reschedule(flight, flight.queued().queued_at, {});  // Clears the intent.
    } else {
        send(flight);
    }
}

void Dispatcher::handle(Committed&& event) {
    auto found = in_flight_.extract(event.message);
    invariant(!found.empty(), "what was committed was in flight");
    auto& flight = found.mapped();
    auto& lane = flight.lane();
    end_suspicion(flight);  // Its send did not begin.
    if (event.queue_at && !lane.is_leaving()) {
        enqueue(lane, flight.take_rescheduled(*event.queue_at));
    }
    make_ready(lane);
}

/// The outcome of a send is not recorded: this process may not write it.
void Dispatcher::drop(InFlight& flight) {
    auto& lane = flight.lane();
    end_suspicion(flight);
    const auto id = flight.message().id;
    in_flight_.erase(id);
    make_ready(lane);
}

/// Its connector may have another suspect.
void Dispatcher::end_suspicion(InFlight& flight) {
    if (flight.end_suspicion()) {
        with_suspect_.erase(flight.connector());
    }
}

void Dispatcher::handle(DeviceChanged&& event) {
    auto& lane = lane_of(event.device.number);
    if (lane.is_expecting()) {
        lane.expect(std::move(event.device));
    } else if (!lane.is_leaving()) {
        change(lane, event.device);
    }
}

void Dispatcher::change(Lane& lane, const model::Device& device) {
    lane.change(device, connectors_.find(device.connector), now_, clock_.offset());
    make_ready(lane);
}

void Dispatcher::handle(DeviceRemoved&& event) {
    auto& lane = lane_of(event.device);
    lane.take_expected().reset();  // Or it would come back when its rows are read.
    lane.remove(now_);
    // The removal took the row, but outcomes and outages may have been written since. If this
    // fails, because the store stops, the row stays until the number is added again.
    std::ignore = committer_.change_always(
        [device = event.device, account = event.account](store::Tables& tables) {
            return tables.forget_lane(device, account);
        },
        [](const Result<void>&) {});
    make_ready(lane);
}

void Dispatcher::handle(QueuedOnDisk&& event) {
    if (auto* lane = find_lane(event.device)) {
        lane->source(event.source).note_on_disk(event.due);
        make_ready(*lane);
    }
}

void Dispatcher::handle(WentDown&& event) {
    if (auto* lane = find_lane(event.device)) {
        const bool is_asked = event.retry_after > Millis{0};
        lane->outage().probe_later(now_, false,
                                   is_asked ? std::optional{event.retry_after} : std::nullopt,
                                   options_.give_up);
        make_ready(*lane);
    }
}

Lane& Dispatcher::lane_of(model::PhoneNumber device) {
    auto& lane = lanes_[device];
    if (lane == nullptr) {
        lane = std::make_unique<Lane>(device);
    }
    return *lane;
}

Lane* Dispatcher::find_lane(model::PhoneNumber device) {
    const auto found = lanes_.find(device);
    return found == lanes_.end() || found->second->is_leaving() ? nullptr : found->second.get();
}

/// The end of a send, commit or fetch makes its lane ready, so the last one leads here.
void Dispatcher::erase_if_unused(Lane& lane) {
    count(lane);
    if (!lane.is_ready() && lane.idle() && lane.flights() == 0 && !lane.is_fetching()) {
        erase(lane);
    }
}

void Dispatcher::erase(Lane& lane) {
    timers_.disarm(lane);
    const auto device = lane.device();
    lanes_.erase(device);
}

}  // namespace merpati::scheduler
