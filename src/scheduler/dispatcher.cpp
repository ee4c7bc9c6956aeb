#include "scheduler/dispatcher.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/assert.hpp"

namespace merpati::scheduler {
namespace {

using namespace std::chrono_literals;

constexpr Millis start_grace = 30s;           // As long as a device may be reconnecting.
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
    auto lanes = reader_->lanes();
    if (!lanes) {
        return pass(lanes);
    }
    for (const auto& summary : *lanes) {
        auto& lane = lane_of(summary.device);
        lane.recovered = true;
        lane.source(summary.source).note_on_disk(summary.due_from);
        make_ready(lane);
    }
    auto records = reader_->lane_records();
    if (!records) {
        return pass(records);
    }
    for (const auto& record : *records) {
        auto& lane = lane_of(record.device);
        lane.recovered = true;
        lane.down_since = lane.down_since_stored = record.down_since;
        if (record.sent) {
            lane.pacer.restore(*record.sent);
        }
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
        if (!lane.known && !lane.recovered) {
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
    return committer_.condition().may_send(in_flight());
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
    auto& lane = lane_of(event.message->device);
    // It may have been read from the store between its commit and this event.
    if (in_flight_.contains(id) || lane.source(event.message->source).memory.is_loaded(id)) {
        return;
    }
    const auto due = event.message->due_at;
    enqueue(lane, {.message = std::move(event.message), .queued_at = due});
    make_ready(lane);
}

void Dispatcher::handle(Reported&& event) {
    const auto found = in_flight_.find(event.message);
    // The first outcome of a send counts; others, and those of no send, are ignored.
    if (found != in_flight_.end() && found->second.stage == Stage::sending) {
        handle_outcome(found->second, std::move(event.outcome));
    }
}

void Dispatcher::handle(IntentRecorded&& event) {
    const auto found = in_flight_.find(event.message);
    invariant(found != in_flight_.end(), "an intent belongs to a message in flight");
    auto& flight = found->second;
    flight.queued.intent_recorded = true;
    if (is_withheld(flight.queued)) {
        flight.lane->pacer.take_back(flight.paced);
        withdraw(flight);
    } else if (draining_ || flight.lane->paused) {
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
    if (flight.in_window) {
        --lane.in_flight;
    }
    if (event.queue_at) {
        flight.queued.queued_at = *event.queue_at;
        flight.queued.intent_recorded = false;
        enqueue(lane, std::move(flight.queued));
    }
    make_ready(lane);
}

void Dispatcher::handle(DeviceChanged&& event) {
    const auto& device = event.device;
    auto& lane = lane_of(device.number);
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
    auto& lane = lane_of(event.device);
    lane.source(event.source).note_on_disk(event.due);
    make_ready(lane);
}

void Dispatcher::handle(WentDown&& event) {
    auto& lane = lane_of(event.device);
    const bool is_asked = event.retry_after > Millis{0};
    probe_later(lane, false, is_asked ? std::optional{event.retry_after} : std::nullopt);
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
        ready_lanes_.push_back(&lane);
    }
}

/// The end of a send, commit or fetch makes its lane ready, so the last one leads here.
void Dispatcher::erase_if_unused(Lane& lane) {
    count(lane);
    const bool used =
        lane.ready || !lane.idle() ||
        std::ranges::any_of(
            lane.sources, [](const LaneSource& source) { return source.fetches.in_flight > 0; }) ||
        std::ranges::any_of(in_flight_,
                            [&lane](const auto& entry) { return entry.second.lane == &lane; });
    if (!used) {
        timers_.disarm(lane);
        const auto device = lane.device;
        lanes_.erase(device);
    }
}

}  // namespace merpati::scheduler
