#include "scheduler/scheduler.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "base/liveness_probes.hpp"
#include "base/mailbox.hpp"
#include "base/thread.hpp"
#include "scheduler/dispatcher.hpp"

namespace merpati::scheduler {
namespace {

using namespace std::chrono_literals;

constexpr Millis sleep_longest = 1s;  // The counts are updated at least this often.

}  // namespace

/// The thread of the dispatcher.
class Scheduler::Impl {
public:
    Impl(const QueueClock& clock, Random& random, store::ReaderSource& store,
         store::Committer& committer, const connector::Connectors& connectors,
         CallbackFactory callbacks, FinishListener on_finish, const Options& options)
        : clock_(clock),
          store_(store),
          callbacks_(std::move(callbacks)),
          on_finish_(std::move(on_finish)),
          box_(0),
          dispatcher_(clock, random, committer, connectors, callbacks_, on_finish_, options,
                      [this](Event&& event) { enqueue(std::move(event)); }) {}

    Result<void> start() {
        auto reader = store_.open_reader();
        if (!reader) {
            return pass(reader);
        }
        if (auto recovered = dispatcher_.recover(std::move(*reader)); !recovered) {
            return recovered;
        }
        thread_ = start_thread("scheduler", [this] { run(); });
        return {};
    }

    void drain(std::chrono::milliseconds patience) {
        if (!thread_.joinable()) {
            return;
        }
        draining_ = true;
        box_.nudge();
        std::unique_lock lock{counts_mutex_};
        drained_.wait_for(lock, patience, [this] { return is_drained_; });
    }

    void stop(std::chrono::milliseconds patience) {
        drain(patience);
        if (thread_.joinable()) {
            stopping_ = true;
            box_.nudge();
            thread_.join();
        }
        box_.close();
        std::vector<Event> left;
        (void)box_.take_all(left);
        std::ranges::for_each(left, refuse);
    }

    /// Behind the events of commits that were reported before.
    void post(Event&& event) {
        put_events_of_batch();
        post_at_once(std::move(event));
    }
    /// For events that follow from none of the committer's.
    void post_at_once(Event&& event) {
        if (!box_.put_always(std::move(event))) {
            refuse(event);
        }
    }
    void post_quietly(Event&& event) {
        const std::lock_guard lock{batch_mutex_};
        of_batch_.push_back(std::move(event));
    }
    void batch_done() {
        put_events_of_batch();
        box_.wake();
    }

    void add_probe(LivenessProbes::Probe probe) {
        probes_.add(std::move(probe));
        box_.nudge();
    }

    [[nodiscard]] Counts counts() const {
        const std::lock_guard lock{counts_mutex_};
        return counts_;
    }

private:
    /// Events of a batch of commits are put into the box together (`batch_done`), so that this
    /// thread and the committer's rarely want its lock at the same time; files arrive one by one.
    void enqueue(Event&& event) {
        if (std::holds_alternative<Fetched>(event)) {
            post_at_once(std::move(event));
        } else {
            post_quietly(std::move(event));
        }
    }

    void put_events_of_batch() {
        const std::lock_guard lock{batch_mutex_};
        box_.put_all_quietly(of_batch_);
        of_batch_.clear();
    }

    /// Calls the handler of an event that will not be handled.
    static void refuse(Event& event) {
        const auto stopped = [] {
            return fail(ErrorCode::shutting_down, "the scheduler has stopped");
        };
        if (auto* cancelled = std::get_if<CancelRequested>(&event)) {
            cancelled->done(stopped());
        } else if (auto* withdrawn = std::get_if<WithdrawRequested>(&event)) {
            withdrawn->done(stopped());
        } else if (auto* hastened = std::get_if<HastenRequested>(&event)) {
            hastened->done(stopped());
        } else if (auto* asked = std::get_if<ExplainRequested>(&event)) {
            asked->done(stopped());
        } else if (auto* detached = std::get_if<DevicesDetached>(&event)) {
            detached->done();
        }
    }

    void run() {
        std::vector<Event> events;
        while (box_.take_all_for(events, sleep_time())) {
            const bool draining = draining_;
            if (draining) {
                dispatcher_.drain();
            }
            dispatcher_.step(events);
            probes_.answer();
            {
                const std::lock_guard lock{counts_mutex_};
                counts_ = dispatcher_.counts();
                is_drained_ = draining && dispatcher_.in_flight() == 0;
            }
            if (draining) {
                drained_.notify_all();
            }
            if (stopping_) {
                return;
            }
        }
    }

