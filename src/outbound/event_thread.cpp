#include "outbound/event_thread.hpp"

#include <utility>

#include <boost/asio/post.hpp>

#include "base/thread.hpp"

namespace merpati::outbound {

void EventThread::start() {
    thread_ = start_thread(name_, [this] { io_.run(); });
}

bool EventThread::give(Work work) {
    const bool given = give_quietly(std::move(work));
    wake();
    return given;
}

bool EventThread::give_quietly(Work work) {
    const std::lock_guard lock{mutex_};
    if (closed_) {
        return false;
    }
    work_.push_back(std::move(work));
    return true;
}

void EventThread::wake() {
    {
        const std::lock_guard lock{mutex_};
        if (work_.empty() || std::exchange(woken_, true)) {
            return;
        }
    }
    boost::asio::post(io_, [this] { run_work(); });
}

void EventThread::stop(Work last) {
    {
        const std::lock_guard lock{mutex_};
        closed_ = true;
    }
    if (!thread_.joinable()) {
        return;
    }
    boost::asio::post(io_, [this, &last] {
        run_work();
        if (last) {
            last();
        }
        guard_.reset();
        io_.stop();
    });
    thread_.join();
}

void EventThread::run_work() {
    std::vector<Work> work;
    {
        const std::lock_guard lock{mutex_};
        work.swap(work_);
        woken_ = false;
    }
    for (auto& one : work) {
        one();
    }
    if (after_work_) {
        after_work_();
    }
}

}  // namespace merpati::outbound
