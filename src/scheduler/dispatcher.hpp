// The scheduler's core, without its thread: events in, sends and commits out.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <unordered_map>
#include <variant>
#include <vector>

#include "scheduler/lane.hpp"
#include "scheduler/retry_policy.hpp"
#include "scheduler/scheduler.hpp"

namespace merpati::scheduler {

/// What the dispatcher is told. Events of one message come in the order in which they happened.
struct Accepted {
    std::unique_ptr<model::Message> message;
};
struct Reported {
    model::MessageId message;
    model::Outcome outcome;
};
struct IntentRecorded {
    model::MessageId message;
};
/// A finish or reschedule of a message that was in flight is durable.
struct Committed {
    model::MessageId message;
    std::optional<Timestamp> queue_at;  // Set when it goes on waiting.
    std::uint32_t attempts = 0;
};
struct DeviceChanged {
    model::Device device;
};
struct DeviceRemoved {
    model::PhoneNumber device;
};
struct Cancelled {
    store::QueuedMessage message;
    std::move_only_function<void(Result<void>)> done;
};
struct Woken {
    model::PhoneNumber device;
    model::Source source = model::Source::api;
    Timestamp due;
};
using Event = std::variant<Accepted, Reported, IntentRecorded, Committed, DeviceChanged,
                           DeviceRemoved, Cancelled, Woken>;

/// Decides what leaves next. `step` handles events and lets the lanes that can go have one turn
/// each; `next_step_at` says when it wants to be called again without an event.
///
/// Threads: one at a time, the scheduler's. What it starts comes back as events through `post`.
class Dispatcher {
public:
    /// Takes an event for a later step. Called on the committer's thread.
    using Post = std::function<void(Event&&)>;

    Dispatcher(const Clock& clock, Random& random, store::Committer& committer,
               const connector::Connectors& connectors, const CallbackFactory& callbacks,
               const FinishListener& on_finish, const Options& options, Post post);

    /// Takes over the lanes that have waiting work. Errors: store_failed.
    [[nodiscard]] Result<void> recover(std::unique_ptr<store::Reader> reader);

    void step(std::vector<Event>& events);

    /// Timestamp::max() when only an event can give it work; `now` or earlier: at once.
    [[nodiscard]] Timestamp next_step_at() const;

    /// No more sends are started; what is in flight comes to its end.
    void drain() { draining_ = true; }
    [[nodiscard]] std::size_t in_flight() const noexcept { return in_flight_.size(); }

    [[nodiscard]] Counts counts() const noexcept;

    /// While all memory for messages is taken: until the next look at what waits on disk.
    static constexpr Millis memory_pause{100};

private:
    /// A message on its way: with the platform, or with the store.
    struct InFlight {
        store::QueuedMessage queued;  // `message` is null while the store has it.
        Lane* lane = nullptr;
        bool windowed = true;  // Holds a place in its lane's window.
    };

    void handle(Accepted&& event);
    void handle(Reported&& event);
    void handle(IntentRecorded&& event);
    void handle(Committed&& event);
    void handle(DeviceChanged&& event);
    void handle(DeviceRemoved&& event);
    void handle(Cancelled&& event);
    void handle(Woken&& event);

    [[nodiscard]] Lane& lane_of(model::PhoneNumber device);
    void make_ready(Lane& lane);
    void arm(Lane& lane, Timestamp at);
    void take_turn(Lane& lane);
    void send_due(Lane& lane);
    void start(Lane& lane, store::QueuedMessage queued);
    void hand_over(InFlight& flight);
    void plan_next_turn(Lane& lane);

    void load(Lane& lane, model::Source source);
    void expire(Lane& lane);

    void report_failure(InFlight& flight, model::Outcome outcome);
    void put_back(InFlight& flight);
    void finish(InFlight& flight, model::Completion completion);
    void finish_unsent(Lane& lane, store::QueuedMessage queued, model::StatusCode code,
                       std::string_view details);
    void reschedule(InFlight& flight, Timestamp queue_at, std::string details);
    [[nodiscard]] bool must_hold(const Lane& lane, const store::QueuedMessage& queued) const;
    InFlight& fly(Lane& lane, store::QueuedMessage queued, bool windowed);

    const Clock& clock_;
    Random& random_;
    store::Committer& committer_;
    const connector::Connectors& connectors_;
    const CallbackFactory& callbacks_;
    const FinishListener& on_finish_;
    const Options options_;
    const RetryPolicy retry_;
    Post post_;
    std::unique_ptr<store::Reader> reader_;

    std::unordered_map<model::PhoneNumber, std::unique_ptr<Lane>> lanes_;
    std::unordered_map<model::MessageId, InFlight> in_flight_;
    std::deque<Lane*> round_;  // Lanes that can do something now, each for one turn.

    struct Timer {
        Timestamp at;
        Lane* lane;
        bool operator>(const Timer& other) const { return at > other.at; }
    };
    std::priority_queue<Timer, std::vector<Timer>, std::greater<>> timers_;

    Timestamp now_{};
    std::size_t in_memory_ = 0;
    std::uint64_t attempts_ = 0;
    std::uint64_t retries_ = 0;
    bool draining_ = false;
};

}  // namespace merpati::scheduler
