// Starts a worker, and starts it again whenever it ends.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <boost/asio/io_context.hpp>

#include "base/clock.hpp"
#include "base/random.hpp"
#include "connector/process/options.hpp"
#include "connector/process/worker/worker.hpp"
#include "telemetry/log.hpp"

namespace merpati::connector::process {

/// Operation: starts the worker once it is wanted, and again each time it has ended. The first
/// restart of a worker that was ready comes at once. Further restarts back off exponentially, from
/// back_off_first to back_off_max, each pause drawn from the second half of its length. A worker
/// that was ready for healthy_after resets the back-off. Exit code 78 (EX_CONFIG) sets it to
/// back_off_max.
///
/// Threads: that of the io_context.
class Supervisor {
public:
    struct Owner {
        std::function<void(Hello&&)> on_ready;
        std::function<void(Frame&&)> on_frame;
        /// The worker has ended; not called while stopping. `cannot_start`: it could not be
        /// started, or ended before it was ready.
        std::function<void(bool cannot_start)> on_gone;
        /// Called when `tick` is due early. Must not call `tick` from within.
        std::function<void()> on_due;
    };

    Supervisor(const Clock& clock, Random& random, const Options& options, LineLimit& lines,
               telemetry::Log log, Owner owner);

    /// From now on the worker is wanted.
    void want();
    void tick(const boost::asio::io_context::executor_type& executor);
    void stop();
    /// After `stop`: fails all requests that the worker has not answered (Worker::fail_all).
    void fail_all();
    [[nodiscard]] bool is_stopped() const noexcept { return stopping_ && worker_ == nullptr; }

    /// The worker, if it can be asked; otherwise null.
    [[nodiscard]] std::shared_ptr<Worker> worker() const {
        return worker_ != nullptr && worker_->is_ready() && !stopping_ ? worker_ : nullptr;
    }
    /// Whether a worker runs that has said no hello for so long that something must be wrong.
    [[nodiscard]] bool is_silent() const;
    /// Whether the last worker could not be started, or ended before it was ready.
    [[nodiscard]] bool cannot_start() const noexcept { return cannot_start_; }

private:
    void start(const boost::asio::io_context::executor_type& executor);
    void ended(const std::string& why);
    void plan(bool longest);

    static constexpr int exit_config = 78;
    static constexpr Millis silent_after{5'000};

    const Clock& clock_;
    Random& random_;
    const Options& options_;
    const telemetry::Log log_;
    const Owner owner_;
    LineLimit& lines_;
    std::shared_ptr<Worker> worker_;
    bool wanted_ = false;
    bool stopping_ = false;
    bool cannot_start_ = false;
    bool was_ready_ = false;
    SteadyTime started_at_;
    SteadyTime ready_at_;
    SteadyTime next_start_;
    Millis back_off_{0};
};

}  // namespace merpati::connector::process
