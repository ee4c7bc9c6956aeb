// How evenly a device's messages leave.
#pragma once

#include <cstdint>
#include <optional>

#include "base/clock.hpp"
#include "model/device.hpp"
#include "store/lane_record.hpp"

namespace merpati::scheduler {

/// Says when a device may send next, so that a burst of messages leaves evenly.
///
/// Operation: `ready_at` answers the earliest moment of the next send; `sent` moves it on by the
/// gap and a fresh jitter. At the day's cap the answer is the end of the day, midnight UTC by the
/// wall clock; a day that has begun ends when that long has passed, however the clock is set
/// meanwhile. A new pace holds at once, for the wait that is under way too.
///
/// Restarts: `record` is what the store keeps beside the outcomes of sends, `restore` takes it
/// back. Sends that were under way in a crash are not in it: they are made again, and counted then.
///
/// Threads: none. The scheduler's thread owns every pacer.
class Pacer {
public:
    void restore(const store::SentRecord& sent);
    void set(const model::Pace& pace);
    [[nodiscard]] const model::Pace& pace() const noexcept { return pace_; }

    [[nodiscard]] Timestamp ready_at() const noexcept { return ready_at_; }

    /// Records one send. Call it once for each send handed to the platform, refused ones too.
    /// `jitter` is drawn by the caller, in [0, pace.jitter_max]; `day_left` is how long the day
    /// still lasts.
    void sent(Timestamp now, Millis jitter, Millis day_left) noexcept;

    /// What must outlast a restart; empty for a device that has no pace.
    [[nodiscard]] std::optional<store::SentRecord> record() const noexcept;

private:
    void plan() noexcept;

    model::Pace pace_;
    Timestamp ready_at_{};
    std::optional<store::SentRecord> sent_;
};

}  // namespace merpati::scheduler
