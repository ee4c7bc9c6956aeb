// Messages of campaigns: the gate, their withdrawal, their share of the memory.
#include <algorithm>
#include <set>

#include "model/campaign.hpp"
#include "scheduler/dispatcher_fixture.hpp"
#include "store/campaigns.hpp"
#include "store/contacts.hpp"

namespace merpati::scheduler {
namespace {

using namespace std::chrono_literals;
using model::RecipientState;

struct CampaignTest : DispatcherFixture {
    CampaignTest() {
        options.campaign_may_send = [this](auto) { return may_send; };
        EXPECT_TRUE(change([&](store::Tables& tables) -> Result<void> {
            EXPECT_TRUE(tables.add_device(device, false));
            return {};
        }));
    }

    /// Makes a running campaign and hands its rows over; returns their messages.
    std::vector<model::MessageId> queue_rows(std::uint32_t rows) {
        std::vector<std::unique_ptr<model::Message>> messages;
        EXPECT_TRUE(change([&](store::Tables& tables) -> Result<void> {
            auto& campaigns = tables.campaigns();
            model::Campaign draft;
            draft.account = device.account;
            draft.plan.devices = {device.number};
            draft.plan.timezone = "UTC";
            campaign = campaigns.create_campaign(draft)->id;
            std::vector<store::NewRecipient> added;
            for (std::uint32_t row = 1; row <= rows; ++row) {
                const auto number = model::PhoneNumber::from_stored(62810000000 + row);
                added.push_back({.number = number, .original = number.text()});
            }
            store::UploadCounts counts;
            EXPECT_TRUE(campaigns.stage_rows(campaign, added, counts, clock.now()));
            EXPECT_TRUE(campaigns.complete_upload(campaign, {}, counts));
            EXPECT_TRUE(campaigns.move_campaign(
                campaign, {.state = model::CampaignState::running, .at = clock.now()}));
            store::PlannedRows planned{.at = clock.now()};
            for (std::uint32_t row = 1; row <= rows; ++row) {
                auto made = message();
                made->source = model::Source::campaign;
                made->campaign = campaign;
                made->campaign_row = row;
                made->recipient = std::to_string(62810000000 + row);
                planned.rows.push_back({.row = row, .message = std::move(made)});
            }
            EXPECT_TRUE(campaigns.queue_rows(campaign, planned));
            messages.clear();
            for (auto& row : planned.rows) {
                EXPECT_EQ(row.result, store::PlannedRow::Result::queued);
                messages.push_back(std::move(row.message));
            }
            return {};
        }));
        std::vector<model::MessageId> handed;
        for (auto& one : messages) {
            handed.push_back(one->id);
            if (dispatcher != nullptr) {
                post(Accepted{.message = std::move(one)});
            }
        }
        return handed;
    }
    [[nodiscard]] std::int64_t count(RecipientState state) {
        return (*(*store->open_reader())->campaigns().campaign(campaign))->counts.of(state);
    }
    /// Asks for the withdrawal of these messages; returns how many were withdrawn.
    std::size_t withdraw(const std::vector<model::MessageId>& handed) {
        std::vector<store::QueuedMessage> queued;
        for (const auto& id : handed) {
            auto record = stored(id);
            queued.push_back(
                {.message = std::make_unique<model::Message>(std::move(record.message)),
                 .queued_at = record.queued_at});
        }
        std::size_t withdrawn = 0;
        bool answered = false;
        post(WithdrawRequested{.messages = std::move(queued), .done = [&](auto done) {
                                   EXPECT_FALSE(std::exchange(answered, true));
                                   withdrawn = done.value_or(0);
                               }});
        EXPECT_TRUE(answered);
        return withdrawn;
    }

    /// The person of a row has opted out.
    void suppress(std::uint32_t row) {
        EXPECT_TRUE(change([&](store::Tables& tables) -> Result<void> {
            const auto put = tables.contacts().put_suppression(
                {.account = device.account,
                 .number = model::PhoneNumber::from_stored(62810000000 + row),
                 .reason = model::SuppressionReason::opt_out,
                 .at = clock.now()});
            return put ? Result<void>{} : pass(put);
        }));
    }
    void unpause() {
        device.pause.reset();
        post(DeviceChanged{.device = device});
    }

