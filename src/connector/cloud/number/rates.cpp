#include "connector/cloud/number/rates.hpp"

#include <algorithm>

namespace merpati::connector::cloud {
namespace {

constexpr std::chrono::seconds pair_credit = Rates::pair_gap * (Rates::pair_burst - 1);
constexpr std::size_t look_at_min = 1'024;

Millis wait_until(SteadyTime until, SteadyTime now) {
    return until > now ? std::chrono::ceil<Millis>(until - now) : Millis{0};
}

}  // namespace

Millis Rates::held_for(SteadyTime now) const {
    return wait_until(held_until_, now);
}

void Rates::hold(SteadyTime until) {
    held_until_ = std::max(held_until_, until);
}

Millis Rates::pair_wait(const std::string& recipient, SteadyTime now) const {
    const auto found = pairs_.find(recipient);
    if (found == pairs_.end()) {
        return Millis{0};
    }
    return wait_until(std::max(found->second.due - pair_credit, found->second.refused_until), now);
}

std::chrono::nanoseconds Rates::take(const std::string& recipient, SteadyTime now) {
    forget_idle(now);
    auto& pair = pairs_[recipient];
    pair.due = std::max(pair.due, now) + pair_gap;
    next_ = std::max(next_, now);
    const auto wait = next_ - now;
    next_ += number_gap;
    return wait;
}

Millis Rates::pair_refused(const std::string& recipient, std::optional<Millis> asked,
                           SteadyTime now) {
    auto& pair = pairs_[recipient];
    Millis wait{1'000};
    for (int refusal = 0; refusal <= pair.refusals && wait < pair_wait_max; ++refusal) {
        wait *= 4;
    }
    ++pair.refusals;
    wait = std::min(asked.value_or(wait), pair_wait_max);
    pair.refused_until = now + wait;
    return wait;
}

void Rates::pair_taken(const std::string& recipient) {
    if (const auto found = pairs_.find(recipient); found != pairs_.end()) {
        found->second.refusals = 0;
    }
}

void Rates::forget_idle(SteadyTime now) {
    if (pairs_.size() < look_at_) {
        return;
    }
    std::erase_if(pairs_, [now](const auto& entry) {
        const auto& pair = entry.second;
        return pair.due <= now && pair.refused_until + pair_wait_max <= now;
    });
    look_at_ = std::max(look_at_min, pairs_.size() * 2);
}

}  // namespace merpati::connector::cloud
