// Group commit: one thread writes for all others.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "store/store.hpp"
#include "store/write_batch.hpp"

namespace merpati::store {

struct CommitterOptions {
    std::size_t queue_max = 65'536;  // Waiting operations; beyond it accepts and changes are busy.
    std::size_t batch_max = 8'192;   // Operations of one transaction.
};

struct CommitterCounts {
    std::uint64_t commits = 0;
    std::uint64_t operations = 0;
    std::uint64_t waiting = 0;
};

/// Receives an element of a batch, with its results, after the commit.
template <class Element>
using Done = std::move_only_function<void(Element&&)>;

/// Owns the store's one writing connection and its thread.
///
/// Operation: takes all operations that wait, writes them as one transaction, makes it durable,
/// then calls the `done` of each with its result. No timer delays a commit when the thread is idle;
/// while one commit is being synced, the next batch gathers, and while many sends end, it gathers
/// for up to 0.3 ms more. Callback results alone wait up to 5 ms for other operations, because no
/// caller waits for them. `done` runs on the committer's thread and must return quickly.
///
/// Faults: if the store cannot commit, no `done` is called but `on_fatal` is, which must end the
/// process (exit code 74, EX_IOERR); the next start continues with what is on disk.
///
/// A full disk is no such fault: accepts and changes are refused, each in its result, and outcomes
/// are written again, four times a second, until there is room. If there is none within 2 s of
/// `stop`, that is fatal. An element that meets damage fails alone.
///
/// Limits: CommitterOptions. Finishes, reschedules, hand-overs, intents and callback updates are
/// always taken, because the work that they belong to was admitted before; so is `change_always`.
///
/// Threads: its own; public methods from any, `change_and_wait` not from the committer's.
class Committer {
public:
    using Fatal = std::function<void(const Error&)>;

    Committer(const Clock& clock, Store& store, CommitterOptions options, Fatal on_fatal);
    ~Committer();

    void start();

    /// Commits all that waits, then ends the thread. Idempotent.
    void stop();

    /// False when busy or stopping: `done` will not be called.
    [[nodiscard]] bool accept(Accept accept, Done<Accept> done);

    void finish(Finish finish, Done<Finish> done);
    void reschedule(Reschedule reschedule, Done<Reschedule> done);
    void hand_over(HandOver hand_over, Done<HandOver> done);
    void record_intent(Intent intent, Done<Intent> done);
    void update_callback(CallbackUpdate update, Done<CallbackUpdate> done);

    using ChangeDone = std::move_only_function<void(Result<void>)>;
    /// False when busy or stopping.
    [[nodiscard]] bool change(std::move_only_function<Result<void>(Tables&)> run, ChangeDone done);

    /// As `change`, for what has happened already (a device's state, an inbound message): always
    /// taken, and written again while the disk is full, so `run` may be called more than once.
    /// False when stopping.
    [[nodiscard]] bool change_always(std::move_only_function<Result<void>(Tables&)> run,
                                     ChangeDone done);

    /// As `change`, but waits for the commit. `then` is called on the committer's thread after a
    /// successful commit, before this returns.
    /// Errors: the change's own; busy; shutting_down.
    [[nodiscard]] Result<void> change_and_wait(std::move_only_function<Result<void>(Tables&)> run,
                                               std::move_only_function<void()> then = {});

    [[nodiscard]] CommitterCounts counts() const noexcept;

    /// Faults of the store; read before a message is accepted or sent.
    [[nodiscard]] const Condition& condition() const noexcept;

    /// Calls `answer` on the committer's thread, after a commit in progress (LivenessProbes). Never
    /// called once the committer has stopped.
    void probe(std::move_only_function<void()> answer);

    /// Called after each commit with its size and duration, for metrics. Set before `start`.
    std::function<void(std::size_t operations, std::chrono::microseconds took)> on_commit;

    /// Called after each commit, before its `done`s, for each row that its changes wrote, in the
    /// order of writing, so that copies in memory follow the store. Set before `start`.
    std::function<void(RowChange&&)> on_row_changed;

    /// Called after each batch, when all its `done`s have been called: wakes the threads that they
    /// gave work to, once for the whole batch. Set before `start`.
    std::function<void()> after_batch;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace merpati::store
