#include "store/committer.hpp"

#include <algorithm>
#include <atomic>
#include <future>
#include <mutex>
#include <thread>
#include <tuple>
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

/// After so many waits without work the log is moved into the store, and the thread sleeps.
constexpr int waits_until_checkpoint = 40;

/// While the disk is full, or nearly, it is looked at this often,
constexpr auto room_wait = 250ms;

/// and so often at the end, before outcomes are given up.
constexpr int last_tries_max = 8;

/// An element of a batch, and whom to tell of it.
template <class Element, class DoneFunction>
struct Told {
    Element element;
    DoneFunction done;
};

using Operation =
    std::variant<Told<Accept, Committer::AcceptDone>, Told<Finish, Committer::FinishDone>,
                 Told<Reschedule, Committer::RescheduleDone>,
                 Told<HandOver, Committer::HandOverDone>, Told<Intent, Committer::IntentDone>,
                 Told<CallbackUpdate, Committer::Done>, Told<Change, Committer::ChangeDone>>;

void tell(Accept& accept, Committer::AcceptDone& done) {
    done(std::move(accept));
}
void tell(Finish& finish, Committer::FinishDone& done) {
    done(std::move(finish));
}
void tell(Reschedule& reschedule, Committer::RescheduleDone& done) {
    done(reschedule);
}
void tell(HandOver& hand_over, Committer::HandOverDone& done) {
    done(hand_over);
}
void tell(Intent& intent, Committer::IntentDone& done) {
    done(intent);
}
void tell(CallbackUpdate& /*update*/, Committer::Done& done) {
    done();
}
void tell(Change& change, Committer::ChangeDone& done) {
    done(std::move(change.result));
}

/// The elements of one kind in a batch, and beside each whom to tell.
template <class Element, class DoneFunction>
class Kind {
public:
    explicit Kind(std::vector<Element>& elements) : elements_(elements) {}

    void add(Told<Element, DoneFunction>&& operation) {
        elements_.push_back(std::move(operation.element));
        dones_.push_back(std::move(operation.done));
    }

    void tell_all() {
        tell_and_drop([](const Element&) { return true; });
    }

    /// Tells of those that fit; the others stay.
    template <class Fits>
    void tell_and_drop(Fits fits) {
        std::size_t kept = 0;
        for (std::size_t place = 0; place < elements_.size(); ++place) {
            if (fits(elements_[place])) {
                tell(elements_[place], dones_[place]);
            } else if (kept++ != place) {
                elements_[kept - 1] = std::move(elements_[place]);
                dones_[kept - 1] = std::move(dones_[place]);
            }
        }
        elements_.erase(elements_.begin() + static_cast<std::ptrdiff_t>(kept), elements_.end());
        dones_.erase(dones_.begin() + static_cast<std::ptrdiff_t>(kept), dones_.end());
    }

    void clear() {
        elements_.clear();
        dones_.clear();
    }

private:
    std::vector<Element>& elements_;
    std::vector<DoneFunction> dones_;
};

/// What the next transaction writes.
class Gathering {
public:
    void add(Operation&& operation) {
        std::visit([this](auto&& told) { kind_of(told).add(std::move(told)); },
                   std::move(operation));
    }

    [[nodiscard]] WriteBatch& batch() noexcept { return batch_; }

    /// After a commit. Lets go of all, now: what they hold may be a connection.
    void tell() {
        std::apply([](auto&... kind) { (kind.tell_all(), ...); }, kinds_);
    }

    /// Where no room was found: of what may be refused. The rest stays to be written again.
    void tell_refused() {
        std::get<Kind<Change, Committer::ChangeDone>>(kinds_).tell_and_drop(
            [](const Change& change) { return !change.lasting; });
        std::get<Kind<Accept, Committer::AcceptDone>>(kinds_).tell_all();
    }

    void clear() {
        std::apply([](auto&... kind) { (kind.clear(), ...); }, kinds_);
    }

private:
    template <class Element, class DoneFunction>
    Kind<Element, DoneFunction>& kind_of(const Told<Element, DoneFunction>& /*told*/) {
        return std::get<Kind<Element, DoneFunction>>(kinds_);
    }

