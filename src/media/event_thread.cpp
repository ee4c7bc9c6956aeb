#include "media/event_thread.hpp"

#include <boost/asio/post.hpp>

#include "base/thread.hpp"

namespace merpati::media {

void EventThread::start() {
    thread_ = start_thread(name_, [this] { io_.run(); });
}

bool EventThread::give(Work& work) {
    {
        const std::lock_guard lock{mutex_};
        if (closed_) {
            return false;
        }
        work_.push_back(std::move(work));
        if (std::exchange(woken_, true)) {
            return true;
        }
    }
    boost::asio::post(io_, [this] { take_work(); });
    return true;
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
        take_work();
        if (last) {
            last();
        }
        guard_.reset();
        io_.stop();
    });
    thread_.join();
}

void EventThread::take_work() {
    std::vector<Work> work;
    {
        const std::lock_guard lock{mutex_};
        work.swap(work_);
        woken_ = false;
    }
    for (auto& one : work) {
        one();
    }
}

}  // namespace merpati::media
