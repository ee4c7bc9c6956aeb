// When the messages of a campaign are due.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/clock.hpp"
#include "campaign/time_zone.hpp"
#include "model/campaign.hpp"
#include "model/device.hpp"

namespace merpati::campaign {

/// How far ahead of its due time a row is queued in its lane. What a campaign holds in lanes is
/// therefore at most what its pace sends in this time.
constexpr Millis queued_ahead = std::chrono::minutes{1};

/// How many messages of campaigns a device holds at most: what it sends in `queued_ahead` by its
/// own pace, from 2 to 1,024.
constexpr std::size_t device_depth_max = 1'024;
[[nodiscard]] std::size_t depth_of(const model::Pace& pace) noexcept;

/// Spaces the messages of one campaign.
///
/// Operation: each message is due a gap after the one before, the first one after the last one of
/// an earlier batch. Time that has passed without a message is not made up for.
///
/// Between batches only what the pace allows is kept (Campaign::next_due_at), at most a minute
/// after the last message. What `finish_by` adds is computed anew each time, so that another plan,
/// or more recipients, count at once.
///
/// All times are queue time, except where they are said to be the wall clock's.
class Spacing {
public:
    /// Whether the first message waits for `finish_by` too, or for the pace alone.
    enum class First : std::uint8_t { spread, by_pace };

    /// `per_minute` and `finish_by` of the plan give the gap; the longer one counts. `available`:
    /// the time in which it may send until `finish_by`, for its `pending` messages.
    Spacing(const model::Campaign& campaign, Millis available, Timestamp now,
            First first = First::spread);

    /// The due time of the next message.
    [[nodiscard]] Timestamp due() const noexcept;
    /// Campaign::next_due_at, once those that were taken are on their way.
    [[nodiscard]] Timestamp next_due_at() const noexcept;
    /// One message has taken it.
    void take() noexcept { ++taken_; }

private:
    Timestamp next_due_at_;  // Before any is taken.
    Timestamp begin_;
    std::int64_t pace_micros_ = 0;
    std::int64_t gap_micros_ = 0;  // With `finish_by`.
    std::int64_t taken_ = 0;
};

/// The time between `from` and `until` that is not quiet, by the wall clock.
[[nodiscard]] Millis open_time(const model::CampaignPlan& plan, const TimeZone& zone,
                               Timestamp from, Timestamp until);

/// When `open_time` has passed from `from` on, by the wall clock.
[[nodiscard]] Timestamp end_of(const model::CampaignPlan& plan, const TimeZone& zone,
                               Timestamp from, Millis open_time);

}  // namespace merpati::campaign
