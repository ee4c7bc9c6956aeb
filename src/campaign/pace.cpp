#include "campaign/pace.hpp"

#include <algorithm>

#include "campaign/quiet_hours.hpp"

namespace merpati::campaign {
namespace {

using std::chrono::microseconds;

constexpr std::size_t device_depth_min = 2;
/// Quiet times that are looked at: more than five years of nights.
constexpr int quiet_times_max = 2'000;

std::optional<QuietTime> next_quiet(const model::CampaignPlan& plan, const TimeZone& zone,
                                    Timestamp now) {
    return plan.quiet_hours ? quiet_time(*plan.quiet_hours, zone, now) : std::nullopt;
}

Millis ceil_millis(std::int64_t micros) {
    return std::chrono::ceil<Millis>(microseconds{micros});
}

}  // namespace

std::size_t depth_of(const model::Pace& pace) noexcept {
    const auto gap = pace.gap_min + pace.jitter_max / 2;
    return gap <= Millis{0} ? device_depth_max
                            : std::clamp(static_cast<std::size_t>(queued_ahead / gap),
                                         device_depth_min, device_depth_max);
}

Spacing::Spacing(const model::Campaign& campaign, Millis available, Timestamp now, First first)
    : next_due_at_(campaign.next_due_at), begin_(next_due_at_) {
    const auto& plan = campaign.plan;
    if (plan.per_minute && *plan.per_minute > 0) {
        pace_micros_ = microseconds{std::chrono::minutes{1}}.count() / *plan.per_minute;
    }
    gap_micros_ = pace_micros_;
    const auto pending = campaign.counts.of(model::RecipientState::pending);
    if (plan.finish_by && pending > 0) {
        const auto spread = microseconds{std::max(available, Millis{0})}.count() / pending;
        gap_micros_ = std::max(gap_micros_, spread);
    }
    if (first == First::spread && next_due_at_ != Timestamp{}) {  // It has sent before.
        begin_ += ceil_millis(gap_micros_ - pace_micros_);
    }
    begin_ = std::max(begin_, now);
}

Timestamp Spacing::due() const noexcept {
    return begin_ + ceil_millis(gap_micros_ * taken_);
}

Timestamp Spacing::next_due_at() const noexcept {
    return taken_ == 0 ? next_due_at_
                       : begin_ + ceil_millis(gap_micros_ * (taken_ - 1) + pace_micros_);
}

Millis open_time(const model::CampaignPlan& plan, const TimeZone& zone, Timestamp from,
                 Timestamp until) {
    Millis open{0};
    for (int count = 0; from < until && count < quiet_times_max; ++count) {
        const auto quiet = next_quiet(plan, zone, from);
        const auto open_until = quiet ? std::min(quiet->from, until) : until;
        open += std::max(open_until - from, Millis{0});
        from = quiet ? quiet->until : until;
    }
    return open;
}

Timestamp end_of(const model::CampaignPlan& plan, const TimeZone& zone, Timestamp from,
                 Millis open_time) {
    for (int count = 0; count < quiet_times_max; ++count) {
        const auto quiet = next_quiet(plan, zone, from);
        if (!quiet || from + open_time <= quiet->from) {
            break;
        }
        open_time -= std::max(quiet->from - from, Millis{0});
        from = quiet->until;
    }
    return from + open_time;
}

}  // namespace merpati::campaign
