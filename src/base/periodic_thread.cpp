#include "base/periodic_thread.hpp"

#include <utility>

#include "base/thread.hpp"

namespace merpati {

void PeriodicThread::start(const std::string& name, Pause first, std::function<Pause()> round) {
    thread_ = start_thread(name, [this, first, round = std::move(round)] { run(first, round); });
}

void PeriodicThread::wake() {
    {
        const std::lock_guard lock{mutex_};
        woken_ = true;
    }
    changed_.notify_all();
}

void PeriodicThread::stop() {
    {
        const std::lock_guard lock{mutex_};
        stopping_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) {
        thread_.join();
    }
}

void PeriodicThread::run(Pause pause, const std::function<Pause()>& round) {
    std::unique_lock lock{mutex_};
    for (;;) {
        if (pause) {
            changed_.wait_for(lock, *pause, [this] { return stopping_; });
        } else {
            changed_.wait(lock, [this] { return stopping_ || woken_; });
        }
        if (stopping_) {
            return;
        }
        woken_ = false;  // A later wake may be too late for this round.
        lock.unlock();
        pause = round();
        lock.lock();
    }
}

}  // namespace merpati
