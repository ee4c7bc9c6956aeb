// Decides which message is sent next, and when.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "base/queue_clock.hpp"
#include "base/random.hpp"
#include "connector/connectors.hpp"
#include "media/file_source.hpp"
#include "model/device.hpp"
#include "model/leave.hpp"
#include "model/message.hpp"
#include "model/message_event.hpp"
#include "model/outcome.hpp"
#include "scheduler/retry_policy.hpp"
#include "store/committer.hpp"
#include "store/reader_source.hpp"

namespace merpati::scheduler {

struct Options {
    /// How long a message may fail: from its first attempt that failed for a passing reason, or, if
    /// its device is down, from when that went down. The time that a message waits to be sent does
    /// not count; after a pause of the device the time begins anew. A restart does not reset it.
    std::chrono::seconds give_up{std::chrono::hours{24}};
    std::chrono::milliseconds retry_first{5'000};  // The first back-off,
    std::chrono::milliseconds retry_max{600'000};  // and the longest (RetryPolicy).
    std::chrono::milliseconds horizon{2'000};      // Messages due later wait on disk alone.
    std::size_t lane_memory_max = 4'096;           // Messages of one lane in memory,
    std::size_t memory_max = 65'536;               // and of all lanes together (LaneMemory),
    std::size_t memory_bytes_max = 67'108'864;     // and their bytes.
    std::size_t window = 0;     // Sends in flight per device; 0: the connector's.
    bool starts_empty = false;  // A start recovers no lanes: each is attached.
    /// Files of one lane and source that are being fetched, or wait to be sent.
    std::size_t lane_files_max = 16;
    /// Where the files of media messages come from. Null: media messages fail with 500.
    media::FileSource* files = nullptr;
    /// Whether a recipient can be a phone number; a message to one that cannot fails with 1002 when
    /// it is due (docs/api.md, Callbacks). Empty: all can.
    std::function<bool(std::string_view)> recipient_possible;
    /// Whether this process may begin anything now; asked again ten times a second. Called on the
    /// scheduler's thread; must not block. Empty: it may.
    std::function<bool()> may_begin;
    /// Whether messages of the campaign may be sent now. Others are withdrawn when they are due.
    /// Called on the scheduler's thread; must not block. Empty: all may.
    std::function<bool(model::CampaignId)> campaign_may_send;
    /// Whether a campaign goes on, so that a message returns to it whose recipient was suppressed
    /// since it was queued. Empty: such messages are sent.
    std::function<bool(model::CampaignId)> campaign_is_open{};
    /// Called for each message that was withdrawn, after the commit, on the committer's thread.
    std::function<void(const model::Message&)> on_withdrawn;
    /// Called for each message that was handed over, after the commit, on the committer's thread.
    std::function<void(Timestamp decide_by)> on_handed_over;
    /// Called when a read of the store fails, for the operator's log. At most once a second, except
    /// for damage.
    std::function<void(const Error&)> on_store_error;

    [[nodiscard]] RetryPolicy retry_policy() const {
        return {.first = retry_first, .longest = retry_max, .give_up = give_up};
    }
};

/// Makes the callback of a message that has ended; empty: none is wanted.
using CallbackFactory =
    std::function<std::optional<model::Callback>(const model::Message&, const model::Completion&)>;

/// Called for each message that has ended, after the commit, on the committer's thread.
using FinishListener = std::function<void(store::Finish&&)>;

/// What a message waits for. Times are queue time.
struct Wait {
    model::WaitReason reason = model::WaitReason::queue;
    std::optional<Timestamp> since;  // Empty: since it was due.
    std::optional<Timestamp> until;  // Empty: unknown.
};

struct Counts {
    std::uint64_t lanes = 0;  // Devices with waiting work.
    std::uint64_t messages_in_memory = 0;
    std::uint64_t sends_in_flight = 0;
    std::uint64_t awaiting_files = 0;  // Due media messages: to be fetched, or fetched but unsent.
    std::uint64_t attempts_total = 0;
    std::uint64_t retries_total = 0;
    std::uint64_t withdrawn_total = 0;  // Messages that returned to their campaigns.
};

/// Owns all lanes: one for each device with waiting messages. A lane keeps order, pace and the
/// window of sends in flight, and waits while its device is down or paused.
///
/// Operation: messages that were just accepted and are due soon arrive in memory (`accepted`); all
/// others stay on disk and are loaded when they come due, lane by lane, a limited number at a time.
/// A message that its platform accepts, to report the result later, leaves its lane. So does one
/// whose answer was lost, or whose send a crash interrupted, if its connector's statuses name
/// messages. After a passing failure a message is retried with back-off until `give_up`; a device
/// that is down stops its lane and is probed. A paused device sends nothing, and none of its
/// messages is given up, until the pause ends; messages that are with the platform end as usual. At
/// start, all lanes are recovered from the store.
///
/// Moves: the lane of a device is detached and attached again, in this process or another one, as
/// by a stop and a start of that lane alone. In between nothing is known of it: what is reported of
/// its messages changes nothing, and they wait in the store.
///
/// Order: a lane begins its sends in order of (due time, acceptance), API messages before campaign
/// messages. Exceptions: if more than 32,768 delayed messages are due within the same 16 s, those
/// accepted first are ordered among themselves and sent first; a media message is passed by others
/// while its file is fetched; a message that is retried is ordered by its new time. Sends of one
/// window are in flight together and may complete in any order.
///
/// Campaigns: before a recipient's message is sent or its file fetched, and once more when its
/// intent is durable, `campaign_may_send` is asked. If it may not, or if the account has suppressed
/// the recipient by the time of the intent, the message returns to its campaign
/// (store::Finish::withdrawn). A message that the platform may have, because of a crash or
/// an unknown outcome, is sent all the same, and not withdrawn: the campaign would send to its
/// recipient again, as another message.
///
/// Pace: the last send and the day's count of a paced device are committed with the outcomes, so a
/// restart keeps gap and cap; after a crash the cap may be exceeded by the sends that were in
/// flight.
///
/// Trail: the commit of an outcome also writes the waits of `wait_noted_min` or longer before it,
/// and the attempt, if it did not end the message.
///
/// Media: a file is fetched when its message is due, and a limited number of messages ahead: as
/// many as a paced device sends in ten seconds, at most `lane_files_max`. The message does not
/// count in the window meanwhile; when its file is there, it goes before other messages. None of
/// this is on disk: after a restart the file is fetched again.
///
/// Durable steps: intent (if recovery needs it), send, finish. A message leaves the window only
/// when its finish is committed, so a crash repeats at most the sends in flight.
///
/// Faults: a lane that cannot be read goes on with its messages in memory, and its read is repeated
/// after a second; other lanes are read meanwhile. A lane whose rows are damaged stops; the others
/// go on. While the disk is full nothing is sent; while it is nearly full, the sends in flight are
/// limited to those whose outcomes are sure to have room.
///
/// Threads: one of its own. Public methods may be called from any thread; all but `start`, `drain`
/// and `stop` return without waiting. A `done` is called on the scheduler's or the committer's
/// thread; from `stop` on, on any thread.
class Scheduler {
public:
    Scheduler(const QueueClock& clock, Random& random, store::ReaderSource& store,
              store::Committer& committer, const connector::Connectors& connectors,
              CallbackFactory callbacks, FinishListener on_finish, const Options& options);
    ~Scheduler();

    /// Recovers the lanes, unless `starts_empty`, and starts the thread. Errors: store_failed.
    [[nodiscard]] Result<void> start();

    /// Starts no more sends, and waits until those in flight are committed, for at most `patience`.
    /// Messages that were not sent stay in the store. Afterwards the connectors can be stopped;
    /// outcomes that they report even then are still committed.
    void drain(std::chrono::milliseconds patience);

    /// Drains, then ends the thread. Idempotent. A send without an outcome by then is treated at
    /// the next start as after a crash.
    void stop(std::chrono::milliseconds patience);

    /// A message was committed. It is handled after the next `batch_done`.
    void accepted(std::unique_ptr<model::Message> message);

    /// Wakes the thread once for all messages and results of a committed batch
    /// (Committer::after_batch).
    void batch_done();

    /// The outcome of one send; connectors report it through ConnectorEvents.
    void outcome(const model::MessageId& message, model::Outcome outcome);

    /// A device was added, or its state, pause or pace was changed. Lanes without a device do not
    /// send.
    void device_changed(const model::Device& device);
    /// `account`: which had it.
    void device_removed(model::PhoneNumber device, model::AccountId account);

    /// Reads of the devices' lanes what a start reads of all, some lanes with each query and step,
    /// so that others are not held up. If that fails, it is tried again every second, and these
    /// lanes send nothing before. A lane that is being detached comes back once its sends in flight
    /// have ended.
    void attach(std::vector<model::Device> devices);
    /// Begins no sends of these devices any more, and forgets their lanes. Calls `done` once: when
    /// the outcomes of their sends in flight are committed, or, `at_once`, in the next step; later
    /// outcomes are dropped then, and the next owner treats the sends as after a crash.
    void detach(std::vector<model::PhoneNumber> devices, model::Leave how,
                std::move_only_function<void()> done);

    /// Cancels a waiting message. Calls `done` once. Errors: conflict (it is being sent, or has
    /// ended), busy (its device was detached), shutting_down.
    void cancel(store::QueuedMessage message, std::move_only_function<void(Result<void>)> done);

    /// Withdraws waiting messages of campaigns (store::Finish::withdrawn). Those that are being
    /// sent, that the platform may have, or that have ended, stay as they are. Calls `done` once,
    /// when all others are durable, with their number. Errors: shutting_down.
    void withdraw(std::vector<store::QueuedMessage> messages,
                  std::move_only_function<void(Result<std::size_t>)> done);

    /// Makes a waiting message due now: it goes after those that are due already. Calls `done`
    /// once, when that is durable. Errors: conflict (it is being sent, or has ended), busy (its
    /// device was detached), shutting_down.
    void hasten(store::QueuedMessage message, std::move_only_function<void(Result<void>)> done);

    /// Says what a waiting message waits for. Calls `done` once, in the next step. Errors:
    /// shutting_down.
    void explain(store::QueuedMessage message, std::move_only_function<void(Result<Wait>)> done);

    /// A message was queued in the store, due at `due`, without `accepted` (a release, or a return
    /// from its platform).
    void queued_on_disk(model::PhoneNumber device, model::Source source, Timestamp due);

    /// A platform reported late that the device cannot send now, as by Outcome::Kind::device_down.
    void device_down(model::PhoneNumber device, Millis retry_after);

    /// Calls `answer` on the scheduler's thread after its next step (LivenessProbes). Never called
    /// once the scheduler has stopped.
    void probe(std::move_only_function<void()> answer);

    [[nodiscard]] Counts counts() const noexcept;

    static constexpr Millis wait_noted_min{1'000};

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace merpati::scheduler
