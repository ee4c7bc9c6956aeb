#include "campaign/pace.hpp"

#include <gtest/gtest.h>

namespace merpati::campaign {
namespace {

using namespace std::chrono_literals;

const Timestamp now{1'000'000s};

TEST(DepthTest, ADeviceHoldsWhatItSendsInAMinute) {
    EXPECT_EQ(depth_of({.gap_min = 3s}), 20U);
    EXPECT_EQ(depth_of({.gap_min = 2s, .jitter_max = 2s}), 20U);
    EXPECT_EQ(depth_of({.gap_min = 10min}), 2U);
    EXPECT_EQ(depth_of({.gap_min = 1ms}), device_depth_max);
    EXPECT_EQ(depth_of({}), device_depth_max);
}

struct SpacingTest : ::testing::Test {
    model::Campaign campaign;
    [[nodiscard]] Timestamp due_after(int messages, Millis available = 0ms) const {
        Spacing spacing{campaign, available, now};
        for (int count = 0; count < messages; ++count) {
            spacing.take();
        }
        return spacing.due();
    }
};

TEST_F(SpacingTest, WithoutAPaceEverythingIsDueNow) {
    EXPECT_EQ(due_after(1'000), now);
}

TEST_F(SpacingTest, MessagesAreSpacedByThePaceAlsoAFastOne) {
    campaign.plan.per_minute = 20;
    EXPECT_EQ(due_after(0), now);
    EXPECT_EQ(due_after(7), now + 21s);
    campaign.plan.per_minute = 90'000;
    EXPECT_EQ(due_after(90'000), now + 1min - 60ms);  // 666 us between two.
}

TEST_F(SpacingTest, TheNextMessageFollowsTheLastOneAndNothingIsMadeUpFor) {
    campaign.plan.per_minute = 60;
    campaign.next_due_at = now + 5s;
    EXPECT_EQ(due_after(1), now + 6s);
    campaign.next_due_at = now - 1h;
    EXPECT_EQ(due_after(1), now + 1s);
}

TEST_F(SpacingTest, WithAnEndTheRestIsSpreadEvenlyButNeverFasterThanThePace) {
    campaign.plan.finish_by = now + 10min;
    campaign.counts.of(model::RecipientState::pending) = 100;
    EXPECT_EQ(due_after(1, 10min), now + 6s);
    EXPECT_EQ(due_after(1, -1s), now);  // It is late: as fast as its devices.
    campaign.plan.per_minute = 1;
    EXPECT_EQ(due_after(1, 10min), now + 1min);
}

TEST_F(SpacingTest, OfTheGapBeforeItsNextMessageOnlyThePaceIsKept) {
    campaign.plan.per_minute = 60;
    campaign.plan.finish_by = now + 10min;
    campaign.counts.of(model::RecipientState::pending) = 100;
    Spacing spacing{campaign, 10min, now};
    EXPECT_EQ(spacing.next_due_at(), Timestamp{}) << "none was taken";
    spacing.take();
    spacing.take();
    EXPECT_EQ(spacing.next_due_at(), now + 7s);
    campaign.next_due_at = spacing.next_due_at();
    EXPECT_EQ(due_after(0, 10min), now + 12s);
    EXPECT_EQ((Spacing{campaign, 10min, now, Spacing::First::by_pace}.due()), now + 7s);
    campaign.plan.finish_by.reset();
    EXPECT_EQ(due_after(0), now + 7s);
}

struct OpenTimeTest : ::testing::Test {
    const TimeZone jakarta = TimeZone::find("Asia/Jakarta").value();
    model::CampaignPlan plan{.quiet_hours = model::QuietHours{.from = 20h, .to = 8h}};
    [[nodiscard]] static Timestamp at(std::string_view time) { return parse_rfc3339(time).value(); }
};

TEST_F(OpenTimeTest, QuietTimesAreLeftOut) {
    const auto noon = at("2026-11-25T12:00:00+07:00");
    EXPECT_EQ(open_time(plan, jakarta, noon, noon + 4h), 4h);
    EXPECT_EQ(open_time(plan, jakarta, noon, noon + 24h), 12h);
    EXPECT_EQ(open_time(plan, jakarta, noon, noon - 1h), 0h);
    plan.quiet_hours.reset();
    EXPECT_EQ(open_time(plan, jakarta, noon, noon + 24h), 24h);
}

TEST_F(OpenTimeTest, TheEndComesAfterTheNights) {
    const auto noon = at("2026-11-25T12:00:00+07:00");
    EXPECT_EQ(end_of(plan, jakarta, noon, 8h), noon + 8h);
    EXPECT_EQ(end_of(plan, jakarta, noon, 9h), at("2026-11-26T09:00:00+07:00"));
    EXPECT_EQ(end_of(plan, jakarta, at("2026-11-25T23:00:00+07:00"), 1h),
              at("2026-11-26T09:00:00+07:00"));
}

}  // namespace
}  // namespace merpati::campaign
