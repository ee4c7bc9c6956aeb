// How evenly a device's messages leave.
#pragma once

#include <cstdint>

#include "base/clock.hpp"
#include "model/device.hpp"

namespace merpati::scheduler {

/// Says when a device may send next, so that a burst of messages leaves evenly.
///
/// Operation: `ready_at` answers the earliest moment of the next send; `sent` moves it on by the
/// gap and a fresh jitter. At the day's cap the answer is the next midnight, UTC.
///
/// Threads: none. The scheduler's thread owns every pacer.
class Pacer {
public:
    void set(const model::Pace& pace) { pace_ = pace; }
    [[nodiscard]] const model::Pace& pace() const noexcept { return pace_; }

    [[nodiscard]] Timestamp ready_at() const noexcept { return ready_at_; }

    /// Records one send. Call it once for each send handed to the platform, refused ones too.
    /// `jitter` is drawn by the caller, in [0, pace.jitter_max].
    void sent(Timestamp now, Millis jitter) noexcept;

private:
    model::Pace pace_;
    Timestamp ready_at_{};
    std::chrono::sys_days day_{};
    std::uint32_t sent_today_ = 0;
};

}  // namespace merpati::scheduler
