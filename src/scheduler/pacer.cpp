#include "scheduler/pacer.hpp"

namespace merpati::scheduler {

void Pacer::sent(Timestamp now, Millis jitter) noexcept {
    const auto today = std::chrono::floor<std::chrono::days>(now);
    if (today != day_) {
        day_ = today;
        sent_today_ = 0;
    }
    ++sent_today_;
    ready_at_ = now + pace_.gap_min + jitter;
    if (pace_.per_day_max != 0 && sent_today_ >= pace_.per_day_max) {
        ready_at_ = std::max<Timestamp>(ready_at_, today + std::chrono::days{1});
    }
}

}  // namespace merpati::scheduler
