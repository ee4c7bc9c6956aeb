// The pace of one device.
#pragma once

#include <cstdint>
#include <optional>

#include "base/clock.hpp"
#include "model/device.hpp"
#include "store/records.hpp"

namespace merpati::scheduler {

/// Says when a device may send next, so that a burst of messages leaves evenly.
///
/// Operation: `ready_at` is the earliest time of the next send; `sent` advances it by the gap and a
/// new jitter. When the day's cap is reached, it is the end of the day: midnight UTC by the wall
/// clock at the first send of that day, whatever happens to the wall clock afterwards. A new pace
/// applies at once, also to the current wait.
///
/// Restarts: `record` is stored with the outcomes of sends, `restore` sets it after a restart.
/// Sends that were in flight in a crash are not in it: they are repeated, and counted then.
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

    /// What must survive a restart; empty for a device that has no pace.
    [[nodiscard]] std::optional<store::SentRecord> record() const noexcept;

private:
    void plan() noexcept;

    model::Pace pace_;
    Timestamp ready_at_{};
    std::optional<store::SentRecord> sent_;
};

}  // namespace merpati::scheduler
