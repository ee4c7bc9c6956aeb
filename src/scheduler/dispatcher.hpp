// The scheduler's core, without its thread: events in, sends and commits out.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <variant>
#include <vector>

#include "scheduler/lane.hpp"
#include "scheduler/lane_memory.hpp"
#include "scheduler/lane_timers.hpp"
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
/// A media message's file, or what becomes of the message without it.
struct Fetched {
    model::MessageId message;
    model::PhoneNumber device;
    media::FetchResult result;
};
using Event = std::variant<Accepted, Reported, IntentRecorded, Committed, DeviceChanged,
                           DeviceRemoved, Cancelled, Woken, Fetched>;

/// Whether a crash in mid-send would leave the message to the operator: its intent is recorded
/// first. Without a connector nobody can say, so yes.
[[nodiscard]] bool is_careful(const connector::Connector* connector, const model::Message& message);

/// Decides what leaves next. `step` handles events and lets the lanes that can go have one turn
/// each; `next_step_at` says when it wants to be called again without an event.
///
/// Operation: a message is in exactly one of three places. On disk alone: `LaneSource::disk_due`
/// says when to look. In memory: in its lane's heap. In flight: awaiting its file, with the
/// platform or with the store. It is never looked for on disk while it is in one of the others.
///
/// Sources: dispatcher.cpp takes events, dispatcher_turn.cpp sends, dispatcher_fetch.cpp gets the
/// files of media messages, dispatcher_end.cpp ends what was sent, dispatcher_disk.cpp reads.
///
/// Threads: one at a time, the scheduler's. What it starts comes back as events through `post`.
class Dispatcher {
public:
    /// Takes an event for a later step. Called on the committer's thread.
    using Post = std::function<void(Event&&)>;

    Dispatcher(const QueueClock& clock, Random& random, store::Committer& committer,
               const connector::Connectors& connectors, const CallbackFactory& callbacks,
               const FinishListener& on_finish, const Options& options, Post post);

    /// Takes over the lanes that have waiting work. Errors: store_failed.
    [[nodiscard]] Result<void> recover(std::unique_ptr<store::LaneReader> reader);

    void step(std::vector<Event>& events);

    /// Timestamp::max() when only an event can give it work; `now` or earlier: at once.
    [[nodiscard]] Timestamp next_step_at() const;

    /// No more sends are started; what is in flight comes to its end. What awaits its file is left
    /// to the disk.
    void drain();
    /// With the platform or the store.
    [[nodiscard]] std::size_t in_flight() const noexcept { return in_flight_.size() - awaiting_; }

    [[nodiscard]] Counts counts() const noexcept;

    /// While all memory for messages is taken: until the next look at what waits on disk.
    static constexpr Millis memory_pause{100};
    /// After a failed read, before the next one.
    static constexpr Millis store_pause{1'000};

private:
    enum class Stage : std::uint8_t {
        fetching,    // Awaits its file, or has it and waits for its turn.
        recording,   // Its intent is being committed.
        sending,     // With the connector, whose outcome is awaited.
        committing,  // Its end, or its next attempt, is being committed.
    };

    /// A message on its way: awaiting its file, with the platform, or with the store.
    struct InFlight {
        store::QueuedMessage queued;  // `message` is null while the store has it.
        Lane* lane = nullptr;
        connector::Connector* connector = nullptr;  // Of the lane when it was sent.
        media::FilePtr file;                        // Of a media message, once it is there.
        Stage stage = Stage::committing;
        bool probe = false;    // Tries whether a device that was down is back.
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
    void handle(Fetched&& event);

    [[nodiscard]] bool may_send() const;
    [[nodiscard]] Lane& lane_of(model::PhoneNumber device);
    void make_ready(Lane& lane);

    // dispatcher_turn.cpp
    void take_turn(Lane& lane);
    void send_due(Lane& lane);
    void start(Lane& lane, store::QueuedMessage queued);
    void begin(InFlight& flight);
    void hand_over(InFlight& flight);
    void plan_next_turn(Lane& lane);
    void count(Lane& lane);

    // dispatcher_fetch.cpp
    void await_file(Lane& lane, store::QueuedMessage queued);
    [[nodiscard]] std::size_t files_ahead(const Lane& lane) const;
    void fetch_some(Lane& lane);
    [[nodiscard]] bool blocked_by_fetches(Lane& lane);
    void fetched(InFlight& flight, media::FetchResult result);
    [[nodiscard]] InFlight& take_with_file(LaneSource& source);
    [[nodiscard]] store::QueuedMessage stop_awaiting(const model::MessageId& id);
    void leave_to_disk(Lane& lane);

    // dispatcher_disk.cpp
    [[nodiscard]] bool rests(const Lane& lane) const;
    void place(Lane& lane, store::QueuedMessage queued);
    [[nodiscard]] bool wants_load(const Lane& lane, const LaneSource& source) const;
    void load_due(Lane& lane);
    void load(Lane& lane, model::Source which);
    void expire(Lane& lane);
    [[nodiscard]] std::size_t expire(Lane& lane, model::Source which, std::size_t room);
    void read_failed(const Error& error);
    [[nodiscard]] Millis load_ahead() const { return options_.horizon / 4; }

    // dispatcher_end.cpp
    void store_down_since(Lane& lane);
    InFlight& fly(Lane& lane, store::QueuedMessage queued, bool windowed = true);
    void conclude(InFlight& flight, model::Outcome outcome);
    void try_again(InFlight& flight, model::Outcome outcome);
    void put_back(InFlight& flight);
    void await_status(InFlight& flight, model::Outcome outcome);
    void finish(InFlight& flight, model::Completion completion);
    void finish_unsent(Lane& lane, store::QueuedMessage queued, model::StatusCode code,
                       std::string_view details);
    void hold(InFlight& flight);
    void reschedule(InFlight& flight, Timestamp queue_at, std::string details);

    const QueueClock& clock_;
    Random& random_;
    store::Committer& committer_;
    const connector::Connectors& connectors_;
    const CallbackFactory& callbacks_;
    const FinishListener& on_finish_;
    const Options options_;
    const RetryPolicy retry_;
    Post post_;
    std::unique_ptr<store::LaneReader> reader_;

    std::unordered_map<model::PhoneNumber, std::unique_ptr<Lane>> lanes_;
    std::unordered_map<model::MessageId, InFlight> in_flight_;
    std::deque<Lane*> round_;  // Lanes that can do something now, each for one turn.

    LaneTimers timers_;
    LaneMemory memory_;

    Timestamp now_{};
    Timestamp read_again_at_{};    // After a failed read.
    Timestamp give_up_from_{};     // Devices have until then to come back after a start.
    std::size_t step_loaded_ = 0;  // Messages read in this step.
    std::size_t busy_lanes_ = 0;
    std::size_t awaiting_ = 0;  // Of `in_flight_`: those at Stage::fetching.
    std::uint64_t attempts_ = 0;
    std::uint64_t retries_ = 0;
    bool draining_ = false;
};

}  // namespace merpati::scheduler