    WriteBatch batch_;
    // In the order in which they are told.
    std::tuple<Kind<Finish, Committer::FinishDone>, Kind<Reschedule, Committer::RescheduleDone>,
               Kind<HandOver, Committer::HandOverDone>, Kind<Intent, Committer::IntentDone>,
               Kind<CallbackUpdate, Committer::Done>, Kind<Change, Committer::ChangeDone>,
               Kind<Accept, Committer::AcceptDone>>
        kinds_{Kind<Finish, Committer::FinishDone>{batch_.finishes},
               Kind<Reschedule, Committer::RescheduleDone>{batch_.reschedules},
               Kind<HandOver, Committer::HandOverDone>{batch_.hand_overs},
               Kind<Intent, Committer::IntentDone>{batch_.intents},
               Kind<CallbackUpdate, Committer::Done>{batch_.callback_updates},
               Kind<Change, Committer::ChangeDone>{batch_.changes},
               Kind<Accept, Committer::AcceptDone>{batch_.accepts}};
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
        std::vector<Operation> operations;
        int idle_waits = waits_until_checkpoint;
        int last_tries = last_tries_max;
        for (;;) {
            answer();
            if (!wait_for(operations, idle_waits) && gathering_.batch().empty()) {
                return;
            }
            if (operations.empty() && !gathering_.batch().empty()) {  // What found no room before.
                if (box_.closed() && last_tries-- == 0) {
                    give_up(no_room_at_end());
                    return;
                }
                if (!commit(0, owner)) {
                    return;
                }
            } else if (operations.empty()) {
                if (!idle(++idle_waits)) {
                    return;
                }
            } else {
                idle_waits = 0;
            }
            for (std::size_t from = 0; from < operations.size(); from += options_.batch_max) {
                const auto to = std::min(operations.size(), from + options_.batch_max);
                for (std::size_t place = from; place < to; ++place) {
                    gathering_.add(std::move(operations[place]));
                }
                if (!commit(to - from, owner)) {
                    return;
                }
            }
        }
    }

    /// False when nothing more will come.
    bool wait_for(std::vector<Operation>& operations, int idle_waits) {
        const bool short_of_room = !gathering_.batch().empty() || !store_.condition().accepts();
        const bool asleep = idle_waits >= waits_until_checkpoint && !short_of_room;
        asleep_.store(asleep);
        if (expected_ >= gathered_min) {
            box_.gather(expected_, gather_wait);
        }
        if (asleep) {
            return box_.take_all(operations);
        }
        const auto wait = short_of_room ? room_wait : company_wait;
        const bool open = box_.take_all_for(operations, wait);
        if (!open && !gathering_.batch().empty()) {
            std::this_thread::sleep_for(wait);  // A closed box does not wait.
        }
        return open;
    }

    /// False when the store has failed.
    bool idle(int waits) {
        store_.look_at_disk();
        if (waits != waits_until_checkpoint) {
            return true;
        }
        const auto moved = store_.checkpoint();
        if (!moved) {
            give_up(moved.error());
        }
        return moved.has_value();
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
    void put_lazily(Operation&& operation) {
        box_.put_quietly(std::move(operation));
        if (asleep_.load()) {
            box_.wake();
        }
    }

    /// Writes the batch, of which `count` operations are new. False when the store has failed.
    bool commit(std::size_t count, const Committer& owner) {
        const auto began = clock_.steady_now();
        const auto written = store_.write(gathering_.batch());
        if (!written && written.error().code == ErrorCode::busy) {
            expected_ = 0;
            gathering_.tell_refused();
            wake_told(owner);
            return true;
        }
        if (!written) {
            give_up(written.error());
            return false;
        }
        commits_.fetch_add(1, std::memory_order_relaxed);
        operations_.fetch_add(count, std::memory_order_relaxed);
        expect_like(gathering_.batch(), count);
        if (owner.on_commit) {
            owner.on_commit(count, std::chrono::duration_cast<std::chrono::microseconds>(
                                       clock_.steady_now() - began));
        }
        for (auto& row : gathering_.batch().row_changes) {
            if (owner.on_row_changed) {
                owner.on_row_changed(std::move(row));
            }
        }
        gathering_.tell();
        wake_told(owner);
        return true;
    }

    static void wake_told(const Committer& owner) {
        if (owner.after_told) {
            owner.after_told();
        }
    }

    /// After a commit with many ended sends, the next is expected to bring as many operations that
    /// somebody waits for; without, the expectation fades.
    void expect_like(const WriteBatch& batch, std::size_t operations) {
        expected_ -= expected_ / 8;
        if (batch.finishes.size() >= gathered_min) {
            const auto lazy = std::min(operations, batch.callback_updates.size());
            expected_ = std::max(expected_, operations - lazy);
        }
    }

    static Error no_room_at_end() {
        return fail(ErrorCode::store_failed,
                    "the disk is full: outcomes of sends could not be recorded before the end")
            .error();
    }

    /// Where `on_fatal` returns (in tests), lets go of everything unwritten, so that whoever waits
    /// for it learns that nothing more will come.
    void give_up(const Error& why) {
        box_.close();
        on_fatal_(why);
        gathering_.clear();
        std::vector<Operation> left;
        while (box_.take_all(left)) {
        }
    }

    const Clock& clock_;
    Store& store_;
    const CommitterOptions options_;
    Fatal on_fatal_;
    Mailbox<Operation> box_;
    Gathering gathering_;  // What is being written, or found no room.
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
    return impl_->box_.put(Told{std::move(accept), std::move(done)});
}

void Committer::finish(Finish finish, FinishDone done) {
    impl_->box_.put_always(Told{std::move(finish), std::move(done)});
}

void Committer::reschedule(Reschedule reschedule, RescheduleDone done) {
    impl_->box_.put_always(Told{std::move(reschedule), std::move(done)});
}

void Committer::hand_over(HandOver hand_over, HandOverDone done) {
    impl_->box_.put_always(Told{std::move(hand_over), std::move(done)});
}

void Committer::record_intent(Intent intent, IntentDone done) {
    impl_->box_.put_always(Told{intent, std::move(done)});
}

void Committer::update_callback(CallbackUpdate update, Done done) {
    impl_->put_lazily(Told{std::move(update), std::move(done)});
}

void Committer::ask(Done done) {
    impl_->ask(std::move(done));
}

bool Committer::change(std::move_only_function<Result<void>(Tables&)> run, ChangeDone done) {
    return impl_->box_.put(Told{Change{.run = std::move(run)}, std::move(done)});
}

bool Committer::change_always(std::move_only_function<Result<void>(Tables&)> run, ChangeDone done) {
    return impl_->box_.put_always(
        Told{Change{.run = std::move(run), .lasting = true}, std::move(done)});
}

const Condition& Committer::condition() const noexcept {
    return impl_->store_.condition();
}

Result<void> Committer::change_and_wait(std::move_only_function<Result<void>(Tables&)> run,
                                        Done then) {
    // Shared, because the committer may end (a fatal error) and destroy the promise unkept.
    auto promise = std::make_shared<std::promise<Result<void>>>();
    auto future = promise->get_future();
    const bool taken =
        change(std::move(run), [promise, then = std::move(then)](Result<void> result) mutable {
            if (result && then) {
                then();
            }
            promise->set_value(std::move(result));
        });
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
