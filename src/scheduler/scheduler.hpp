// What leaves next, and when.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "base/error.hpp"
#include "base/queue_clock.hpp"
#include "base/random.hpp"
#include "connector/connectors.hpp"
#include "media/file_source.hpp"
#include "model/device.hpp"
#include "model/message.hpp"
#include "model/outcome.hpp"
#include "store/committer.hpp"
#include "store/store.hpp"

namespace merpati::scheduler {

struct Options {
    /// Counted from a message's first attempt that failed for a passing reason, and, for what waits
    /// in the lane of a device that is down, from when the device went down. Waiting for its turn
    /// costs a message nothing. Both moments outlast a restart.
    std::chrono::seconds give_up{std::chrono::hours{24}};
    std::chrono::milliseconds retry_first{5'000};  // Back-off of passing failures,
    std::chrono::milliseconds retry_max{600'000};  // jittered, doubling up to here.
    std::chrono::milliseconds horizon{2'000};      // Due later than this: waits on disk alone.
    std::size_t lane_memory_max = 4'096;           // Messages of one lane held in memory,
    std::size_t memory_max = 65'536;               // and of all lanes together (lane_memory.hpp),
    std::size_t memory_bytes_max = 67'108'864;     // whose texts may be long.
    std::size_t window = 0;           // Sends in flight per device; 0: the connector's.
    std::size_t lane_files_max = 16;  // Files of one lane that are fetched, or wait to be sent.
    /// Where the files of media messages come from. Null: media messages fail with 500.
    media::FileSource* files = nullptr;
    /// Whether a recipient can be a number at all; an impossible one fails with 1002 when it is
    /// due (decisions.md, Fields). Empty: all can.
    std::function<bool(std::string_view)> recipient_possible;
    /// Told of each message that a platform took and decides later, after it is durable, on the
    /// committer's thread.
    std::function<void(Timestamp decide_by)> on_handed_over;
    /// Told when the store could not be read, at most once a second; for the operator's log.
    std::function<void(const Error&)> on_trouble;
};

/// Makes the callback of a finished message, or none where nobody is to be told.
using CallbackFactory =
    std::function<std::optional<model::Callback>(const model::Message&, const model::Completion&)>;

/// Told of each end of a message, after it is durable, on the committer's thread.
using FinishListener = std::function<void(store::Finish&&)>;

struct Counts {
    std::uint64_t lanes = 0;  // Devices with waiting work.
    std::uint64_t messages_in_memory = 0;
    std::uint64_t sends_in_flight = 0;
    std::uint64_t awaiting_files = 0;  // Media messages that are due, but for their file.
    std::uint64_t attempts_total = 0;
    std::uint64_t retries_total = 0;
};

/// Owns all lanes: one per device with waiting work, which keeps order, pace, the window of sends
/// in flight, and the pause while the device is down.
///
/// Operation: messages accepted now and due soon come in memory (`accepted`); all others stay on
/// disk and are loaded when they come due, lane by lane, a bounded number at a time. A lane sends
/// in order of (due, acceptance), API messages before campaign messages; of more than 32,768
/// delayed ones that come due within the same 16 s, only those accepted first are put in order at a
/// time. Order is that in which sends begin: those of one window are under way together, a media
/// message lets others pass while its file is fetched, and a failed attempt goes to the back of its
/// new time. A message that a platform takes and decides later leaves its lane. A passing failure
/// is put back with jittered back-off until `give_up`; a device that is down pauses its lane and is
/// probed. At start every lane is recovered from the store.
///
/// What a device with a pace has sent, its last send and the day's count, is committed with the
/// outcomes, so a restart keeps gap and cap; a crash may exceed the cap by the sends in flight.
///
/// The file of a media message is fetched when the message comes to its turn, a bounded number
/// ahead: what a paced device sends in ten seconds, `lane_files_max` at most. Meanwhile it holds no
/// place in the window and others pass; when the file is there, it goes next. Nothing of this is on
/// disk: after a restart the file is fetched again.
///
/// Order of durable steps: intent (where recovery decides by it) -> connector -> finish, which
/// frees the place in the window only when it is committed. So a crash repeats at most the sends
/// in flight.
///
/// Faults: when the store cannot be read, lanes go on with what is in memory, and the read is tried
/// again after a second. A lane that is damaged there stops; the others do not notice. While the
/// disk is full nothing is sent, and nearly full no more than surely find room for their outcomes.
///
/// Threads: one of its own. All public methods may be called from any thread and do not block.
class Scheduler {
public:
    Scheduler(const QueueClock& clock, Random& random, store::Store& store,
              store::Committer& committer, const connector::Connectors& connectors,
              CallbackFactory callbacks, FinishListener on_finish, const Options& options);
    ~Scheduler();

    /// Recovers the lanes and starts the thread. Errors: store_failed.
    [[nodiscard]] Result<void> start();

    /// Starts no more sends and waits until those in flight are committed, or for `patience`. What
    /// was not sent stays in the store. Afterwards the connectors can be stopped: what they then
    /// report is still taken.
    void drain(std::chrono::milliseconds patience);

    /// Drains, then ends the thread. Idempotent. A send whose outcome did not come within
    /// `patience` is decided at the next start, as after a crash.
    void stop(std::chrono::milliseconds patience);

    /// A message was stored. Call after the commit, with the message that was committed; the
    /// scheduler goes on with `told`.
    void accepted(std::unique_ptr<model::Message> message);

    /// The committer has told of a whole batch (Committer::after_told): wakes the scheduler once
    /// for all of it.
    void told();

    /// The outcome of one send; connectors report it through ConnectorEvents.
    void outcome(const model::MessageId& message, model::Outcome outcome);

    /// A device was added, changed its state or its pace. Lanes of unknown devices do not send.
    void device_changed(const model::Device& device);
    void device_removed(model::PhoneNumber device);

    /// Cancels a waiting message; `done` gets conflict when it is being sent or has ended, and
    /// shutting_down when the scheduler stops before it came to it.
    void cancel(store::QueuedMessage message, std::move_only_function<void(Result<void>)> done);

    /// Something was put into a lane on disk, due at `due`, not through `accepted` (a release).
    void wake(model::PhoneNumber device, model::Source source, Timestamp due);

    /// Calls `done` on the scheduler's thread when it next comes round: for whoever wants to know
    /// that it still does. Never called once the scheduler has stopped.
    void ask(std::move_only_function<void()> done);

    [[nodiscard]] Counts counts() const noexcept;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace merpati::scheduler
