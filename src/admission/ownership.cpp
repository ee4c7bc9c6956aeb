#include "admission/ownership.hpp"

namespace merpati::admission {

Stay Ownership::of(model::AccountId account) const {
    if (count_.load() == 0) {
        return Stay::here;
    }
    const std::lock_guard lock{mutex_};
    const auto found = not_here_.find(account);
    return found == not_here_.end() ? Stay::here : found->second;
}

void Ownership::set(model::AccountId account, Stay stay) {
    const std::lock_guard lock{mutex_};
    if (stay == Stay::here) {
        not_here_.erase(account);
    } else {
        not_here_[account] = stay;
    }
    count_ = not_here_.size();
}

}  // namespace merpati::admission
