#include "callback/sender.hpp"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/thread.hpp"
#include "callback/sender_core.hpp"
#include "outbound/ares_resolver.hpp"

namespace merpati::callback {

/// The thread around the core: an io_context that runs the outbound client and one timer.
class Sender::Impl {
public:
    Impl(const QueueClock& clock, Random& random, store::Store& store, store::Committer& committer,
         const outbound::AddressPolicy& policy, outbound::ClientOptions client,
         SecretLookup secrets, Options options)
        : store_(store),
          client_(clock, io_.get_executor(), policy, resolver_, std::move(client)),
          core_(
              clock, random, committer, std::move(secrets), options,
              [this](outbound::Request request, outbound::ResponseHandler done) {
                  client_.send(std::move(request), std::move(done));
              },
              [this] { step_soon(); },
              [this](std::move_only_function<void()> work) { give(std::move(work)); }) {}

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
        boost::asio::post(io_, [this] { step(); });
        thread_ = start_thread("callback", [this] { io_.run(); });
        return {};
    }

    void stop(std::chrono::milliseconds deadline) {
        if (!thread_.joinable()) {
            return;
        }
        give([this] { core_.drain(); });
        {
            std::unique_lock lock{mutex_};
            quiet_.wait_for(lock, deadline, [this] { return drained_; });
        }
        boost::asio::post(io_, [this] {
            client_.close();
            timer_.cancel();
            guard_.reset();
            io_.stop();
        });
        thread_.join();
    }

    /// Runs `work` on the thread.
    void give(std::move_only_function<void()> work) {
        give_quietly(std::move(work));
        told();
    }

    /// ... but only after `told`, so that a batch costs one wake-up.
    void give_quietly(std::move_only_function<void()> work) {
        const std::lock_guard lock{mutex_};
        work_.push_back(std::move(work));
    }

    void told() {
        {
            const std::lock_guard lock{mutex_};
            if (work_.empty() || std::exchange(woken_, true)) {
                return;
            }
        }
        boost::asio::post(io_, [this] { take_work(); });
    }

    SenderCore& core() { return core_; }

    [[nodiscard]] Counts counts() const {
        const std::lock_guard lock{mutex_};
        return counts_;
    }

private:
    void take_work() {
        std::vector<std::move_only_function<void()>> work;
        {
            const std::lock_guard lock{mutex_};
            work.swap(work_);
            woken_ = false;
        }
        for (auto& one : work) {
            one();
        }
        step();
    }

    /// One step for all answers that have come by now.
    void step_soon() {
        if (!std::exchange(step_posted_, true)) {
            boost::asio::post(io_, [this] {
                step_posted_ = false;
                step();
            });
        }
    }

    void step() {
        core_.step();
        if (core_.next_step_at() == SteadyTime::min()) {
            step_soon();  // After what has come over the network meanwhile.
        } else {
            arm_timer();
        }
        const std::lock_guard lock{mutex_};
        counts_ = core_.counts();
        if (draining() && core_.quiet()) {
            drained_ = true;
            quiet_.notify_all();
        }
    }

    [[nodiscard]] bool draining() const { return core_.draining(); }

    void arm_timer() {
        const auto at = core_.next_step_at();
        if (at == SteadyTime::max() || (armed_ && armed_at_ <= at)) {
            return;  // The timer that is set comes soon enough.
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

    store::Store& store_;
    boost::asio::io_context io_{1};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard_{
        io_.get_executor()};
    boost::asio::steady_timer timer_{io_};
    bool armed_ = false;
    bool step_posted_ = false;
    SteadyTime armed_at_{};
    outbound::AresResolver resolver_{io_.get_executor()};
    outbound::Client client_;
    SenderCore core_;
    std::thread thread_;

    mutable std::mutex mutex_;
    std::condition_variable quiet_;
    std::vector<std::move_only_function<void()>> work_;
    Counts counts_;
    bool drained_ = false;
    bool woken_ = false;  // take_work is on its way.
};

Sender::Sender(const QueueClock& clock, Random& random, store::Store& store,
               store::Committer& committer, const outbound::AddressPolicy& policy,
               outbound::ClientOptions client, SecretLookup secrets, Options options)
    : impl_(std::make_unique<Impl>(clock, random, store, committer, policy, std::move(client),
                                   std::move(secrets), std::move(options))) {}

Sender::~Sender() {
    stop(std::chrono::milliseconds{0});
}

Result<void> Sender::start() {
    return impl_->start();
}

void Sender::stop(std::chrono::milliseconds deadline) {
    impl_->stop(deadline);
}

void Sender::committed(model::Callback callback) {
    impl_->give_quietly([this, callback = std::move(callback)]() mutable {
        impl_->core().add(std::move(callback));
    });
}

void Sender::told() {
    impl_->told();
}

void Sender::wake(const store::Endpoint& endpoint) {
    impl_->give([this, endpoint] { impl_->core().wake(endpoint); });
}

Counts Sender::counts() const noexcept {
    return impl_->counts();
}

}  // namespace merpati::callback
