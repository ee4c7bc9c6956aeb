// The scheduler's logic, without its thread: events in, sends and commits out.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

#include "scheduler/in_flight.hpp"
#include "scheduler/lane.hpp"
#include "scheduler/lane_memory.hpp"
#include "scheduler/lane_timers.hpp"
#include "scheduler/retry_policy.hpp"
#include "scheduler/scheduler.hpp"

namespace merpati::scheduler {

// Events. Those of one message are handled in the order in which they happened.

/// A message was stored.
struct Accepted {
    std::unique_ptr<model::Message> message;
};
/// A connector's outcome of a send.
struct Reported {
    model::MessageId message;
    model::Outcome outcome;
};
struct IntentRecorded {
    model::MessageId message;
    bool recorded = true;  // False: store::Intent::unless_suppressed
};
/// A finish or reschedule of a message that was in flight is durable.
struct Committed {
    model::MessageId message;
    std::optional<Timestamp> queue_at;  // Of the next attempt; empty: the message has ended.
};
struct DeviceChanged {
    model::Device device;
};
struct DeviceRemoved {
    model::PhoneNumber device;
    model::AccountId account{};  // Which had it.
};
/// From now on this process works for these.
struct DevicesAttached {
    std::vector<model::Device> devices;
};
/// From now on it does not work for these.
struct DevicesDetached {
    std::vector<model::PhoneNumber> devices;
    model::Leave how = model::Leave::when_settled;
    std::move_only_function<void()> done;
};
struct CancelRequested {
    store::QueuedMessage message;
    std::move_only_function<void(Result<void>)> done;
};
struct WithdrawRequested {
    std::vector<store::QueuedMessage> messages;
    std::move_only_function<void(Result<std::size_t>)> done;
};
/// A waiting message is to be due now.
struct HastenRequested {
    store::QueuedMessage message;
    std::move_only_function<void(Result<void>)> done;
};
/// A caller asks what a message waits for.
struct ExplainRequested {
    store::QueuedMessage message;
    std::move_only_function<void(Result<Wait>)> done;
};
/// Messages of the lane were queued in the store alone.
struct QueuedOnDisk {
    model::PhoneNumber device;
    model::Source source = model::Source::api;
    Timestamp due;
};
/// A platform reported after a send that the device cannot send now.
struct WentDown {
    model::PhoneNumber device;
    Millis retry_after{0};  // 0: the platform does not say how long.
};
/// A media message's file, or the outcome without it.
struct Fetched {
    model::MessageId message;
    model::PhoneNumber device;
    model::Source source = model::Source::api;
    media::FetchResult result;
};
using Event =
    std::variant<Accepted, Reported, IntentRecorded, Committed, DeviceChanged, DeviceRemoved,
                 DevicesAttached, DevicesDetached, CancelRequested, WithdrawRequested,
                 HastenRequested, ExplainRequested, QueuedOnDisk, WentDown, Fetched>;

/// Whether a send whose outcome is unknown must not be repeated, because the message is delivered
/// at most once and its connector does not recognise a repeated send (or is missing). An operator
/// decides.
[[nodiscard]] bool is_sent_once(const connector::Connector* connector,
                                const model::Message& message);

/// Whether recovery must know that a send of the message was begun: it must not be repeated, or
/// the message could return to its campaign, which would send another one instead.
[[nodiscard]] bool needs_intent(const connector::Connector* connector,
                                const model::Message& message);

/// Decides which message is sent next.
///
/// Operation: `step` handles events and runs each lane that is ready once (round-robin);
/// `next_step_at` says when it must be called again if no event comes. A message is in exactly one
/// of three places. On disk alone: `LaneSource::disk_due` says when to read. In memory: in its
/// lane's heap, or waiting for its file. In flight: with the platform, or being committed. A
/// message that is in memory or in flight is never read from disk.
///
/// Lanes: those of the devices that this process works for. What is reported of other devices is
/// not taken: it is on disk, and is read when the device is attached.
///
/// Crashes: a message that was with its connector's program when that ended or was killed may be
/// the cause. It is a suspect: each connector has one suspect at a time, so that no message shares
/// the blame of another one. After its second crash it is held. The count is on disk.
///
/// Sources: dispatcher.cpp handles events, dispatcher_move.cpp attaches and detaches lanes,
/// dispatcher_turn.cpp runs a lane and sends,
/// dispatcher_fetch.cpp fetches the files of media messages, dispatcher_end.cpp handles outcomes,
/// dispatcher_disk.cpp reads the queue, dispatcher_hand.cpp cancels, withdraws and hastens on
/// request, dispatcher_trail.cpp tells what messages wait for or have waited for.
///
/// Threads: one, the scheduler's. Results of commits and fetches come back as events through
/// `post`.
class Dispatcher {
public:
    /// Queues an event for a later step. Called on the threads of the committer and of media files.
    using Post = std::function<void(Event&&)>;

