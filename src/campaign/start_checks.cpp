#include "campaign/start_checks.hpp"

#include <algorithm>
#include <utility>

#include "base/thread.hpp"

namespace merpati::campaign {

void StartChecks::start() {
    has_threads_ = true;
    for (std::size_t count = 0; count < threads_count; ++count) {
        threads_.push_back(start_background_thread("start checks", [this] { work(); }));
    }
}

void StartChecks::stop() {
    {
        const std::lock_guard lock{mutex_};
        stopping_ = true;
    }
    changed_.notify_all();
    std::ranges::for_each(threads_, &std::thread::join);
    threads_.clear();
    queues_.clear();
    turns_.clear();
}

void StartChecks::put(CampaignPtr campaign, Done done) {
    if (!has_threads_) {
        auto step = check_(campaign);
        for (;;) {
            auto made = step();
            if (const auto result = result_of(made)) {
                done(*result);
                return;
            }
        }
    }
    {
        const std::lock_guard lock{mutex_};
        if (stopping_) {
            return;
        }
        const auto account = campaign->account;
        const auto [queue, is_new] = queues_.try_emplace(account);
        queue->second.checks.push_back({.campaign = std::move(campaign), .done = std::move(done)});
        if (is_new) {
            turns_.push_back(account);
        }
    }
    changed_.notify_one();
}

/// Empty: the check goes on.
std::optional<Result<CheckReport>> StartChecks::result_of(Result<CheckStep>& step) {
    if (!step) {
        return Result<CheckReport>{pass(step)};
    }
    return std::move(step->report).transform([](CheckReport&& report) {
        return Result<CheckReport>{std::move(report)};
    });
}

std::deque<model::AccountId>::iterator StartChecks::next_turn() {
    return std::ranges::find_if(turns_, [this](model::AccountId account) {
        return probing_ < probing_max || !queues_.at(account).probes_next;
    });
}

void StartChecks::work() {
    std::unique_lock lock{mutex_};
    for (;;) {
        changed_.wait(lock, [this] { return stopping_ || next_turn() != turns_.end(); });
        if (stopping_) {
            return;
        }
        take_turn(lock);
    }
}

/// The account stays out of `turns_` meanwhile, so its queue belongs to this thread, except for
/// `checks`, to which others append.
void StartChecks::take_turn(std::unique_lock<std::mutex>& lock) {
    const auto place = next_turn();
    const auto account = *place;
    turns_.erase(place);
    auto& queue = queues_.at(account);
    const auto& first = queue.checks.front();
    const bool probes = queue.probes_next;
    probing_ += probes ? 1 : 0;
    lock.unlock();
    if (!queue.step) {
        queue.step = check_(first.campaign);
    }
    auto made = queue.step();
    const auto result = result_of(made);
    if (result) {
        queue.step = nullptr;
        first.done(*result);
    }
    lock.lock();
    probing_ -= probes ? 1 : 0;
    queue.probes_next = !result && made->probes_next;
    if (result) {
        queue.checks.pop_front();
    }
    if (queue.checks.empty()) {
        queues_.erase(account);
    } else {
        turns_.push_back(account);
    }
    changed_.notify_all();
}

}  // namespace merpati::campaign
