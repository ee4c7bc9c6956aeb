// Group commit: one thread writes for all others.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "store/store.hpp"
#include "store/write_batch.hpp"

namespace merpati::store {

struct CommitterOptions {
    std::size_t queue_max = 65'536;  // Waiting operations; more accepts and changes are refused.
    std::size_t batch_max = 8'192;   // Operations of one transaction.
    /// Messages that the changes of one transaction may accept; a single change may accept more.
    std::size_t change_accepts_max = 1'000;
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
/// Operation: takes all waiting operations, writes them as one transaction, makes it durable, then
/// calls the `done` of each with its result. No timer delays a commit when the thread is idle.
/// While one commit is being synced, the next batch gathers; under load it gathers for up to a
/// quarter of that time more, but 0.3 to 2 ms. Callback updates and changes without haste wait up
/// to 5 ms for other operations, because no caller waits for them. `done` runs on the committer's
/// thread and must return quickly.
///
/// Changes that accept many messages share a transaction only up to `change_accepts_max` messages;
/// the others are the first of the next one. So operations that wait beside many of them wait for
/// two such transactions at most.
///
/// After the answers it lets the store maintain itself, which may move the log (Store::maintain).
///
/// Faults: if the store cannot commit, the committer calls `on_fatal` instead of any `done`.
/// `on_fatal` must end the process; the next start continues with what is on disk.
///
/// A full disk is not fatal: accepts and changes are refused in their results, and all other
/// operations are written again, at least four times a second, until there is room. If there is
/// none within 2 s of `stop`, that is fatal. An element that meets damage fails alone
/// (Store::write).
///
/// A database that is away (ErrorCode::unavailable) is not fatal either: at once accepts and
/// changes without `lasting` are refused as unavailable, also those that arrive meanwhile. The rest
/// of the batch is written again, after 0.1 s at first and at least every 2 s, until the database
/// is back; what arrives waits for the next batch. Callers of a batch that may have been committed
/// (WriteBatch::undecided) wait until that is known. If the database is not back within 2 s of
/// `stop`, that is fatal if anything waits to be written.
///
/// Limits: CommitterOptions. Finishes, reschedules, hand-overs, intents, callback updates and
/// `change_always` are taken beyond `queue_max`, because the work that they belong to was admitted
/// before.
///
/// Threads: its own. Any thread may call the public methods, except that the committer's own thread
/// may not call `change_and_wait` or `stop`.
class Committer {
public:
    using Fatal = std::function<void(const Error&)>;

    Committer(const Clock& clock, Store& store, CommitterOptions options, Fatal on_fatal);
    ~Committer();

    void start();

    /// Commits all waiting operations, then ends the thread. Idempotent.
    void stop();

    /// False when busy or stopping: `done` will not be called.
    [[nodiscard]] bool accept(Accept accept, Done<Accept> done);

    // After `stop` these drop the element, and `done` is not called.
    void finish(Finish finish, Done<Finish> done);
    void reschedule(Reschedule reschedule, Done<Reschedule> done);
    void hand_over(HandOver hand_over, Done<HandOver> done);
    void record_intent(Intent intent, Done<Intent> done);
    /// The results of one request. They are written in one commit, which may exceed `batch_max` for
    /// them. `done` is called once, after it.
    void update_callbacks(std::vector<CallbackUpdate> updates,
                          std::move_only_function<void()> done);

    using ChangeDone = std::move_only_function<void(Result<void>)>;
    /// False when busy or stopping: `done` will not be called. `accepts`: Change::accepts.
    [[nodiscard]] bool change(std::move_only_function<Result<void>(Tables&)> run, ChangeDone done,
                              std::size_t accepts = 0);

    /// As `change`, for events that have already happened (a device's state, an inbound message):
    /// `queue_max` does not apply, and neither a full disk nor a database that is away refuses it.
    /// False when stopping.
    [[nodiscard]] bool change_always(std::move_only_function<Result<void>(Tables&)> run,
                                     ChangeDone done);
    /// As `change_always`, but waits for other operations, as callback updates do.
    [[nodiscard]] bool change_without_haste(std::move_only_function<Result<void>(Tables&)> run,
                                            ChangeDone done);

    /// As `change`, but waits for the commit. If the change succeeded, `then` is called on the
    /// committer's thread before this returns.
    /// Errors: the change's own; busy; unavailable; shutting_down (the store stopped or failed
    /// first).
    [[nodiscard]] Result<void> change_and_wait(std::move_only_function<Result<void>(Tables&)> run,
                                               std::move_only_function<void()> then = {},
                                               std::size_t accepts = 0);

    [[nodiscard]] CommitterCounts counts() const noexcept;

    /// The store's condition, which is checked before a message is accepted or sent.
    [[nodiscard]] const Condition& condition() const noexcept;

    /// Calls `answer` on the committer's thread, after the commit in progress (LivenessProbes); not
    /// once the committer has stopped.
    void probe(std::move_only_function<void()> answer);

    /// Called after each commit with its size and duration, for metrics. Set before `start`.
    std::function<void(std::size_t operations, std::chrono::microseconds took)> on_commit;

    /// Called after each commit, before any `done`, for each row in WriteBatch::row_changes, so
    /// that copies in memory follow the store. Set before `start`.
    std::function<void(RowChange&&)> on_row_changed;

    /// Called after each batch, after the last `done`, so that threads which received work from
    /// them are woken once for the whole batch. Set before `start`.
    std::function<void()> after_batch;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace merpati::store
