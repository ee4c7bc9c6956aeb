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
    const auto lanes = reader_->lanes();
    if (!lanes) {
        return pass(lanes);
    }
    for (const auto& summary : *lanes) {
        recover(lane_of(summary.device), summary.source, summary.due_from);
    }
    const auto records = reader_->lane_records();
    if (!records) {
        return pass(records);
    }
    for (const auto& record : *records) {
        recover(lane_of(record.device), record);
    }
    return {};
}

void Dispatcher::step(std::vector<Event>& events) {
    now_ = clock_.now();
    for (auto& event : events) {
        std::visit([this](auto&& one) { handle(std::forward<decltype(one)>(one)); },
                   std::move(event));
    }
    events.clear();
    while (auto* lane = timers_.take_due(now_)) {
        make_ready(*lane);
    }
    loaded_in_step_ = 0;
    // Each lane that is ready now is run once; those that become ready meanwhile, in the next step.
    for (std::size_t count = ready_lanes_.size();
         count > 0 && loaded_in_step_ < step_load_max && may_send(); --count) {
        auto& lane = *ready_lanes_.front();
        ready_lanes_.pop_front();
        lane.ready = false;
        run_lane(lane);
        if (lane.leaving != nullptr) {
            end_if_left(lane);
        } else if (!lane.known && !lane.recovered) {
            erase_if_unused(lane);
        }
    }
}

Timestamp Dispatcher::next_step_at() const {
    if (ready_lanes_.empty()) {
        return timers_.next();
    }
    return may_send() ? Timestamp::min() : now_ + memory_pause;
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
            .awaiting_files = awaiting_,
            .attempts_total = attempts_,
            .retries_total = retries_,
            .withdrawn_total = withdrawn_};
}

void Dispatcher::handle(Accepted&& event) {
    const auto& id = event.message->id;
    auto* lane = find_lane(event.message->device);
    // It may have been read from the store between its commit and this event.
    if (lane == nullptr || in_flight_.contains(id) ||
        lane->source(event.message->source).memory.is_loaded(id)) {
        return;
    }
    const auto due = event.message->due_at;
    enqueue(*lane, {.message = std::move(event.message), .queued_at = due});
    make_ready(*lane);
}

void Dispatcher::handle(Reported&& event) {
    const auto found = in_flight_.find(event.message);
    // The first outcome of a send counts; others, and those of no send, are ignored.
    if (found == in_flight_.end() || found->second.stage != Stage::sending) {
        return;
    }
    const auto* leaving = found->second.lane->leaving.get();
    if (leaving != nullptr && leaving->drops_outcomes) {
        drop(found->second);
    } else {
        handle_outcome(found->second, std::move(event.outcome));
    }
}

void Dispatcher::handle(IntentRecorded&& event) {
    const auto found = in_flight_.find(event.message);
    invariant(found != in_flight_.end(), "an intent belongs to a message in flight");
    auto& flight = found->second;
    flight.queued.intent_recorded = true;
    const auto* leaving = flight.lane->leaving.get();
    if (leaving != nullptr && leaving->drops_outcomes) {
        drop(flight);
    } else if (is_withheld(flight.queued)) {
        flight.lane->pacer.take_back(flight.paced);
        withdraw(flight);
    } else if (draining_ || leaving != nullptr || flight.lane->paused || !may_begin()) {
        flight.lane->pacer.take_back(flight.paced);
        reschedule(flight, flight.queued.queued_at, {});  // Clears the intent.
    } else {
        send(flight);
    }
}

void Dispatcher::handle(Committed&& event) {
    auto found = in_flight_.extract(event.message);
    invariant(!found.empty(), "what was committed was in flight");
    auto& flight = found.mapped();
    auto& lane = *flight.lane;
    if (flight.suspect) {
        with_suspect_.erase(flight.connector);  // Its send did not begin.
    }
    --lane.flights;
    if (flight.in_window) {
        --lane.in_flight;
    }
    if (event.queue_at && lane.leaving == nullptr) {
        flight.queued.queued_at = *event.queue_at;
        flight.queued.intent_recorded = false;
        enqueue(lane, std::move(flight.queued));
    }
    make_ready(lane);
}

/// The outcome of a send is not recorded: this process may not write it.
void Dispatcher::drop(InFlight& flight) {
    auto& lane = *flight.lane;
    if (flight.suspect) {
        with_suspect_.erase(flight.connector);
    }
    --lane.flights;
    if (flight.in_window) {
        --lane.in_flight;
    }
    in_flight_.erase(flight.queued.message->id);
    make_ready(lane);
}

void Dispatcher::handle(DeviceChanged&& event) {
    auto& lane = lane_of(event.device.number);
    if (lane.arriving != nullptr) {
        *lane.arriving = std::move(event.device);
    } else if (lane.leaving == nullptr) {
        change(lane, event.device);
    }
}

void Dispatcher::change(Lane& lane, const model::Device& device) {
    const bool was_known = lane.known;
    const bool was_connected = lane.connected();
    const bool was_up = was_connected && !lane.probing;
    lane.known = true;
    lane.state = device.state;
    lane.paused = device.pause.has_value();
    lane.pause.until = device.resumed_at;
    if (device.pause) {
        lane.pause.from = device.pause->since + clock_.offset();
    } else if (!was_known) {
        lane.pause.from = lane.pause.until;
    }
    lane.connector = connectors_.find(device.connector);
    lane.pacer.set(device.pace, device.created_at + clock_.offset());
    if (model::is_online(lane.state)) {
        lane.probing = false;
    }
    if (!lane.connected() && (was_up || !lane.down_since)) {
        lane.down_since = now_;
    } else if (lane.connected() && was_known && !was_connected) {
        note_up(lane);  // After a start the first send decides this.
    }
    make_ready(lane);
}

void Dispatcher::handle(DeviceRemoved&& event) {
    auto& lane = lane_of(event.device);
    lane.arriving.reset();
    lane.known = false;
    lane.recovered = false;
    lane.connector = nullptr;
    lane.paused = false;
    lane.pacer = Pacer{};
    lane.down_since = lane.down_since_stored = now_;  // For messages that still wait in it.
    // Fails only when the store stops; then one row stays that nothing reads.
    std::ignore = committer_.change_always(
        [device = event.device](store::Tables& tables) { return tables.forget_lane(device); },
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
        probe_later(*lane, false, is_asked ? std::optional{event.retry_after} : std::nullopt);
        make_ready(*lane);
    }
}

Lane& Dispatcher::lane_of(model::PhoneNumber device) {
    auto& lane = lanes_[device];
    if (lane == nullptr) {
        lane = std::make_unique<Lane>();
        lane->device = device;
    }
    return *lane;
}

Lane* Dispatcher::find_lane(model::PhoneNumber device) {
    const auto found = lanes_.find(device);
    return found == lanes_.end() || found->second->leaving != nullptr ? nullptr
                                                                      : found->second.get();
}

void Dispatcher::make_ready(Lane& lane) {
    if (!lane.ready) {
        lane.ready = true;
        ready_lanes_.push_back(&lane);
    }
}

/// The end of a send, commit or fetch makes its lane ready, so the last one leads here.
void Dispatcher::erase_if_unused(Lane& lane) {
    count(lane);
    if (!lane.ready && lane.idle() && lane.flights == 0 && !lane.is_fetching()) {
        erase(lane);
    }
}

void Dispatcher::erase(Lane& lane) {
    timers_.disarm(lane);
    const auto device = lane.device;
    lanes_.erase(device);
}

}  // namespace merpati::scheduler
