// A beat for as long as there is something to look after.
#pragma once

#include <chrono>
#include <functional>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

namespace merpati::media {

/// Calls `beat` every `period` on the executor's thread until it answers false; `wake` starts it
/// again. What is due is for `beat` to say, by its own clock: so tests can move that clock.
class Ticker {
public:
    Ticker(const boost::asio::any_io_executor& executor, std::chrono::milliseconds period,
           std::function<bool()> beat)
        : timer_(executor), period_(period), beat_(std::move(beat)) {}

    void wake() {
        if (std::exchange(awake_, true)) {
            return;
        }
        timer_.expires_after(period_);
        timer_.async_wait([this](const boost::system::error_code& error) {
            if (error) {
                return;
            }
            awake_ = false;
            if (beat_()) {
                wake();
            }
        });
    }

    void cancel() { timer_.cancel(); }

private:
    boost::asio::steady_timer timer_;
    const std::chrono::milliseconds period_;
    const std::function<bool()> beat_;
    bool awake_ = false;
};

}  // namespace merpati::media
