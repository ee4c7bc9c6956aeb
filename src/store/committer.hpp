// Group commit: many threads ask, one thread writes.
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
    std::size_t queue_max = 65'536;  // Accepts and changes waiting; more are refused as busy.
    std::size_t batch_max = 8'192;   // Operations of one transaction.
};

struct CommitterCounts {
    std::uint64_t commits = 0;
    std::uint64_t operations = 0;
    std::uint64_t waiting = 0;
};

/// Owns the thread that owns the store's one writing connection.
///
/// Operation: takes whatever waits, runs it as one transaction, makes it durable, then calls each
/// operation's `done` with its result. No timer delays an idle commit; while one is being synced,
/// the next batch gathers, and where many sends end it gathers up to 0.3 ms more. Callback results
/// alone wait up to 5 ms for company, because nobody waits for them. `done` runs on the committer's
/// thread: it must hand over and return.
///
/// Faults: when the store cannot commit, no `done` is called and `on_fatal` is, which must end the
/// process (exit code 74, EX_IOERR): what is on disk decides at the next start.
///
/// A full disk is no failure: accepts and changes are refused, each in its result, and outcomes are
/// written again, four times a second, until there is room. Where there is none at the end, within
/// 2 s of `stop`, that is fatal. An element whose page is damaged is told so alone.
///
/// Limits: see CommitterOptions. Finishes, reschedules, hand-overs, intents and callback updates
/// are always taken, because the work that caused them was let in before; so is what
/// `change_always` brings.
class Committer {
public:
    using Fatal = std::function<void(const Error&)>;

    Committer(const Clock& clock, Store& store, CommitterOptions options, Fatal on_fatal);
    ~Committer();

    void start();

    /// Commits everything that waits, then joins the thread. Idempotent.
    void stop();

    using AcceptDone = std::move_only_function<void(Accept&&)>;
    /// False when busy or stopping: `done` will not be called.
    [[nodiscard]] bool accept(Accept accept, AcceptDone done);

    using FinishDone = std::move_only_function<void(Finish&&)>;
    void finish(Finish finish, FinishDone done);

    using RescheduleDone = std::move_only_function<void(const Reschedule&)>;
    void reschedule(Reschedule reschedule, RescheduleDone done);

    using HandOverDone = std::move_only_function<void(const HandOver&)>;
    void hand_over(HandOver hand_over, HandOverDone done);

    /// Where the intent is `damaged` it is not recorded, and the message must not be sent.
    using IntentDone = std::move_only_function<void(const Intent&)>;
    void record_intent(Intent intent, IntentDone done);

    using Done = std::move_only_function<void()>;
    void update_callback(CallbackUpdate update, Done done);

    using ChangeDone = std::move_only_function<void(Result<void>)>;
    /// False when busy or stopping.
    [[nodiscard]] bool change(std::move_only_function<Result<void>(Tables&)> run, ChangeDone done);

    /// As `change`, for what has happened already (a device's state, a message that came in): taken
    /// however much waits, and kept while the disk is full, for which `run` may be called again.
    /// False when stopping.
    [[nodiscard]] bool change_always(std::move_only_function<Result<void>(Tables&)> run,
                                     ChangeDone done);

    /// As `change`, but waits for the commit. Not from the committer's own thread. `then` is called
    /// on that thread after a successful commit, before this returns.
    /// Errors: the change's own; busy; shutting_down.
    [[nodiscard]] Result<void> change_and_wait(std::move_only_function<Result<void>(Tables&)> run,
                                               Done then = {});

    [[nodiscard]] CommitterCounts counts() const noexcept;

    /// What is wrong with the store; asked before a message is accepted or sent.
    [[nodiscard]] const Condition& condition() const noexcept;

    /// Calls `done` on the committer's thread when it next comes round, after what it commits just
    /// now: for whoever wants to know that it still does. Always taken; never called once the
    /// committer has stopped.
    void ask(Done done);

    /// Called after each commit with its size and duration, for metrics. Set before `start`.
    std::function<void(std::size_t operations, std::chrono::microseconds took)> on_commit;

    /// Called after each commit, before any `done` of it, for each row that its changes wrote, in
    /// the order of writing: here a copy in memory follows the store. Set before `start`.
    std::function<void(RowChange&&)> on_row_changed;

    /// Called after each commit, when every `done` of it has been: the moment to wake the threads
    /// that the `done`s gave work to, once for the whole batch. Set before `start`.
    std::function<void()> after_told;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace merpati::store
