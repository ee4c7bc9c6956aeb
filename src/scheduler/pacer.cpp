#include "scheduler/pacer.hpp"

#include <algorithm>
#include <chrono>

namespace merpati::scheduler {

std::uint32_t cap_of_day(const model::Pace& pace, Timestamp added_at,
                         Timestamp day_ends_at) noexcept {
    const auto day = (day_ends_at - added_at) / std::chrono::days{1};  // 0: the first.
    if (day < 0 || day >= pace.warm_up_days) {
        return pace.per_day_max;
    }
    const auto part = static_cast<std::uint64_t>(pace.per_day_max) *
                      static_cast<std::uint64_t>(day + 1) / (pace.warm_up_days + 1U);
    return std::max(static_cast<std::uint32_t>(part), 1U);
}

void Pacer::restore(const store::SentRecord& sent) {
    sent_ = sent;
    plan();
}

void Pacer::set(const model::Pace& pace, Timestamp added_at) {
    pace_ = pace;
    added_at_ = added_at;
    plan();
}

Pacer::Send Pacer::sent(Timestamp now, Millis jitter, Millis day_left) noexcept {
    const auto before = sent_;
    if (!sent_ || now >= sent_->day_ends_at) {
        sent_ = {.day_ends_at = now + day_left};
    }
    sent_->last_at = now;
    sent_->jitter = jitter;
    ++sent_->of_day;
    plan();
    return {.before = before, .after = sent_};
}

void Pacer::take_back(const Send& send) noexcept {
    if (!sent_ || !send.after || sent_->day_ends_at != send.after->day_ends_at) {
        return;  // Another day has begun, or the device was removed.
    }
    if (sent_->last_at == send.after->last_at && sent_->of_day == send.after->of_day) {
        sent_ = send.before;
    } else if (sent_->of_day > 0) {
        --sent_->of_day;  // Others were sent since.
    }
    plan();
}

void Pacer::uncount(const Send& send) noexcept {
    if (sent_ && send.after && sent_->day_ends_at == send.after->day_ends_at && sent_->of_day > 0) {
        --sent_->of_day;
        plan();
    }
}

std::optional<store::SentRecord> Pacer::record() const noexcept {
    return pace_ == model::Pace{} ? std::nullopt : sent_;
}

void Pacer::plan() noexcept {
    if (!sent_) {
        ready_at_ = {};
        capped_ = false;
        return;
    }
    ready_at_ = sent_->last_at + pace_.gap_min + std::min(sent_->jitter, pace_.jitter_max);
    capped_ = pace_.per_day_max != 0 &&
              sent_->of_day >= cap_of_day(pace_, added_at_, sent_->day_ends_at) &&
              sent_->day_ends_at > ready_at_;
    if (capped_) {
        ready_at_ = sent_->day_ends_at;
    }
}

}  // namespace merpati::scheduler
