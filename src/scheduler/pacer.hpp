// How evenly a device's messages leave.
#pragma once

#include <cstdint>

#include "base/clock.hpp"
#include "model/device.hpp"

namespace merpati::scheduler {

/// Says when a device may send next, so that a burst of messages leaves evenly.
///
/// Operation: `ready_at` answers the earliest moment of the next send; `sent` moves it on by the
/// gap and a fresh jitter. At the day's cap the answer is the next midnight, UTC. A new pace holds
/// at once, for the wait that is under way too.
///
/// Threads: none. The scheduler's thread owns every pacer.
///
/// Limits: nothing of it is stored, so after a restart the day's count begins anew.
class Pacer {
public:
    void set(const model::Pace& pace);
    [[nodiscard]] const model::Pace& pace() const noexcept { return pace_; }

    [[nodiscard]] Timestamp ready_at() const noexcept { return ready_at_; }

    /// Records one send. Call it once for each send handed to the platform, refused ones too.
    /// `jitter` is drawn by the caller, in [0, pace.jitter_max].
    void sent(Timestamp now, Millis jitter) noexcept;

private:
    void plan() noexcept;

    model::Pace pace_;
    Timestamp ready_at_{};
    Timestamp last_{};  // The last send, and what was drawn for it.
    Millis jitter_{0};
    std::uint32_t sent_today_ = 0;  // On the day of the last send.
};

}  // namespace merpati::scheduler
