// A timer that repeats as long as its check asks for it.
#pragma once

#include <chrono>
#include <functional>
#include <utility>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

namespace merpati::outbound {

/// Operation: after `start`, calls `check` every `period` until it returns false; `start` may then
/// be called again. `period` is real time: `check` asks the injected clock what is due. `cancel` is
/// final.
///
/// Threads: the executor's one. Destroy it only after the executor has stopped, because a call may
/// be queued.
class PeriodicTimer {
public:
    PeriodicTimer(const boost::asio::any_io_executor& executor, std::chrono::milliseconds period,
                  std::function<bool()> check)
        : timer_(executor), period_(period), check_(std::move(check)) {}

    void start() {
        if (std::exchange(running_, true)) {
            return;
        }
        timer_.expires_after(period_);
        timer_.async_wait([this](const boost::system::error_code& error) {
            if (error) {
                return;
            }
            running_ = false;
            if (check_()) {
                start();
            }
        });
    }

    void cancel() { timer_.cancel(); }

private:
    boost::asio::steady_timer timer_;
    const std::chrono::milliseconds period_;
    const std::function<bool()> check_;
    bool running_ = false;
};

}  // namespace merpati::outbound
