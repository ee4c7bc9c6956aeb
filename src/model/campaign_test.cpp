#include "model/campaign.hpp"

#include <gtest/gtest.h>

namespace merpati::model {
namespace {

TEST(CampaignWordsTest, EachWordIsReadAsItIsWritten) {
    for (std::size_t at = 0; at < campaign_states_count; ++at) {
        const auto state = static_cast<CampaignState>(at);
        EXPECT_EQ(parse_campaign_state(to_string(state)), state);
    }
    for (int at = 0; at <= static_cast<int>(campaign_reason_last); ++at) {
        const auto reason = static_cast<CampaignReason>(at);
        EXPECT_EQ(parse_campaign_reason(to_string(reason)), reason);
    }
    for (std::size_t at = 0; at < recipient_states_count; ++at) {
        const auto state = static_cast<RecipientState>(at);
        EXPECT_EQ(parse_recipient_state(to_string(state)), state);
    }
    for (int at = 0; at <= static_cast<int>(skip_reason_last); ++at) {
        const auto reason = static_cast<SkipReason>(at);
        EXPECT_EQ(parse_skip_reason(to_string(reason)), reason);
    }
    EXPECT_EQ(parse_campaign_state("Draft"), std::nullopt);
    EXPECT_EQ(parse_purpose("unknown"), std::nullopt);
    EXPECT_EQ(parse_opt_out_way("keyword"), OptOutWay::keyword);
}

TEST(CampaignStateTest, ADraftIsNeverEndedAndAnEndedOneOnlyPaused) {
    EXPECT_FALSE(may_move(CampaignState::draft, CampaignState::finished));
    EXPECT_FALSE(may_move(CampaignState::draft, CampaignState::cancelled));
    for (const auto ended : {CampaignState::finished, CampaignState::cancelled}) {
        for (std::size_t at = 0; at < campaign_states_count; ++at) {
            const auto to = static_cast<CampaignState>(at);
            EXPECT_EQ(may_move(ended, to), to == CampaignState::paused);
        }
    }
}

TEST(CampaignEndsTest, FailuresCountUntilAMessageIsSent) {
    CampaignEnds ends;
    const StopRules rules{.failures_in_row = 3};
    ends.note(StatusCode::failed);
    ends.note(StatusCode::recipient_unregistered);
    EXPECT_EQ(ends.broken(rules), CampaignReason::none);
    ends.note(StatusCode::sent);
    ends.note(StatusCode::failed);
    ends.note(StatusCode::failed);
    EXPECT_EQ(ends.broken(rules), CampaignReason::none);
    ends.note(StatusCode::failed);
    EXPECT_EQ(ends.broken(rules), CampaignReason::failures);
}

TEST(CampaignEndsTest, TheShareOfUnregisteredNumbersIsThatOfTheLastHundred) {
    CampaignEnds ends;
    const StopRules rules{.unregistered_percent = 50};
    for (int at = 0; at < 19; ++at) {
        ends.note(StatusCode::recipient_unregistered);
        EXPECT_EQ(ends.broken(rules), CampaignReason::none) << at;
    }
    ends.note(StatusCode::recipient_unregistered);
    EXPECT_EQ(ends.broken(rules), CampaignReason::unregistered);
    for (int at = 0; at < 100; ++at) {
        ends.note(StatusCode::sent);
    }
    EXPECT_EQ(ends.unregistered_recently(), 0U);
    for (int at = 0; at < 49; ++at) {
        ends.note(StatusCode::recipient_unregistered);
    }
    EXPECT_EQ(ends.unregistered_recently(), 49U);
    EXPECT_EQ(ends.broken(rules), CampaignReason::none);
    ends.note(StatusCode::recipient_unregistered);
    EXPECT_EQ(ends.broken(rules), CampaignReason::unregistered);
}

TEST(CampaignEndsTest, OptOutsCountFromTheTwentiethMessageOn) {
    CampaignEnds ends{.sent = 19, .opt_outs = 5};
    const StopRules rules{.opt_outs_per_hundred = 10};
    EXPECT_EQ(ends.broken(rules), CampaignReason::none);
    ends.note(StatusCode::sent);
    EXPECT_EQ(ends.broken(rules), CampaignReason::opt_outs);
}

}  // namespace
}  // namespace merpati::model
