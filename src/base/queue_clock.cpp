#include "base/queue_clock.hpp"

#include <algorithm>
#include <cstdlib>

namespace merpati {
namespace {

std::int64_t steady_millis(const Clock& clock) noexcept {
    return std::chrono::floor<Millis>(clock.steady_now().time_since_epoch()).count();
}

}  // namespace

QueueClock::QueueClock(const Clock& machine)
    : machine_(machine), base_(to_unix_millis(machine.now()) - steady_millis(machine)) {}

void QueueClock::begin(Millis stored_offset, Timestamp newest) noexcept {
    noticed_ = stored_offset.count();
    const Timestamp from = std::max<Timestamp>(machine_.now() + stored_offset, newest);
    base_ = to_unix_millis(from) - steady_millis(machine_);
}

Timestamp QueueClock::now() const noexcept {
    return from_unix_millis(base_.load(std::memory_order_relaxed) + steady_millis(machine_));
}

std::optional<Millis> QueueClock::notice_step() noexcept {
    const auto set_by = Millis{noticed_.load()} - offset();
    if (std::chrono::abs(set_by) <= step_min) {
        return std::nullopt;
    }
    noticed_ -= set_by.count();
    ++steps_;
    return set_by;
}

/// The wall clock was not set, so `noticed_` moves too.
void QueueClock::steer(Millis ahead) noexcept {
    const auto by = std::clamp(ahead - offset(), -steer_max, steer_max);
    noticed_ += by.count();
    base_ += by.count();
}

}  // namespace merpati
