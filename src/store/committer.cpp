#include "store/committer.hpp"

#include <algorithm>
#include <atomic>
#include <future>
#include <iterator>
#include <thread>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "base/assert.hpp"
#include "base/liveness_probes.hpp"
#include "base/mailbox.hpp"
#include "base/thread.hpp"
#include "store/gathering.hpp"

namespace merpati::store {
namespace {

using namespace std::chrono_literals;

/// How long callback updates and changes without haste wait for other operations: no caller waits
/// for them, and a commit of their own costs as much as one of many accepts.
constexpr auto unhurried_wait = 5ms;

/// How long a commit waits under load for as many operations as the last commits had: a part of
/// what the last one took, because those who wait for its answers ask again after them. In a
/// database a commit takes some milliseconds, and half of the callers would miss each one.
constexpr auto gather_wait_min = 300us;
constexpr auto gather_wait_max = 2'000us;
constexpr int gather_part = 4;

/// Load means that this many sends end in one commit. A commit costs about the same at any size, so
/// while sends need the processor too, fewer and larger commits complete more messages. Accepts
/// alone are bound by the disk, and are never delayed.
constexpr std::size_t gathered_min = 16;

/// After this many waits without work the log is checkpointed, and the thread sleeps.
constexpr int waits_until_checkpoint = 40;

/// The pause between two looks at a disk that is full, or nearly.
constexpr auto room_wait = 250ms;

/// The pauses between two attempts to reach a database that is away: the first and the longest.
constexpr auto away_wait_min = 100ms;
constexpr auto away_wait_max = 2'000ms;

/// How often outcomes are written again after `stop` before the failure is fatal.
constexpr int last_tries_max = 8;

/// Wraps the `done` of a change, which receives only the result.
Pending<Change> pending(Change change, Committer::ChangeDone done) {
    return {std::move(change), [done = std::move(done)](Change&& committed) mutable {
                done(std::move(committed.result));
            }};
}

/// How many messages the operation may accept, if it is a change.
std::size_t accepts_of(const Operation& operation) {
    const auto* change = std::get_if<Pending<Change>>(&operation);
    return change == nullptr ? 0 : change->element.accepts;
}

}  // namespace

class Committer::Impl {
public:
    Impl(const Clock& clock, Store& store, CommitterOptions options, Fatal on_fatal)
        : clock_(clock),
          store_(store),
          options_(options),
          on_fatal_(std::move(on_fatal)),
          box_(options.queue_max) {}

    void run(const Committer& owner) {
        auto& operations = taken_;
        int idle_waits = waits_until_checkpoint;
        int last_tries = last_tries_max;
        for (;;) {
            probes_.answer();
            if (!wait_for(operations, idle_waits) && gathering_.batch().empty()) {
                return;
            }
            if (operations.empty() && !gathering_.batch().empty()) {  // The disk was full before.
                if (box_.closed() && last_tries-- == 0) {
                    give_up(no_room_at_end());
                    return;
                }
                if (!commit(owner)) {
                    return;
                }
            } else if (operations.empty()) {
                if (!idle(++idle_waits)) {
                    return;
                }
            } else {
                idle_waits = 0;
            }
            for (place_ = 0; place_ < operations.size();) {
                place_ = gather(operations, place_);
                if (!commit(owner)) {
                    return;
                }
            }
        }
    }

    /// Adds operations from `place` on to the next transaction. The place after them. The results
    /// of a request stay together: the last ones of a transaction may go beyond `batch_max`.
    std::size_t gather(std::vector<Operation>& operations, std::size_t place) {
        std::size_t elements = 0;
        std::size_t accepts = 0;
        for (; place < operations.size() && elements < options_.batch_max; ++place) {
            const auto more = accepts_of(operations[place]);
            if (more > 0 && accepts > 0 && accepts + more > options_.change_accepts_max) {
                put_off_.push_back(std::move(operations[place]));
            } else {
                accepts += more;
                elements += elements_of(operations[place]);
                gathering_.add(std::move(operations[place]));
            }
        }
        return place;
    }

    /// Takes what was put off before, and what waits in the box. False when the box is closed and
    /// there is neither.
    bool wait_for(std::vector<Operation>& operations, int idle_waits) {
        if (put_off_.empty()) {
            return wait_for_more(operations, idle_waits);
        }
        std::ignore = box_.take_all_for(operations, 0ms);
        operations.insert(operations.begin(), std::make_move_iterator(put_off_.begin()),
                          std::make_move_iterator(put_off_.end()));
        put_off_.clear();
        return true;
    }

