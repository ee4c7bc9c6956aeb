// Statuses of a number that belonged to an account of another node before.
#include "devices/late_statuses_fixture.hpp"
#include "store/campaigns.hpp"

namespace merpati::devices {
namespace {

using namespace std::chrono_literals;
using model::MessageState;
using model::Progress;
using ::testing::IsEmpty;
using ::testing::SizeIs;

struct MovedNumbersTest : LateStatusesFixture {
    /// Whether the node works for the account that had the number before.
    void set_here(bool is_here) {
        const auto shard = store::shard_of(owner);
        ownership.set({&shard, 1}, is_here ? admission::Stay::here : admission::Stay::elsewhere);
    }

    /// Hands over the message of the only row of a campaign, which is paused then.
    model::CampaignId hand_over_row() {
        model::CampaignId campaign;
        change([&](store::Tables& tables) -> Result<void> {
            auto& campaigns = tables.campaigns();
            const auto at = clock.now();
            campaign = campaigns.create_campaign({.account = owner, .plan = {.devices = {device}}})
                           .value()
                           .id;
            const std::vector<store::NewRecipient> rows{
                {.number = model::PhoneNumber::from_stored(6281234567890),
                 .original = "6281234567890",
                 .values = {}}};
            store::UploadCounts counts;
            EXPECT_TRUE(campaigns.stage_rows(campaign, rows, counts, at));
            EXPECT_TRUE(campaigns.complete_upload(campaign, {}, counts));
            EXPECT_TRUE(campaigns.reserve_credit(campaign, at));
            EXPECT_TRUE(campaigns.move_campaign(
                campaign, {.state = model::CampaignState::running, .at = at}));
            auto made = std::make_unique<model::Message>();
            made->id = queued_id;
            made->account = owner;
            made->device = device;
            made->recipient = "6281234567890";
            made->source = model::Source::campaign;
            made->campaign = campaign;
            made->campaign_row = 1;
            made->due_at = queue_clock.now();
            store::PlannedRows planned{.rows = {}, .next_due_at = at, .at = at};
            planned.rows.push_back({.row = 1, .variant = 1, .message = std::move(made)});
            EXPECT_TRUE(campaigns.queue_rows(campaign, planned));
            EXPECT_TRUE(campaigns.move_campaign(campaign,
                                                {.state = model::CampaignState::paused, .at = at}));
            return {};
        });
        hand_over_as(queued_id, "wamid.1", 60s,
                     [](store::HandOver& work) { work.source = model::Source::campaign; });
        return campaign;
    }
    model::CampaignCounts counts(model::CampaignId id) {
        const auto found = (*store->open_reader())->campaigns().campaign(id).value();
        return found ? found->counts : model::CampaignCounts{};
    }

    const model::MessageId queued_id = ids.next();
};

TEST_F(MovedNumbersTest, WhatTheAccountsNodeAwaitsIsDecidedThereByTheStatus) {
    const auto id = hand_over();
    give_device_to_another_account();
    set_here(false);
    report(Progress::sent);
    EXPECT_THAT(ended, IsEmpty());
    clock.advance(60s);
    decide();
    EXPECT_THAT(ended, IsEmpty());
    set_here(true);  // As at that node.
    clock.advance(LateStatuses::others_pause);
    decide();
    ASSERT_THAT(ended, SizeIs(1));
    EXPECT_EQ(state(id), MessageState::sent);
}

TEST_F(MovedNumbersTest, OnlyTheAccountsNodeWritesItsCampaigns) {
    const auto campaign = hand_over_row();
    report(Progress::sent);
    EXPECT_EQ(counts(campaign).of(model::RecipientState::sent), 1);
    give_device_to_another_account();
    set_here(false);
    report(Progress::delivered);
    EXPECT_EQ(counts(campaign).delivered, 0);
    set_here(true);
    report(Progress::read);
    EXPECT_EQ(counts(campaign).delivered, 1);
    EXPECT_EQ(counts(campaign).read, 1);
}

}  // namespace
}  // namespace merpati::devices
