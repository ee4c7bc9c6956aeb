#include "store/committer.hpp"

#include <algorithm>
#include <atomic>
#include <future>
#include <mutex>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "base/mailbox.hpp"
#include "base/thread.hpp"

namespace merpati::store {
namespace {

using namespace std::chrono_literals;

/// Callback results wait this long for company: nobody waits for them, and a commit of their own
/// costs as much as one of many acceptances.
constexpr auto company_wait = 5ms;

/// Under load a commit waits up to this long for as many operations as the last ones brought.
constexpr auto gather_wait = 300us;

/// Load is where so many operations come at a time, and so many sends end. A commit costs much the
/// same whatever its size, so where sends want the processor too, fewer and larger ones complete
/// more messages. Acceptances alone wait for the disk, and are never held up.
constexpr std::size_t gathered_min = 16;

/// After so many waits without work the store may rest (checkpoint) and the thread sleep.
constexpr int waits_until_rest = 40;

template <class Work, class DoneFunction>
struct Operation {
    Work work;
    DoneFunction done;
};

using AcceptOperation = Operation<Accept, Committer::AcceptDone>;
using FinishOperation = Operation<Finish, Committer::FinishDone>;
using RescheduleOperation = Operation<Reschedule, Committer::RescheduleDone>;
using IntentOperation = Operation<Intent, Committer::Done>;
using CallbackOperation = Operation<CallbackUpdate, Committer::Done>;
using ChangeOperation = Operation<Change, Committer::ChangeDone>;
using AnyOperation = std::variant<AcceptOperation, FinishOperation, RescheduleOperation,
                                  IntentOperation, CallbackOperation, ChangeOperation>;

/// A WriteBatch with, element by element, whom to tell.
struct Gathering {
    WriteBatch batch;
    std::vector<Committer::AcceptDone> accepts;
    std::vector<Committer::FinishDone> finishes;
    std::vector<Committer::RescheduleDone> reschedules;
    std::vector<Committer::Done> intents;
    std::vector<Committer::Done> callback_updates;
    std::vector<Committer::ChangeDone> changes;

    void add(AcceptOperation&& op) { put(batch.accepts, accepts, std::move(op)); }
    void add(FinishOperation&& op) { put(batch.finishes, finishes, std::move(op)); }
    void add(RescheduleOperation&& op) { put(batch.reschedules, reschedules, std::move(op)); }
    void add(IntentOperation&& op) { put(batch.intents, intents, std::move(op)); }
    void add(CallbackOperation&& op) {
        put(batch.callback_updates, callback_updates, std::move(op));
    }
    void add(ChangeOperation&& op) { put(batch.changes, changes, std::move(op)); }

    void tell() {
        for (std::size_t place = 0; place < finishes.size(); ++place) {
            finishes[place](std::move(batch.finishes[place]));
        }
        for (std::size_t place = 0; place < reschedules.size(); ++place) {
            reschedules[place](batch.reschedules[place]);
        }
        for (auto& done : intents) {
            done();
        }
        for (auto& done : callback_updates) {
            done();
        }
        for (std::size_t place = 0; place < changes.size(); ++place) {
            changes[place](std::move(batch.changes[place].result));
        }
        for (std::size_t place = 0; place < accepts.size(); ++place) {
            accepts[place](std::move(batch.accepts[place]));
        }
    }

    void clear() {
        batch.accepts.clear();
        batch.finishes.clear();
        batch.reschedules.clear();
        batch.intents.clear();
        batch.callback_updates.clear();
        batch.changes.clear();
        accepts.clear();
        finishes.clear();
        reschedules.clear();
        intents.clear();
        callback_updates.clear();
        changes.clear();
    }

private:
    template <class Work, class DoneFunction>
    static void put(std::vector<Work>& works, std::vector<DoneFunction>& dones,
                    Operation<Work, DoneFunction>&& op) {
        works.push_back(std::move(op.work));
        dones.push_back(std::move(op.done));
    }
};

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
        std::vector<AnyOperation> operations;
        int idle_waits = waits_until_rest;
        for (;;) {
            answer();
            const bool asleep = idle_waits >= waits_until_rest;
            asleep_.store(asleep);
            if (expected_ >= gathered_min) {
                box_.gather(expected_, gather_wait);
            }
            const bool open =
                asleep ? box_.take_all(operations) : box_.take_all_for(operations, company_wait);
            if (!open) {
                return;
            }
            if (operations.empty()) {
                if (++idle_waits == waits_until_rest) {
                    store_.rest();
                }
                continue;
            }
            idle_waits = 0;
            for (std::size_t from = 0; from < operations.size(); from += options_.batch_max) {
                const auto to = std::min(operations.size(), from + options_.batch_max);
                if (!commit(operations, from, to, owner)) {
                    return;
                }
            }
        }
    }

