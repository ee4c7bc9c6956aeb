#include "scheduler/pacer.hpp"

#include <algorithm>
#include <chrono>

namespace merpati::scheduler {

void Pacer::restore(const store::SentRecord& sent) {
    sent_ = sent;
    plan();
}

void Pacer::set(const model::Pace& pace, Timestamp added_at) {
    pace_ = pace;
    added_at_ = added_at;
    plan();
}

void Pacer::sent(Timestamp now, Millis jitter, Millis day_left) noexcept {
    if (!sent_ || now >= sent_->day_ends_at) {
        sent_ = {.day_ends_at = now + day_left};
    }
    sent_->last_at = now;
    sent_->jitter = jitter;
    ++sent_->of_day;
    plan();
}

std::optional<store::SentRecord> Pacer::record() const noexcept {
    return pace_ == model::Pace{} ? std::nullopt : sent_;
}

void Pacer::plan() noexcept {
    if (!sent_) {
        return;
    }
    ready_at_ = sent_->last_at + pace_.gap_min + std::min(sent_->jitter, pace_.jitter_max);
    capped_ =
        pace_.per_day_max != 0 && sent_->of_day >= cap_of_day() && sent_->day_ends_at > ready_at_;
    if (capped_) {
        ready_at_ = sent_->day_ends_at;
    }
}

/// Of the day that ends at `day_ends_at`.
std::uint32_t Pacer::cap_of_day() const noexcept {
    const auto day = (sent_->day_ends_at - added_at_) / std::chrono::days{1};  // 0: the first.
    if (day < 0 || day >= pace_.warm_up_days) {
        return pace_.per_day_max;
    }
    const auto part = static_cast<std::uint64_t>(pace_.per_day_max) *
                      static_cast<std::uint64_t>(day + 1) / (pace_.warm_up_days + 1U);
    return std::max(static_cast<std::uint32_t>(part), 1U);
}

}  // namespace merpati::scheduler
