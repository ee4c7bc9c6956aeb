#include "campaign/start_checks.hpp"

#include <algorithm>
#include <utility>

#include "base/thread.hpp"

namespace merpati::campaign {

void StartChecks::start() {
    has_threads_ = true;
    for (std::size_t count = 0; count < threads_count; ++count) {
        threads_.push_back(start_thread("start checks", [this] { work(); }));
    }
}

void StartChecks::stop() {
    {
        const std::lock_guard lock{mutex_};
        stopping_ = true;
        waiting_.clear();
    }
    changed_.notify_all();
    std::ranges::for_each(threads_, &std::thread::join);
    threads_.clear();
}

void StartChecks::put(CampaignPtr campaign, Done done) {
    if (!has_threads_) {
        done(check_(*campaign));
        return;
    }
    {
        const std::lock_guard lock{mutex_};
        if (!stopping_) {
            waiting_.push_back({.campaign = std::move(campaign), .done = std::move(done)});
        }
    }
    changed_.notify_one();
}

std::deque<StartChecks::Waiting>::iterator StartChecks::next_free() {
    return std::ranges::find_if(
        waiting_, [this](const Waiting& one) { return !at_work_.contains(one.campaign->account); });
}

void StartChecks::work() {
    std::unique_lock lock{mutex_};
    for (;;) {
        changed_.wait(lock, [this] { return stopping_ || next_free() != waiting_.end(); });
        if (stopping_) {
            return;
        }
        const auto place = next_free();
        const auto taken = std::move(*place);
        waiting_.erase(place);
        const auto account = taken.campaign->account;
        at_work_.insert(account);
        lock.unlock();
        taken.done(check_(*taken.campaign));
        lock.lock();
        at_work_.erase(account);
        changed_.notify_all();
    }
}

}  // namespace merpati::campaign
