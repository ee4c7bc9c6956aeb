#include "campaign/estimate.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace merpati::campaign {
namespace {

using namespace std::chrono_literals;
using std::chrono::days;

constexpr Timestamp midnight{days{20'000}};  // UTC.

/// Quiet from `from` until before `to` after each midnight.
auto every_day(std::chrono::minutes from, std::chrono::minutes to) {
    return [from, to](Timestamp now) -> std::optional<Silence> {
        const auto day = std::chrono::floor<days>(now);
        for (auto begin = day - days{1};; begin += days{1}) {
            const Silence silence{.from = begin + from, .until = begin + to};
            if (now < silence.until) {
                return silence;
            }
        }
    };
}

struct EstimateTest : ::testing::Test {
    std::chrono::seconds seconds() {
        input.senders = senders;
        return estimate(input);
    }

    std::vector<EstimateSender> senders{{.pace = {.gap_min = 10s}, .added_at = midnight}};
    EstimateInput input{.messages = 100, .begin = midnight + 9h};
};

TEST_F(EstimateTest, IsTheGapsBetweenTheMessages) {
    EXPECT_EQ(seconds(), 990s);
    input.messages = 1;
    EXPECT_EQ(seconds(), 1s);
    input.messages = 0;
    EXPECT_EQ(seconds(), 0s);
}

TEST_F(EstimateTest, AddsHalfTheJitter) {
    senders[0].pace.jitter_max = 4s;
    EXPECT_EQ(seconds(), 1188s);
}

TEST_F(EstimateTest, SendersShareTheMessages) {
    senders.push_back(senders[0]);
    EXPECT_EQ(seconds(), 490s);
    senders[1].pace.gap_min = 5s;
    EXPECT_EQ(seconds(), 330s);
}

TEST_F(EstimateTest, SenderWithoutAGapIsFast) {
    senders[0].pace = {};
    input.messages = 1'000'000;
    EXPECT_EQ(seconds(), 1000s);
}

TEST_F(EstimateTest, CampaignHasAPaceOfItsOwn) {
    input.per_minute = 1;
    EXPECT_EQ(seconds(), 99min);
    input.per_minute = 7;
    EXPECT_EQ(seconds(), 990s);
    senders[0].pace = {};
    EXPECT_EQ(seconds(), 849s);
}

TEST_F(EstimateTest, QuietHoursAreLeftOut) {
    input.silence_at = every_day(9h + 5min, 20h);
    // 30 messages in five minutes, the others from 20:00 on.
    EXPECT_EQ(seconds(), 11h + 690s);
    input.begin = midnight + 12h;
    EXPECT_EQ(seconds(), 8h + 990s);
}

TEST_F(EstimateTest, CapsEndWithTheirDays) {
    senders[0].pace.per_day_max = 30;
    // 30 on each of three days, and ten on the fourth.
    EXPECT_EQ(seconds(), 2 * 24h + 15h + 90s);
    senders[0].sent_today = 25;
    EXPECT_EQ(seconds(), 3 * 24h + 15h + 40s);
    senders[0].sent_today = 500;
    EXPECT_EQ(seconds(), 3 * 24h + 15h + 90s);
}

TEST_F(EstimateTest, CapsGrowWhileADeviceWarmsUp) {
    senders[0].pace.per_day_max = 100;
    senders[0].pace.warm_up_days = 3;
    senders[0].added_at = midnight + 8h;
    // 25, 50, and then 25 of 75.
    EXPECT_EQ(seconds(), 24h + 15h + 240s);
}

TEST_F(EstimateTest, PaceOfTheCampaignUsesUpCapsMoreSlowly) {
    senders[0].pace.per_day_max = 1'000;
    senders.push_back(senders[0]);
    input.per_minute = 1;
    input.messages = 2'000;
    // 900 on the first day, and the others on the second.
    EXPECT_EQ(seconds(), 15h + 1099min);
}

TEST_F(EstimateTest, MessagesAreSpreadUntilTheEndThatWasAskedFor) {
    input.finish_by = input.begin + 5h;
    EXPECT_EQ(seconds(), 5h);
    input.finish_by = input.begin + 5s;
    EXPECT_EQ(seconds(), 990s);
    input.finish_by = input.begin + 5h;
    input.silence_at = every_day(12h, 20h);
    EXPECT_EQ(seconds(), 3h);
    input.finish_by = input.begin + 12h;
    EXPECT_EQ(seconds(), 12h);
}

TEST_F(EstimateTest, HasAnEnd) {
    senders[0].pace.per_day_max = 1;
    input.messages = 1'000'000;
    input.silence_at = every_day(9h, 20h);
    EXPECT_EQ(seconds(), estimate_max);
    input.silence_at = [](Timestamp now) { return Silence{.from = now, .until = now + 1h}; };
    EXPECT_EQ(seconds(), estimate_max);
    input.finish_by = input.begin + 2 * estimate_max;
    EXPECT_EQ(seconds(), estimate_max);
    senders.clear();
    EXPECT_EQ(seconds(), 0s);
}

}  // namespace
}  // namespace merpati::campaign
