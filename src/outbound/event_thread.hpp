// A thread that runs an io_context, and work that other threads post to it.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

namespace merpati::outbound {

/// Operation: posted work runs on the thread, in the order in which it was posted. Each wake-up
/// runs all work that is queued by then, and `after_work` once after it; many calls cost one
/// wake-up.
///
/// Limits: none; callers limit what they post.
///
/// Threads: `start`, `stop` and `is_running` by the owner; `post`, `enqueue` and `wake` by any
/// thread. Work runs on the thread itself.
class EventThread {
public:
    using Work = std::move_only_function<void()>;

    explicit EventThread(std::string name, Work after_work = {})
        : name_(std::move(name)), after_work_(std::move(after_work)) {}
    ~EventThread() { stop({}); }

    [[nodiscard]] boost::asio::io_context::executor_type executor() { return io_.get_executor(); }

    void start();
    [[nodiscard]] bool is_running() const noexcept { return thread_.joinable(); }

    /// Calls `enqueue`, then `wake`.
    bool post(Work work);

    /// Queues the work, which runs after the next `wake` or `post`; a row of calls can then wake
    /// the thread once. False after `stop`: the work will not run.
    bool enqueue(Work work);
    void wake();

    /// Runs the work that was queued before, then `last`, then ends the thread and waits for its
    /// end. Idempotent. If the thread was not started, neither the work nor `last` runs.
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
    std::vector<Work> queue_;
    bool woken_ = false;  // run_work is scheduled.
    bool closed_ = false;
};

}  // namespace merpati::outbound