    void ask(Committer::Done done) {
        {
            const std::lock_guard lock{asked_mutex_};
            asked_.push_back(std::move(done));
        }
        box_.nudge();
    }

    void answer() {
        std::vector<Committer::Done> asked;
        {
            const std::lock_guard lock{asked_mutex_};
            asked.swap(asked_);
        }
        for (auto& done : asked) {
            done();
        }
    }

    /// For an operation that nobody waits for. A thread that sleeps for good must be woken all the
    /// same. It says so before it looks into the box, and this looks after it has put: either it
    /// sees the item, or this sees it asleep.
    void put_lazily(AnyOperation&& operation) {
        box_.put_quietly(std::move(operation));
        if (asleep_.load()) {
            box_.wake();
        }
    }

    bool commit(std::vector<AnyOperation>& operations, std::size_t from, std::size_t to,
                const Committer& owner) {
        for (std::size_t place = from; place < to; ++place) {
            std::visit([this](auto& operation) { gathering_.add(std::move(operation)); },
                       operations[place]);
        }
        const auto began = clock_.steady_now();
        const auto written = store_.write(gathering_.batch);
        if (!written) {
            box_.close();
            on_fatal_(written.error());
            abandon(operations);
            return false;
        }
        commits_.fetch_add(1, std::memory_order_relaxed);
        operations_.fetch_add(to - from, std::memory_order_relaxed);
        expect_like(gathering_, to - from);
        if (owner.on_commit) {
            owner.on_commit(to - from, std::chrono::duration_cast<std::chrono::microseconds>(
                                           clock_.steady_now() - began));
        }
        gathering_.tell();
        if (owner.after_told) {
            owner.after_told();
        }
        gathering_.clear();  // Now, not at the next commit: what they hold may be a connection.
        return true;
    }

    /// After a commit with many ended sends, the next is expected to bring as many operations that
    /// somebody waits for; without, the expectation fades.
    void expect_like(const Gathering& gathering, std::size_t operations) {
        expected_ -= expected_ / 8;
        if (gathering.finishes.size() >= gathered_min) {
            expected_ = std::max(expected_, operations - gathering.callback_updates.size());
        }
    }

    /// Where `on_fatal` returns (in tests), lets go of everything unwritten, so that whoever waits
    /// for it learns that nothing more will come.
    void abandon(std::vector<AnyOperation>& operations) {
        gathering_.clear();
        while (box_.take_all(operations)) {
        }
    }

    const Clock& clock_;
    Store& store_;
    const CommitterOptions options_;
    Fatal on_fatal_;
    Mailbox<AnyOperation> box_;
    Gathering gathering_;
    std::mutex asked_mutex_;
    std::vector<Committer::Done> asked_;
    std::size_t expected_ = 0;
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

bool Committer::accept(Accept accept, AcceptDone done) {
    return impl_->box_.put(AcceptOperation{std::move(accept), std::move(done)});
}

void Committer::finish(Finish finish, FinishDone done) {
    impl_->box_.put_always(FinishOperation{std::move(finish), std::move(done)});
}

void Committer::reschedule(Reschedule reschedule, RescheduleDone done) {
    impl_->box_.put_always(RescheduleOperation{std::move(reschedule), std::move(done)});
}

void Committer::record_intent(Intent intent, Done done) {
    impl_->box_.put_always(IntentOperation{intent, std::move(done)});
}

void Committer::update_callback(CallbackUpdate update, Done done) {
    impl_->put_lazily(CallbackOperation{std::move(update), std::move(done)});
}

void Committer::ask(Done done) {
    impl_->ask(std::move(done));
}

bool Committer::change(std::move_only_function<Result<void>(Tables&)> run, ChangeDone done) {
    return impl_->box_.put(ChangeOperation{Change{.run = std::move(run)}, std::move(done)});
}

Result<void> Committer::change_and_wait(std::move_only_function<Result<void>(Tables&)> run) {
    // Shared, because the committer may end (a fatal error) and destroy the promise unkept.
    auto promise = std::make_shared<std::promise<Result<void>>>();
    auto future = promise->get_future();
    const bool taken = change(
        std::move(run), [promise](Result<void> result) { promise->set_value(std::move(result)); });
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
