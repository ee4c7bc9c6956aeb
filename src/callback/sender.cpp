#include "callback/sender.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>
#include <vector>

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "callback/sender_core.hpp"
#include "outbound/ares_resolver.hpp"
#include "outbound/event_thread.hpp"

namespace merpati::callback {
namespace {

/// Makes the pool large enough for all attempts in flight, and as many idle connections.
outbound::ClientOptions fitted(outbound::ClientOptions client, const Options& options) {
    client.pool_total = std::max(client.pool_total, 2 * options.total_max);
    return client;
}

}  // namespace

/// The thread of the core. It runs the outbound client, one timer, and the functions that others
/// post, each batch of them followed by a step of the core.
class Sender::Impl {
public:
    Impl(const QueueClock& clock, Random& random, store::ReaderSource& store,
         store::Committer& committer, const outbound::AddressPolicy& policy,
         outbound::ClientOptions client, SecretLookup secrets, BatchLookup batches, Options options)
        : store_(store),
          client_(clock, thread_.executor(), policy, resolver_, fitted(std::move(client), options)),
          core_(
              clock, random, committer, std::move(secrets), std::move(batches), options,
              [this](outbound::Request request, outbound::ResponseHandler done) {
                  client_.send(std::move(request), std::move(done));
              },
              [this] { step_soon(); },
              [this](std::move_only_function<void()> work) { thread_.post(std::move(work)); }) {}

    Result<void> start() {
        if (auto ready = client_.ready(); !ready) {
            return ready;
        }
        auto reader = store_.open_reader();
        if (!reader) {
            return pass(reader);
        }
        if (auto recovered = core_.recover(std::move(*reader)); !recovered) {
            return recovered;
        }
        boost::asio::post(thread_.executor(), [this] { step(); });
        thread_.start();
        return {};
    }

    void stop(std::chrono::milliseconds deadline) {
        if (!thread_.is_running()) {
            return;
        }
        thread_.post([this] { core_.drain(); });
        {
            std::unique_lock lock{mutex_};
            quiet_.wait_for(lock, deadline, [this] { return drained_; });
        }
        thread_.stop([this] {
            client_.close();
            timer_.cancel();
        });
    }

    /// The first of those that the thread has not taken yet leads it to all of them.
    void committed(model::Callback&& callback) {
        bool is_first = false;
        {
            const std::lock_guard lock{arrived_mutex_};
            is_first = arrived_.empty();
            arrived_.push_back(std::move(callback));
        }
        if (is_first) {
            thread_.enqueue([this] { add_arrived(); });
        }
    }

    outbound::EventThread& thread() { return thread_; }
    SenderCore& core() { return core_; }

    [[nodiscard]] Counts counts() const {
        const std::lock_guard lock{mutex_};
        return counts_;
    }

private:
    void add_arrived() {
        {
            const std::lock_guard lock{arrived_mutex_};
            arrived_.swap(taken_);
        }
        for (auto& callback : taken_) {
            core_.add(std::move(callback));
        }
        taken_.clear();
    }

    /// One step for all answers that have arrived by now.
    void step_soon() {
        if (!std::exchange(step_posted_, true)) {
            boost::asio::post(thread_.executor(), [this] {
                step_posted_ = false;
                step();
            });
        }
    }

    void step() {
        core_.step();
        if (core_.next_step_at() == SteadyTime::min()) {
            step_soon();  // After the network events that have arrived meanwhile.
        } else {
            arm_timer();
        }
        const std::lock_guard lock{mutex_};
        counts_ = core_.counts();
        if (draining() && core_.is_idle()) {
            drained_ = true;
            quiet_.notify_all();
        }
    }

    [[nodiscard]] bool draining() const { return core_.draining(); }

    void arm_timer() {
        const auto at = core_.next_step_at();
        if (at == SteadyTime::max() || (armed_ && armed_at_ <= at)) {
            return;  // The timer expires soon enough.
        }
        armed_ = true;
        armed_at_ = at;
        timer_.expires_at(at);
        timer_.async_wait([this](const boost::system::error_code& error) {
            if (!error) {
                armed_ = false;
                step();
            }
        });
    }

    store::ReaderSource& store_;
    outbound::EventThread thread_{"callback", [this] { step(); }};
    boost::asio::steady_timer timer_{thread_.executor()};
    bool armed_ = false;
    bool step_posted_ = false;
    SteadyTime armed_at_{};
    outbound::AresResolver resolver_{thread_.executor()};
    outbound::Client client_;
    SenderCore core_;

    std::mutex arrived_mutex_;
    std::vector<model::Callback> arrived_;  // Committed, but not taken.
    std::vector<model::Callback> taken_;    // Empty but for its capacity.

    mutable std::mutex mutex_;
    std::condition_variable quiet_;
    Counts counts_;
    bool drained_ = false;
};

Sender::Sender(const QueueClock& clock, Random& random, store::ReaderSource& store,
               store::Committer& committer, const outbound::AddressPolicy& policy,
               outbound::ClientOptions client, SecretLookup secrets, BatchLookup batches,
               Options options)
    : impl_(std::make_unique<Impl>(clock, random, store, committer, policy, std::move(client),
                                   std::move(secrets), std::move(batches), std::move(options))) {}

Sender::~Sender() {
    stop(std::chrono::milliseconds{0});
}

Result<void> Sender::start() {
    return impl_->start();
}

void Sender::stop(std::chrono::milliseconds deadline) {
    impl_->stop(deadline);
}

void Sender::attach(const store::ShardSet& shards) {
    impl_->thread().post([this, shards] { impl_->core().attach(shards); });
}

void Sender::detach(const store::ShardSet& shards, model::Leave how,
                    std::shared_ptr<const void> done) {
    impl_->thread().post([this, shards, how, done = std::move(done)]() mutable {
        impl_->core().detach(shards, how, done);
        done.reset();
    });
}

void Sender::committed(model::Callback callback) {
    impl_->committed(std::move(callback));
}

void Sender::batch_done() {
    impl_->thread().wake();
}

void Sender::made_due(const store::Endpoint& endpoint) {
    impl_->thread().post([this, endpoint] { impl_->core().made_due(endpoint); });
}

void Sender::test(model::Callback callback,
                  std::move_only_function<void(Result<model::CallbackAttempt>)> done) {
    impl_->thread().post([this, callback = std::move(callback), done = std::move(done)]() mutable {
        impl_->core().test(std::move(callback), std::move(done));
    });
}

void Sender::health(model::AccountId account,
                    std::move_only_function<void(std::vector<EndpointHealth>)> done) {
    impl_->thread().post(
        [this, account, done = std::move(done)]() mutable { done(impl_->core().health(account)); });
}

Counts Sender::counts() const noexcept {
    return impl_->counts();
}

}  // namespace merpati::callback
