// A timer that runs for as long as there is something to look after.
#pragma once

#include <chrono>
#include <functional>
#include <utility>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

namespace merpati::outbound {

/// Calls `check` every `period` on the executor's thread until it returns false; `start` begins
/// again. What is due is for `check` to decide by the injected clock, which tests move.
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
