// The pace of one device.
#pragma once

#include <cstdint>
#include <optional>

#include "base/clock.hpp"
#include "model/device.hpp"
#include "store/records.hpp"

namespace merpati::scheduler {

/// The cap of the day that ends at `day_ends_at`, for a pace that has one. While a device warms up,
/// day K of its N days has K / (N + 1) of the cap, at least 1; its days count from `added_at`.
[[nodiscard]] std::uint32_t cap_of_day(const model::Pace& pace, Timestamp added_at,
                                       Timestamp day_ends_at) noexcept;

/// Says when a device may send next, so that a burst of messages leaves evenly.
///
/// Operation: `ready_at` is the earliest time of the next send; `sent` advances it by the gap and a
/// new jitter. When the day's cap is reached, it is the end of the day: midnight UTC by the wall
/// clock at the first send of that day, whatever happens to the wall clock afterwards. A new pace
/// applies at once, also to the current wait. The cap is `cap_of_day`.
///
/// Restarts: `record` is stored with the outcomes of sends, `restore` sets it after a restart.
/// It lacks the sends that were in flight at a crash; they count when they are repeated.
///
/// Threads: none. The scheduler's thread owns every pacer.
class Pacer {
public:
    void restore(const store::SentRecord& sent);
    /// `added_at`: when the device was added, in queue time; its warm-up counts from then.
    void set(const model::Pace& pace, Timestamp added_at);
    [[nodiscard]] const model::Pace& pace() const noexcept { return pace_; }

    [[nodiscard]] Timestamp ready_at() const noexcept { return ready_at_; }
    /// Whether the day's cap decides `ready_at`.
    [[nodiscard]] bool is_capped() const noexcept { return sent_ && capped_; }
    /// The last send; empty: none is known.
    [[nodiscard]] std::optional<Timestamp> sent_at() const noexcept {
        return sent_ ? std::optional{sent_->last_at} : std::nullopt;
    }

    /// What one send changed, for `take_back`.
    struct Send {
        std::optional<store::SentRecord> before;
        std::optional<store::SentRecord> after;
    };
    /// Records one send. Call it once for each send handed to the platform, refused ones too.
    /// `jitter` is drawn by the caller, in [0, pace.jitter_max]; `day_left` is how long the day
    /// still lasts.
    Send sent(Timestamp now, Millis jitter, Millis day_left) noexcept;
    /// The send was not handed to the platform after all: it uses up nothing of the day's cap, and,
    /// if it was the last one, no gap.
    void take_back(const Send& send) noexcept;
    /// The platform did not take the send: it uses up nothing of the day's cap. Its gap stays.
    void uncount(const Send& send) noexcept;

    /// What must survive a restart; empty for a device that has no pace.
    [[nodiscard]] std::optional<store::SentRecord> record() const noexcept;

private:
    void plan() noexcept;

    model::Pace pace_;
    Timestamp added_at_{};
    Timestamp ready_at_{};
    bool capped_ = false;
    std::optional<store::SentRecord> sent_;
};

}  // namespace merpati::scheduler