    [[nodiscard]] Millis sleep_time() const {
        const auto next = dispatcher_.next_step_at();
        if (next == Timestamp::min()) {
            return 0ms;
        }
        return next == Timestamp::max()
                   ? sleep_longest
                   : std::clamp<Millis>(next - clock_.now(), 0ms, sleep_longest);
    }

    const QueueClock& clock_;
    store::ReaderSource& store_;
    const CallbackFactory callbacks_;
    const FinishListener on_finish_;
    Mailbox<Event> box_;
    std::mutex batch_mutex_;
    std::vector<Event> of_batch_;  // Of commits that were reported since the last `batch_done`.
    Dispatcher dispatcher_;
    std::thread thread_;
    std::atomic<bool> draining_{false};
    std::atomic<bool> stopping_{false};
    LivenessProbes probes_;
    mutable std::mutex counts_mutex_;
    Counts counts_;
    std::condition_variable drained_;
    bool is_drained_ = false;
};

Scheduler::Scheduler(const QueueClock& clock, Random& random, store::ReaderSource& store,
                     store::Committer& committer, const connector::Connectors& connectors,
                     CallbackFactory callbacks, FinishListener on_finish, const Options& options)
    : impl_(std::make_unique<Impl>(clock, random, store, committer, connectors,
                                   std::move(callbacks), std::move(on_finish), options)) {}

Scheduler::~Scheduler() {
    stop(0ms);
}

Result<void> Scheduler::start() {
    return impl_->start();
}

void Scheduler::drain(std::chrono::milliseconds patience) {
    impl_->drain(patience);
}

void Scheduler::stop(std::chrono::milliseconds patience) {
    impl_->stop(patience);
}

void Scheduler::accepted(std::unique_ptr<model::Message> message) {
    impl_->post_quietly(Accepted{.message = std::move(message)});
}

void Scheduler::batch_done() {
    impl_->batch_done();
}

void Scheduler::outcome(const model::MessageId& message, model::Outcome outcome) {
    impl_->post_at_once(Reported{.message = message, .outcome = std::move(outcome)});
}

void Scheduler::device_changed(const model::Device& device) {
    impl_->post(DeviceChanged{.device = device});
}

void Scheduler::device_removed(model::PhoneNumber device, model::AccountId account) {
    impl_->post(DeviceRemoved{.device = device, .account = account});
}

void Scheduler::attach(std::vector<model::Device> devices) {
    impl_->post(DevicesAttached{.devices = std::move(devices)});
}

void Scheduler::detach(std::vector<model::PhoneNumber> devices, model::Leave how,
                       std::move_only_function<void()> done) {
    impl_->post(
        DevicesDetached{.devices = std::move(devices), .how = how, .done = std::move(done)});
}

void Scheduler::cancel(store::QueuedMessage message,
                       std::move_only_function<void(Result<void>)> done) {
    impl_->post(CancelRequested{.message = std::move(message), .done = std::move(done)});
}

void Scheduler::withdraw(std::vector<store::QueuedMessage> messages,
                         std::move_only_function<void(Result<std::size_t>)> done) {
    impl_->post(WithdrawRequested{.messages = std::move(messages), .done = std::move(done)});
}

void Scheduler::hasten(store::QueuedMessage message,
                       std::move_only_function<void(Result<void>)> done) {
    impl_->post(HastenRequested{.message = std::move(message), .done = std::move(done)});
}

void Scheduler::explain(store::QueuedMessage message,
                        std::move_only_function<void(Result<Wait>)> done) {
    impl_->post(ExplainRequested{.message = std::move(message), .done = std::move(done)});
}

void Scheduler::queued_on_disk(model::PhoneNumber device, model::Source source, Timestamp due) {
    impl_->post(QueuedOnDisk{.device = device, .source = source, .due = due});
}

void Scheduler::device_down(model::PhoneNumber device, Millis retry_after) {
    impl_->post(WentDown{.device = device, .retry_after = retry_after});
}

void Scheduler::probe(std::move_only_function<void()> answer) {
    impl_->add_probe(std::move(answer));
}

Counts Scheduler::counts() const noexcept {
    return impl_->counts();
}

}  // namespace merpati::scheduler
