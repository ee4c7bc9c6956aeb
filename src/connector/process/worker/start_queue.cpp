#include "connector/process/worker/start_queue.hpp"

#include <algorithm>

namespace merpati::connector::process {
namespace {

constexpr std::chrono::nanoseconds second = std::chrono::seconds{1};

}  // namespace

void StartQueue::add(model::AccountId account, model::PhoneNumber device) {
    if (!waiting_.insert(device).second) {
        return;
    }
    auto& queue = of_account_[account];
    if (queue.empty()) {
        turns_.push_back(account);
    }
    queue.push_back(device);
}

std::optional<model::PhoneNumber> StartQueue::next() {
    if (turns_.empty() || !take_one()) {
        return std::nullopt;
    }
    const auto account = turns_.front();
    turns_.pop_front();
    const auto found = of_account_.find(account);
    const auto device = found->second.front();
    found->second.pop_front();
    if (found->second.empty()) {
        of_account_.erase(found);
    } else {
        turns_.push_back(account);
    }
    waiting_.erase(device);
    return device;
}

void StartQueue::clear() {
    of_account_.clear();
    turns_.clear();
    waiting_.clear();
}

bool StartQueue::take_one() {
    const auto now = clock_.steady_now();
    free_ = std::min(second, free_ + std::chrono::nanoseconds{now - since_});
    since_ = now;
    const auto cost = second / per_second_;
    if (free_ < cost) {
        return false;
    }
    free_ -= cost;
    return true;
}

}  // namespace merpati::connector::process
