// A thread that runs an io_context, and the work that others give it.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

namespace merpati::media {

/// Threads: `start` and `stop` by its owner, `give` by anyone, everything else on the thread
/// itself.
class EventThread {
public:
    using Work = std::move_only_function<void()>;

    explicit EventThread(std::string name) : name_(std::move(name)) {}
    ~EventThread() { stop({}); }

    [[nodiscard]] boost::asio::io_context::executor_type executor() { return io_.get_executor(); }

    void start();

    /// Runs `work` on the thread, after `start`. False after `stop`: `work` is then untouched.
    /// Many calls cost one wake-up.
    [[nodiscard]] bool give(Work& work);

    /// Does what was given before, then `last`, then ends the thread. Twice does no harm.
    void stop(Work last);

private:
    void take_work();

    const std::string name_;
    boost::asio::io_context io_{1};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard_{
        io_.get_executor()};
    std::thread thread_;

    std::mutex mutex_;
    std::vector<Work> work_;
    bool woken_ = false;  // take_work is on its way.
    bool closed_ = false;
};

}  // namespace merpati::media