    /// False when the box is closed and empty.
    bool wait_for_more(std::vector<Operation>& operations, int idle_waits) {
        const bool short_of_room = !gathering_.batch().empty() || !store_.condition().accepts();
        const bool asleep = idle_waits >= waits_until_checkpoint && !short_of_room;
        asleep_.store(asleep);
        if (expected_ >= gathered_min) {
            box_.gather(expected_,
                        std::clamp(last_took_ / gather_part, gather_wait_min, gather_wait_max));
        }
        if (asleep) {
            return box_.take_all(operations);
        }
        const auto wait = short_of_room ? room_wait : unhurried_wait;
        const bool open = box_.take_all_for(operations, wait);
        if (!open && !gathering_.batch().empty()) {
            std::this_thread::sleep_for(wait);  // A closed box does not wait.
        }
        return open;
    }

    /// False when the store has failed.
    bool idle(int waits) {
        store_.look_at_disk();
        return maintain(waits >= waits_until_checkpoint);
    }

    void probe(LivenessProbes::Probe probe) {
        probes_.add(std::move(probe));
        box_.nudge();
    }

    /// For operations that no caller waits for: wakes the thread only if it sleeps. The thread
    /// sets `asleep_` before it checks the box, and this function fills the box before it checks
    /// `asleep_`, so no operation is left waiting.
    bool put_without_haste(Operation&& operation) {
        const bool taken = box_.put_quietly(std::move(operation));
        if (asleep_.load()) {
            box_.wake();
        }
        return taken;
    }

    /// Writes the batch. False when the store has failed.
    bool commit(const Committer& owner) {
        const auto began = clock_.steady_now();
        auto written = store_.write(gathering_.batch());
        if (!written && written.error().code == ErrorCode::unavailable) {
            written = outlast(std::move(written), owner);
        }
        if (!written && written.error().code == ErrorCode::busy) {
            expected_ = 0;
            gathering_.report_refused();
            call_after_batch(owner);
            return true;
        }
        if (!written) {
            give_up(written.error());
            return false;
        }
        const auto count = gathering_.size();
        if (count == 0) {  // The database was away, and all callers were refused.
            return true;
        }
        commits_.fetch_add(1, std::memory_order_relaxed);
        operations_.fetch_add(count, std::memory_order_relaxed);
        expect_like(gathering_.batch(), count);
        last_took_ =
            std::chrono::duration_cast<std::chrono::microseconds>(clock_.steady_now() - began);
        if (owner.on_commit) {
            owner.on_commit(count, last_took_);
        }
        for (auto& row : gathering_.batch().row_changes) {
            if (owner.on_row_changed) {
                owner.on_row_changed(std::move(row));
            }
        }
        gathering_.report();
        call_after_batch(owner);
        return maintain(false);
    }

    /// Writes the batch again until the database is back, or the process ends without it, which is
    /// a failure if anything waits. Meanwhile refuses whoever waits, and keeps what arrives.
    Result<void> outlast(Result<void> written, const Committer& owner) {
        expected_ = 0;
        int last_tries = last_tries_max;
        for (auto pause = away_wait_min; !written && written.error().code == ErrorCode::unavailable;
             pause = std::min(2 * pause, away_wait_max)) {
            if (!gathering_.batch().undecided) {
                gathering_.refuse_waiting();
            }
            refuse_waiting(taken_, place_);
            refuse_waiting(put_off_, 0);
            call_after_batch(owner);
            const bool nothing_waits = gathering_.batch().empty() && put_off_.empty() &&
                                       place_ >= taken_.size() && box_.size() == 0;
            if (box_.closed() && nothing_waits) {
                return {};
            }
            if (box_.closed() && last_tries-- == 0) {
                return fail(ErrorCode::store_failed,
                            "the database is away: outcomes could not be recorded before the end");
            }
            keep_arrivals(clock_.steady_now() + pause, owner);
            written = store_.write(gathering_.batch());
        }
        return written;
    }

    /// Until `until`, refuses arriving operations for which a caller waits, and puts off the rest.
    void keep_arrivals(SteadyTime until, const Committer& owner) {
        std::vector<Operation> arrived;
        for (auto now = clock_.steady_now(); now < until; now = clock_.steady_now()) {
            probes_.answer();
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - now);
            if (!box_.take_all_for(arrived, left)) {                     // Closed.
                std::this_thread::sleep_for(std::min(left, room_wait));  // It does not wait.
                return;
            }
            refuse_waiting(arrived, 0);
            std::ranges::move(arrived, std::back_inserter(put_off_));
            arrived.clear();
            call_after_batch(owner);
        }
    }

    /// Nobody waits for this. False when the store has failed.
    bool maintain(bool is_idle) {
        const auto kept = store_.maintain(is_idle);
        if (!kept) {
            give_up(kept.error());
        }
        return kept.has_value();
    }

    static void call_after_batch(const Committer& owner) {
        if (owner.after_batch) {
            owner.after_batch();
        }
    }

    /// After a commit in which many sends ended, the next one is expected to have as many
    /// operations, not counting callback updates. Otherwise the expectation decays.
    void expect_like(const WriteBatch& batch, std::size_t operations) {
        expected_ -= expected_ / 8;
        if (batch.finishes.size() >= gathered_min) {
            const auto unhurried = std::min(operations, batch.callback_updates.size());
            expected_ = std::max(expected_, operations - unhurried);
        }
    }

