#include "campaign/judgement.hpp"

#include <gtest/gtest.h>

namespace merpati::campaign {
namespace {

using namespace std::chrono_literals;
using model::CampaignReason;
using model::CampaignState;
using model::DeviceState;

struct JudgementTest : ::testing::Test {
    JudgementTest() {
        campaign.state = CampaignState::running;
        campaign.counts.of(model::RecipientState::pending) = 5;
        now.devices = {device(DeviceState::connected), device(DeviceState::connected)};
    }

    static model::Device device(DeviceState state) {
        model::Device made;
        made.state = state;
        return made;
    }
    static model::Device restricted(Timestamp until) {
        auto made = device(DeviceState::restricted);
        made.restricted_until = until;
        return made;
    }
    /// "running", "paused disconnected", …; "-": it stays as it is.
    [[nodiscard]] std::string judged() const {
        const auto move = due_move(campaign, now, at);
        return move ? std::string{model::to_string(move->state)} + " " +
                          std::string{model::to_string(move->reason)}
                    : "-";
    }

    const Timestamp at{1'000s};
    model::Campaign campaign;
    Circumstances now;
};

TEST_F(JudgementTest, ACampaignThatCanSendRuns) {
    EXPECT_EQ(judged(), "-");
    campaign.reason = CampaignReason::devices;
    EXPECT_EQ(judged(), "running ");
}

TEST_F(JudgementTest, OnlyARunningCampaignIsMoved) {
    now.account_valid = false;
    for (const auto state : {CampaignState::draft, CampaignState::scheduled, CampaignState::paused,
                             CampaignState::finished, CampaignState::cancelled}) {
        campaign.state = state;
        EXPECT_EQ(judged(), "-");
    }
}

TEST_F(JudgementTest, ItFinishesWhenNoRecipientIsOpen) {
    campaign.counts.of(model::RecipientState::pending) = 0;
    campaign.counts.of(model::RecipientState::queued) = 1;
    EXPECT_EQ(judged(), "-");
    campaign.counts.of(model::RecipientState::queued) = 0;
    now.account_valid = false;
    EXPECT_EQ(judged(), "finished ");
}

TEST_F(JudgementTest, ItPausesWhenOneOfItsDevicesIsLost) {
    for (const auto state : {DeviceState::logged_out, DeviceState::banned}) {
        now.devices[1] = device(state);
        EXPECT_EQ(judged(), "paused disconnected");
    }
    now.devices[1].reset();
    EXPECT_EQ(judged(), "paused disconnected");
}

TEST_F(JudgementTest, ItGoesOnWhileOneDeviceIsNotRestricted) {
    now.devices[0] = restricted(at + 20s);
    EXPECT_EQ(judged(), "-");
    now.devices[1] = restricted(at + 10s);
    EXPECT_EQ(judged(), "paused restricted");
    EXPECT_EQ(due_move(campaign, now, at)->until, at + 10s);
}

TEST_F(JudgementTest, ItWaitsForDevicesOnlyIfNoneCanSend) {
    now.devices[0] = device(DeviceState::disconnected);
    EXPECT_EQ(judged(), "-");
    now.devices[1]->pause = model::Pause{};
    EXPECT_EQ(judged(), "running devices");
    now.devices[1] = device(DeviceState::reconnecting);
    EXPECT_EQ(judged(), "-");
}

TEST_F(JudgementTest, QuietHoursAreSaidBeforeMissingDevices) {
    now.devices[0] = now.devices[1] = device(DeviceState::disconnected);
    now.quiet = true;
    EXPECT_EQ(judged(), "running quiet_hours");
}

TEST_F(JudgementTest, ABrokenStopRuleAndAnExpiredAccountPauseIt) {
    campaign.plan.stop_rules.failures_in_row = 2;
    campaign.ends.failures_in_row = 2;
    EXPECT_EQ(judged(), "paused failures");
    now.account_valid = false;
    EXPECT_EQ(judged(), "paused expired");
}

}  // namespace
}  // namespace merpati::campaign
