#include "scheduler/pacer.hpp"

#include <algorithm>

namespace merpati::scheduler {

void Pacer::restore(const store::SentRecord& sent) {
    sent_ = sent;
    plan();
}

void Pacer::set(const model::Pace& pace) {
    pace_ = pace;
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
    if (pace_.per_day_max != 0 && sent_->of_day >= pace_.per_day_max) {
        ready_at_ = std::max(ready_at_, sent_->day_ends_at);
    }
}

}  // namespace merpati::scheduler