    Dispatcher(const QueueClock& clock, Random& random, store::Committer& committer,
               const connector::Connectors& connectors, const CallbackFactory& callbacks,
               const FinishListener& on_finish, const Options& options, Post post);

    /// Begins with the lanes that have waiting messages, unless it starts empty. Errors:
    /// store_failed.
    [[nodiscard]] Result<void> recover(std::unique_ptr<store::LaneReader> reader);

    void step(std::vector<Event>& events);

    /// `now` or earlier: at once. Timestamp::max(): not before the next event.
    [[nodiscard]] Timestamp next_step_at() const;

    /// Starts no more sends; those in flight end as usual. Messages that wait for their file stay
    /// on disk.
    void drain();
    /// Messages with the platform, or being committed.
    [[nodiscard]] std::size_t in_flight() const noexcept { return in_flight_.size(); }

    [[nodiscard]] Counts counts() const noexcept;
    /// Lanes in memory: those of the devices, and those whose device was removed but which still
    /// have messages.
    [[nodiscard]] std::size_t lanes() const noexcept { return lanes_.size(); }

    /// The wait before the next try while memory for messages or room on the disk is short.
    static constexpr Millis memory_pause{100};
    /// The wait after a failed read.
    static constexpr Millis store_pause{1'000};
    /// After a start, or once it was attached: as long as a device may be reconnecting.
    static constexpr Millis start_grace{30'000};

private:
    void handle(Accepted&& event);
    void handle(Reported&& event);
    void handle(IntentRecorded&& event);
    void handle(Committed&& event);
    void handle(DeviceChanged&& event);
    void handle(DeviceRemoved&& event);
    void handle(DevicesAttached&& event);
    void handle(DevicesDetached&& event);
    void handle(CancelRequested&& event);
    void handle(WithdrawRequested&& event);
    void handle(HastenRequested&& event);
    void handle(ExplainRequested&& event);
    void handle(QueuedOnDisk&& event);
    void handle(WentDown&& event);
    void handle(Fetched&& event);

    [[nodiscard]] bool may_send() const;
    [[nodiscard]] bool may_begin() const;
    [[nodiscard]] Lane& lane_of(model::PhoneNumber device);
    /// Null: this process does not work for the device.
    [[nodiscard]] Lane* find_lane(model::PhoneNumber device);
    void make_ready(Lane& lane) { ready_lanes_.add(lane); }
    void erase_if_unused(Lane& lane);
    void erase(Lane& lane);
    void change(Lane& lane, const model::Device& device);
    void drop(InFlight& flight);
    void end_suspicion(InFlight& flight);

    // dispatcher_move.cpp
    [[nodiscard]] Result<void> recover(Lane& lane);
    [[nodiscard]] bool expect(model::Device&& device);
    void arrive_some();
    void arrive(Lane& lane);
    void enter(Lane& lane);
    void leave(Lane& lane);
    void end_if_left(Lane& lane);

    // dispatcher_turn.cpp
    void run_lane(Lane& lane);
    void send_due(Lane& lane);
    void check_and_send(Lane& lane, store::QueuedMessage queued);
    [[nodiscard]] bool settle_interrupted(Lane& lane, store::QueuedMessage& queued);
    void begin_send(InFlight& flight);
    [[nodiscard]] bool must_wait_as_suspect(InFlight& flight);
    void send(InFlight& flight);
    void schedule_next_run(Lane& lane);
    void count(Lane& lane);

    // dispatcher_fetch.cpp
    void await_file(Lane& lane, store::QueuedMessage queued);
    [[nodiscard]] std::size_t files_ahead(const Lane& lane) const;
    void fetch_ahead(Lane& lane, LaneSource& source);
    void fetched(Lane& lane, LaneSource& source, const model::MessageId& id,
                 media::FetchResult result);
    void send_with_file(Lane& lane, LaneSource& source);

    // dispatcher_disk.cpp
    [[nodiscard]] bool sends_soon(const Lane& lane) const;
    void enqueue(Lane& lane, store::QueuedMessage queued);
    void make_room(Lane& lane, LaneSource& source, Timestamp due);
    [[nodiscard]] bool needs_load(const Lane& lane, model::Source which) const;
    void load_due(Lane& lane);
    void load(Lane& lane, model::Source which);
    [[nodiscard]] bool is_taken_out(const LaneSource& source, const model::MessageId& id) const;
    [[nodiscard]] std::optional<std::vector<store::QueuedMessage>> read(Lane& lane,
                                                                        model::Source which,
                                                                        Timestamp before,
                                                                        std::size_t limit,
                                                                        const store::Known& known);
    void expire(Lane& lane);
    [[nodiscard]] std::size_t expire(Lane& lane, model::Source which, std::size_t room);
    void read_failed(Lane& lane, const Error& error);
    void report(const Error& error);
    [[nodiscard]] Millis load_ahead() const { return options_.horizon / 4; }

    // dispatcher_hand.cpp
    [[nodiscard]] Result<void> take_out(store::QueuedMessage& message);
    [[nodiscard]] Result<void> find_on_disk(store::QueuedMessage& message);
    void put_back(const store::QueuedMessage& message);
    [[nodiscard]] bool is_withheld(const store::QueuedMessage& queued) const;
    [[nodiscard]] bool returns_if_suppressed(const store::QueuedMessage& queued) const;
    void withdraw(InFlight& flight, std::move_only_function<void(bool)> done = {});

    // dispatcher_trail.cpp
    void note_waits(InFlight& flight);
    void note_expired(InFlight& flight);
    void add_wait(InFlight& flight, model::WaitReason reason, Timestamp from, Timestamp until);
    [[nodiscard]] Timestamp wall_time_of(Timestamp time) const;
    [[nodiscard]] Wait wait_of(const store::QueuedMessage& queued);
    [[nodiscard]] Wait wait_of_lane(const Lane& lane) const;

    // dispatcher_end.cpp
    void store_outage(Lane& lane);
    InFlight& add_in_flight(Lane& lane, store::QueuedMessage queued, bool in_window = true);
    void handle_outcome(InFlight& flight, model::Outcome outcome);
    void retry(InFlight& flight, model::Outcome outcome);
    void send_as_template(InFlight& flight, model::Outcome outcome);
    void settle_unknown(InFlight& flight, model::Outcome outcome);
    void requeue(InFlight& flight, std::optional<Millis> retry_after);
    void await_restriction(InFlight& flight, const model::Outcome& outcome);
    void await_status(InFlight& flight, model::Outcome outcome);
    void await_lost_answer(InFlight& flight, Millis within, std::string details, bool must_hold,
                           std::shared_ptr<const model::SentTemplate> sent_as = nullptr);
    void hand_over(InFlight& flight, store::HandOver work);
    void finish(InFlight& flight, model::Completion completion);
    [[nodiscard]] store::Finish finish_of(InFlight& flight, model::Completion completion);
    void finish_unsent(Lane& lane, store::QueuedMessage queued, model::StatusCode code,
                       std::string_view details);
    void hold(InFlight& flight, std::string_view details);
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
    /// Connectors that have a suspect.
    std::unordered_set<connector::Connector*> with_suspect_;

    ReadyLanes ready_lanes_;
    LaneTimers timers_;
    /// Devices that were attached, whose lanes are read together.
    std::deque<std::vector<model::PhoneNumber>> arriving_;
    Timestamp arrive_at_{};  // When the next of these are read.
    LaneMemory memory_;

    // Of the present step.
    Timestamp now_{};
    Timestamp wall_now_{};
    Timestamp report_from_{};   // When a failed read may be reported again.
    Timestamp give_up_from_{};  // After a start, devices have until then to connect.
    std::size_t loaded_in_step_ = 0;
    std::size_t busy_lanes_ = 0;
    std::uint64_t attempts_ = 0;
    std::uint64_t retries_ = 0;
    std::uint64_t withdrawn_ = 0;
    bool draining_ = false;
};

}  // namespace merpati::scheduler
