// Keeps a worker running.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <boost/asio/io_context.hpp>

#include "base/clock.hpp"
#include "base/random.hpp"
#include "connector/process/options.hpp"
#include "connector/process/worker.hpp"
#include "telemetry/log.hpp"

namespace merpati::connector::process {

/// Operation: starts the worker when it is wanted, and again when it ended: at once where it was
/// ready, then after back_off_first, then twice as long each time, at most back_off_max; the pause
/// is drawn from its second half. A worker that was healthy for long begins anew. Exit code 78
/// waits the longest pause at once.
///
/// Threads: that of the io_context.
class Supervisor {
public:
    struct Owner {
        std::function<void(Capabilities&&)> on_ready;
        std::function<void(Frame&&)> on_frame;
        /// A worker that was ready is gone, or one could not be started (`cannot_start`).
        std::function<void(bool cannot_start)> on_gone;
        /// Something is due before the next tick. Not from within.
        std::function<void()> on_due;
    };

    Supervisor(const Clock& clock, Random& random, const Options& options, LineLimit& lines,
               telemetry::Log log, Owner owner);

    /// From now on it shall run.
    void want();
    void tick(const boost::asio::io_context::executor_type& executor);
    void stop();
    [[nodiscard]] bool is_stopped() const noexcept { return stopping_ && worker_ == nullptr; }

    /// Null: there is none that can be asked.
    [[nodiscard]] std::shared_ptr<Worker> worker() const {
        return worker_ != nullptr && worker_->is_ready() && !stopping_ ? worker_ : nullptr;
    }
    /// The last start failed; the next one may do better.
    [[nodiscard]] bool cannot_start() const noexcept { return cannot_start_; }

private:
    void start(const boost::asio::io_context::executor_type& executor);
    void ended(const std::string& why);
    void plan(bool longest);

    static constexpr int exit_config = 78;

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
    SteadyTime ready_at_;
    SteadyTime next_start_;
    Millis back_off_{0};
};

}  // namespace merpati::connector::process