    bool may_send = true;
    model::CampaignId campaign;
};

TEST_F(CampaignTest, WhatMayNotBeSentReturnsToItsCampaignWhenItIsDue) {
    may_send = false;
    start();
    const auto handed = queue_rows(3);
    EXPECT_TRUE(connector->sent.empty());
    EXPECT_EQ(count(RecipientState::pending), 3);
    EXPECT_EQ(dispatcher->counts().withdrawn_total, 3U);
    EXPECT_EQ(dispatcher->counts().messages_in_memory, 0U);
    EXPECT_FALSE(*(*store->open_reader())->message(handed.front()));
    const auto of_api = accept(message());
    EXPECT_EQ(connector->sent, std::vector{of_api});
}

TEST_F(CampaignTest, AMessageThatSomebodySendsByHandIsNotHeldBack) {
    may_send = false;
    start();
    auto by_hand = message();
    by_hand->source = model::Source::campaign;
    by_hand->campaign = model::CampaignId{7};
    const auto id = accept(std::move(by_hand));
    EXPECT_EQ(connector->sent, std::vector{id});
}

TEST_F(CampaignTest, AMessageWhoseRecipientWasSuppressedMeanwhileReturnsToItsCampaign) {
    options.campaign_is_open = [](auto) { return true; };
    device.pause = model::Pause{};
    start();
    const auto handed = queue_rows(2);
    suppress(1);
    unpause();
    EXPECT_EQ(connector->sent, std::vector{handed.back()});
    EXPECT_EQ(count(RecipientState::pending), 1);
    EXPECT_FALSE(*(*store->open_reader())->message(handed.front()));
}

TEST_F(CampaignTest, OneThatHasNowhereToReturnToIsSent) {
    options.campaign_is_open = [](auto) { return false; };
    device.pause = model::Pause{};
    start();
    const auto handed = queue_rows(1);
    suppress(1);
    unpause();
    EXPECT_EQ(connector->sent, handed);
}

TEST_F(CampaignTest, WaitingMessagesAreWithdrawnAndThoseBeingSentEnd) {
    connector->abilities.window = 1;
    start();
    const auto handed = queue_rows(4);
    ASSERT_EQ(connector->sent.size(), 1U);
    EXPECT_EQ(withdraw(handed), 3U);
    EXPECT_EQ(count(RecipientState::pending), 3);
    report_sent(connector->sent.front());
    EXPECT_EQ(count(RecipientState::sent), 1);
    EXPECT_EQ(connector->sent.size(), 1U);
}

TEST_F(CampaignTest, MessagesOnDiskAloneAreWithdrawnToo) {
    device.pause = model::Pause{};
    start();
    const auto handed = queue_rows(5);
    EXPECT_EQ(dispatcher->counts().messages_in_memory, 0U);
    EXPECT_EQ(withdraw(handed), 5U);
    EXPECT_EQ(count(RecipientState::queued), 0);
    unpause();
    EXPECT_TRUE(connector->sent.empty());
}

/// Its campaign would send to the recipient again, as another message.
TEST_F(CampaignTest, AMessageWhoseSendACrashInterruptedIsNotWithdrawn) {
    connector->abilities.recognises_repeats = true;
    start();
    const auto handed = queue_rows(2);
    ASSERT_EQ(connector->sent.size(), 2U);
    may_send = false;
    restart();
    EXPECT_EQ(withdraw(handed), 0U);
    EXPECT_EQ(connector->sent, handed);
    report(handed.front(), model::Outcome::Kind::retry);
    report_sent(handed.back());
    EXPECT_EQ(withdraw({handed.front()}), 0U);
    advance(10s);
    ASSERT_EQ(connector->sent.size(), 3U);
    report_sent(handed.front());
    EXPECT_EQ(count(RecipientState::sent), 2);
}

TEST_F(CampaignTest, NorIsOneThatAnEarlierAttemptMayHaveSent) {
    connector->abilities.recognises_repeats = true;
    start();
    const auto handed = queue_rows(1);
    report(handed.front(), model::Outcome::Kind::unknown);
    may_send = false;
    EXPECT_EQ(withdraw(handed), 0U);
    advance(10s);
    EXPECT_EQ(connector->sent, (std::vector{handed.front(), handed.front()}));
    report_sent(handed.front());
    EXPECT_EQ(count(RecipientState::sent), 1);
}

TEST_F(CampaignTest, CampaignsLeaveRoomForMessagesOfTheApi) {
    options.lane_memory_max = 64;
    options.memory_max = 64;
    connector->abilities.window = 1;
    start();
    const auto handed = queue_rows(200);
    EXPECT_LE(dispatcher->counts().messages_in_memory, 64U / LaneMemory::campaign_part);
    std::vector<model::MessageId> of_api;
    for (int made = 0; made < 20; ++made) {
        of_api.push_back(accept(message()));
    }
    EXPECT_GE(dispatcher->counts().messages_in_memory, 20U);
    for (std::size_t at = 0; at < of_api.size(); ++at) {
        report_sent(connector->sent.back());
        EXPECT_EQ(connector->sent.back(), of_api[at]);
    }
    for (std::size_t ended = connector->sent.size() - 1; ended < 220; ++ended) {
        report_sent(connector->sent.back());
        advance(10ms);
    }
    EXPECT_EQ(connector->sent.size(), 220U);
    EXPECT_EQ(count(RecipientState::sent), 200);
    EXPECT_EQ((std::set<model::MessageId>{connector->sent.begin(), connector->sent.end()}.size()),
              220U);
}

}  // namespace
}  // namespace merpati::scheduler