    static Error no_room_at_end() {
        return fail(ErrorCode::store_failed,
                    "the disk is full: outcomes of sends could not be recorded before the end")
            .error();
    }

    /// If `on_fatal` returns (in tests), drops all unwritten operations, so that waiting callers
    /// learn that no result will come.
    void give_up(const Error& why) {
        box_.close();
        on_fatal_(why);
        gathering_.clear();
        taken_.clear();
        put_off_.clear();
        std::vector<Operation> left;
        while (box_.take_all(left)) {
        }
    }

    const Clock& clock_;
    Store& store_;
    const CommitterOptions options_;
    Fatal on_fatal_;
    Mailbox<Operation> box_;
    Gathering gathering_;  // The batch that is being written, or that a full disk kept back.
    std::vector<Operation> taken_;  // From the box; those before `place_` are gathered.
    std::size_t place_ = 0;
    std::vector<Operation> put_off_;  // For the next transaction, before all others.
    LivenessProbes probes_;
    std::size_t expected_ = 0;  // Operations of the next commit, under load.
    std::chrono::microseconds last_took_{0};
    std::atomic<bool> asleep_{true};
    std::thread thread_;
    std::atomic<std::uint64_t> commits_{0};
    std::atomic<std::uint64_t> operations_{0};
};

Committer::Committer(const Clock& clock, Store& store, CommitterOptions options, Fatal on_fatal)
    : impl_(std::make_unique<Impl>(clock, store, options, std::move(on_fatal))) {}

Committer::~Committer() {
    stop();
}

void Committer::start() {
    impl_->thread_ = start_thread("store", [this] { impl_->run(*this); });
}

void Committer::stop() {
    impl_->box_.close();
    if (impl_->thread_.joinable()) {
        impl_->thread_.join();
    }
}

bool Committer::accept(Accept accept, Done<Accept> done) {
    return impl_->box_.put(Pending{std::move(accept), std::move(done)});
}

void Committer::finish(Finish finish, Done<Finish> done) {
    impl_->box_.put_always(Pending{std::move(finish), std::move(done)});
}

void Committer::reschedule(Reschedule reschedule, Done<Reschedule> done) {
    impl_->box_.put_always(Pending{std::move(reschedule), std::move(done)});
}

void Committer::hand_over(HandOver hand_over, Done<HandOver> done) {
    impl_->box_.put_always(Pending{std::move(hand_over), std::move(done)});
}

void Committer::record_intent(Intent intent, Done<Intent> done) {
    impl_->box_.put_always(Pending{std::move(intent), std::move(done)});
}

void Committer::update_callbacks(std::vector<CallbackUpdate> updates,
                                 std::move_only_function<void()> done) {
    invariant(!updates.empty(), "a request has carried callbacks");
    impl_->put_without_haste(PendingResults{std::move(updates), std::move(done)});
}

void Committer::probe(std::move_only_function<void()> answer) {
    impl_->probe(std::move(answer));
}

bool Committer::change(std::move_only_function<Result<void>(Tables&)> run, ChangeDone done,
                       std::size_t accepts) {
    return impl_->box_.put(pending({.run = std::move(run), .accepts = accepts}, std::move(done)));
}

bool Committer::change_always(std::move_only_function<Result<void>(Tables&)> run, ChangeDone done) {
    return impl_->box_.put_always(
        pending({.run = std::move(run), .lasting = true}, std::move(done)));
}

bool Committer::change_without_haste(std::move_only_function<Result<void>(Tables&)> run,
                                     ChangeDone done) {
    return impl_->put_without_haste(
        pending({.run = std::move(run), .lasting = true}, std::move(done)));
}

const Condition& Committer::condition() const noexcept {
    return impl_->store_.condition();
}

Result<void> Committer::change_and_wait(std::move_only_function<Result<void>(Tables&)> run,
                                        std::move_only_function<void()> then, std::size_t accepts) {
    if (!condition().is_available()) {
        return fail(ErrorCode::unavailable, database_is_away);
    }
    // Shared, because a committer that fails destroys `done` without calling it.
    auto promise = std::make_shared<std::promise<Result<void>>>();
    auto future = promise->get_future();
    const bool taken = change(
        std::move(run),
        [promise, then = std::move(then)](Result<void> result) mutable {
            if (result && then) {
                then();
            }
            promise->set_value(std::move(result));
        },
        accepts);
    promise.reset();
    if (!taken) {
        return fail(ErrorCode::busy, "the store takes no more work just now");
    }
    try {
        return future.get();
    } catch (const std::future_error&) {
        return fail(ErrorCode::shutting_down, "the store stopped before the change was written");
    }
}

CommitterCounts Committer::counts() const noexcept {
    return {.commits = impl_->commits_.load(std::memory_order_relaxed),
            .operations = impl_->operations_.load(std::memory_order_relaxed),
            .waiting = impl_->box_.size()};
}

}  // namespace merpati::store
