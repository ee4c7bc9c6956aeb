#include "outbound/event_thread.hpp"

#include <utility>

#include <boost/asio/post.hpp>

#include "base/thread.hpp"

namespace merpati::outbound {

void EventThread::start() {
    thread_ = start_thread(name_, [this] { io_.run(); });
}

bool EventThread::post(Work work) {
    const bool queued = enqueue(std::move(work));
    wake();
    return queued;
}

bool EventThread::enqueue(Work work) {
    const std::lock_guard lock{mutex_};
    if (closed_) {
        return false;
    }
    queue_.push_back(std::move(work));
    return true;
}

void EventThread::wake() {
    {
        const std::lock_guard lock{mutex_};
        if (queue_.empty() || std::exchange(woken_, true)) {
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
        work.swap(queue_);
        woken_ = false;
    }
    for (auto& item : work) {
        item();
    }
    if (after_work_) {
        after_work_();
    }
}

}  // namespace merpati::outbound
