#include "scheduler/pacer.hpp"

#include <algorithm>

namespace merpati::scheduler {

using std::chrono::days;
using std::chrono::floor;

void Pacer::set(const model::Pace& pace) {
    pace_ = pace;
    plan();
}

void Pacer::sent(Timestamp now, Millis jitter) noexcept {
    if (floor<days>(now) != floor<days>(last_)) {
        sent_today_ = 0;
    }
    ++sent_today_;
    last_ = now;
    jitter_ = jitter;
    plan();
}

void Pacer::plan() noexcept {
    if (sent_today_ == 0) {
        return;  // Nothing was sent yet.
    }
    ready_at_ = last_ + pace_.gap_min + std::min(jitter_, pace_.jitter_max);
    if (pace_.per_day_max != 0 && sent_today_ >= pace_.per_day_max) {
        ready_at_ = std::max<Timestamp>(ready_at_, floor<days>(last_) + days{1});
    }
}

}  // namespace merpati::scheduler
