// A thread that runs an io_context, and the work that others give it.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

namespace merpati::outbound {

/// Operation: work that is given runs on the thread in its order, everything that waits at once;
/// then `after_work` runs, if there is any. Many calls cost one wake-up.
///
/// Threads: `start` and `stop` by its owner; `give`, `give_quietly` and `wake` by anyone;
/// everything else on the thread itself.
class EventThread {
public:
    using Work = std::move_only_function<void()>;

    explicit EventThread(std::string name, Work after_work = {})
        : name_(std::move(name)), after_work_(std::move(after_work)) {}
    ~EventThread() { stop({}); }

    [[nodiscard]] boost::asio::io_context::executor_type executor() { return io_.get_executor(); }

    void start();
    [[nodiscard]] bool is_running() const noexcept { return thread_.joinable(); }

    /// Runs `work` after `start`. False after `stop`: it will not run.
    bool give(Work work);

    /// The same, but nothing happens before `give` or `wake`, so that many calls in a row wake the
    /// thread once.
    bool give_quietly(Work work);
    void wake();

    /// Runs what was given before, then `last`, then ends the thread. Twice does no harm.
    void stop(Work last);

private:
    void run_work();

    const std::string name_;
    Work after_work_;
    boost::asio::io_context io_{1};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard_{
        io_.get_executor()};
    std::thread thread_;

    std::mutex mutex_;
    std::vector<Work> work_;
    bool woken_ = false;  // run_work is posted.
    bool closed_ = false;
};

}  // namespace merpati::outbound
