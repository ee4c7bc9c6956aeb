#include <algorithm>
#include <set>

#include <gmock/gmock.h>

#include "campaign/runner_fixture.hpp"

namespace merpati::campaign {
namespace {

using namespace std::chrono_literals;
using model::DeviceState;
using model::RecipientState;
using ::testing::ElementsAre;

TEST_F(RunnerTest, EveryRecipientGetsOneMessageInOrderAndTheCampaignFinishes) {
    add_account_and_device();
    const auto id = world->add_campaign(account, {device}, 700);
    ASSERT_TRUE(world->start_campaign(id));
    world->settle();
    EXPECT_EQ(world->state(id), "finished");
    EXPECT_EQ(sent(id), 700);
    const auto all = world->platform->sent();
    ASSERT_EQ(all.size(), 700U);
    EXPECT_TRUE(std::ranges::is_sorted(all, {}, &PlayedPlatform::Sent::recipient));
    EXPECT_EQ(all.front().text, "Halo Orang 1");
    world->expect_exact(id);
}

TEST_F(RunnerTest, ACampaignWithATemplateSendsItAndNoText) {
    add_account_and_device();
    world->platform->abilities.templates = true;
    std::vector<model::FilledTemplate> filled;
    world->platform->outcome_of = [&filled](const model::Message& message) {
        EXPECT_EQ(message.body, "");
        filled.push_back(*message.filled_template);
        return std::optional{PlayedPlatform::sent_outcome()};
    };
    const auto id = world->add_campaign(account, {device}, 2);
    world->edit_plan(id, [](auto& plan) {
        plan.message.reset();
        plan.message_template = model::CampaignTemplate{
            .name = "promo", .language = "id", .variables = {"{{nama}}", "50%"}};
    });
    ASSERT_TRUE(world->start_campaign(id));
    world->settle();
    EXPECT_EQ(sent(id), 2);
    ASSERT_EQ(filled.size(), 2U);
    EXPECT_EQ(
        filled.front(),
        (model::FilledTemplate{.name = "promo", .language = "id", .values = {"Orang 1", "50%"}}));
    world->expect_exact(id);
}

TEST_F(RunnerTest, AMessageThatIsATemplateFailsOnAnotherPlatform) {
    add_account_and_device();
    const auto id = world->add_campaign(account, {device}, 1);
    world->edit_plan(id, [](auto& plan) {
        plan.message.reset();
        plan.message_template = model::CampaignTemplate{.name = "promo", .language = "id"};
    });
    ASSERT_TRUE(world->start_campaign(id));
    world->settle();
    EXPECT_EQ(world->count(id, RecipientState::failed), 1);
    EXPECT_TRUE(world->platform->sent().empty());
    world->expect_exact(id);
}

TEST_F(RunnerTest, ADeviceHoldsNoMoreThanItSendsInAMinute) {
    add_account_and_device(3s);
    const auto id = world->add_campaign(account, {device}, 100);
    ASSERT_TRUE(world->start_campaign(id));
    world->settle();
    EXPECT_EQ(queued(id) + sent(id), 20);
    world->advance_by_seconds(60);
    EXPECT_LE(queued(id), 20);
    EXPECT_GE(sent(id), 20);
    world->expect_exact(id);
}

TEST_F(RunnerTest, APauseTakesBackWhatWaitsAndAResumeSendsItOnce) {
    add_account_and_device(3s);
    const auto id = world->add_campaign(account, {device}, 30);
    ASSERT_TRUE(world->start_campaign(id));
    world->settle();
    ASSERT_TRUE(world->pause_campaign(id));
    world->settle();
    EXPECT_EQ(queued(id), 0);
    EXPECT_EQ(sent(id) + pending(id), 30);
    EXPECT_TRUE(world->open.wait_until_withdrawn(id, 0ms));
    const auto before = world->platform->sent().size();
    world->advance_by_seconds(120);
    EXPECT_EQ(world->platform->sent().size(), before);
    world->expect_exact(id);

    ASSERT_TRUE(world->resume_campaign(id));
    world->settle();
    world->advance_by_seconds(120);
    EXPECT_EQ(world->state(id), "finished");
    const auto all = world->platform->recipients();
    EXPECT_EQ(all.size(), 30U);
    EXPECT_EQ((std::set<std::string>{all.begin(), all.end()}.size()), 30U);
    world->expect_exact(id);
}

TEST_F(RunnerTest, ASendThatIsUnderWayEndsAlthoughItsCampaignIsPaused) {
    add_account_and_device();
    world->platform->outcome_of = [](const auto&) { return std::nullopt; };
    world->platform->abilities.window = 1;
    const auto id = world->add_campaign(account, {device}, 3);
    ASSERT_TRUE(world->start_campaign(id));
    world->settle();
    ASSERT_TRUE(world->pause_campaign(id));
    world->settle();
    EXPECT_EQ(queued(id), 1);
    EXPECT_EQ(pending(id), 2);
    EXPECT_TRUE(world->open.wait_until_withdrawn(id, 0ms));
    world->platform->answer(world->platform->sent().front().id, PlayedPlatform::sent_outcome());
    world->settle();
    EXPECT_EQ(sent(id), 1);
    EXPECT_EQ(queued(id), 0);
}

TEST_F(RunnerTest, ACancelledCampaignEndsAllItsRows) {
    add_account_and_device(3s);
    const auto id = world->add_campaign(account, {device}, 2'500);
    ASSERT_TRUE(world->start_campaign(id));
    world->settle();
    ASSERT_TRUE(world->act([&](auto& tables) { return cancel(tables, id, clock.now()); }));
    world->settle();
    EXPECT_EQ(world->state(id), "cancelled");
    EXPECT_EQ(world->count(id, RecipientState::cancelled) + sent(id), 2'500);
    world->expect_exact(id);
    EXPECT_THAT(world->notices(account), ElementsAre("campaign.started", "campaign.finished"));
}

/// A row that is damaged is left out, and stays pending.
TEST_F(RunnerTest, ACancelledCampaignWithARowThatCannotBeEndedRests) {
    add_account_and_device();
    world->set_device_state(device, DeviceState::disconnected);
    const auto id = world->add_campaign(account, {device}, 3);
    EXPECT_TRUE(world->change([&](store::Tables& tables) -> Result<void> {
        store::UploadCounts counts;
        const std::vector<store::NewRecipient> rows{
            {.number = std::nullopt, .original = {}, .values = {}}};
        EXPECT_TRUE(tables.campaigns().stage_rows(id, rows, counts, clock.now()));
        std::swap(counts.added, counts.invalid);  // It counts as pending, and is not.
        EXPECT_TRUE(tables.campaigns().complete_upload(id, {"nama"}, counts));
        return {};
    }));
    ASSERT_TRUE(world->start_campaign(id));
    world->settle();
    ASSERT_TRUE(world->act([&](auto& tables) { return cancel(tables, id, clock.now()); }));
    world->settle();
    EXPECT_EQ(world->count(id, RecipientState::cancelled), 3);
    EXPECT_EQ(pending(id), 1);
}

TEST_F(RunnerTest, NothingIsSentInQuietHours) {
    add_account_and_device(3s);  // The clock shows 17:00 in Jakarta.
    const auto id = world->add_campaign(account, {device}, 2'000);
    world->edit_plan(id, [](auto& plan) {
        plan.quiet_hours = model::QuietHours{.from = 17h + 1min, .to = 17h + 10min};
    });
    ASSERT_TRUE(world->start_campaign(id));
    world->settle();
    world->advance_by_seconds(62);
    EXPECT_EQ(world->state(id), "running quiet_hours");
    EXPECT_EQ(queued(id), 0);
    const auto before = world->platform->sent().size();
    EXPECT_GE(before, 19U);
    world->advance_by_seconds(8 * 60);
    EXPECT_EQ(world->platform->sent().size(), before);
    world->advance_by_seconds(62);
    EXPECT_EQ(world->state(id), "running");
    EXPECT_GT(world->platform->sent().size(), before);
}

TEST_F(RunnerTest, ThePaceIsThatOfTheWholeCampaign) {
    account = world->add_account();
    const auto first = world->add_device(account);
    const auto second = world->add_device(account);
    const auto id = world->add_campaign(account, {first, second}, 100);
    world->edit_plan(id, [](auto& plan) { plan.per_minute = 12; });
    ASSERT_TRUE(world->start_campaign(id));
    world->settle();
    EXPECT_EQ(sent(id), 1);
    world->advance_by_seconds(60);
    EXPECT_EQ(sent(id), 13);
    EXPECT_LE(queued(id), 13);
}

TEST_F(RunnerTest, AScheduledCampaignStartsAtItsTime) {
    add_account_and_device();
    const auto id = world->add_campaign(account, {device}, 3);
    ASSERT_TRUE(world->start_campaign(id, clock.now() + 10s));
    world->advance_by_seconds(9);
    EXPECT_EQ(world->state(id), "scheduled");
    world->advance_by_seconds(2);
    EXPECT_EQ(world->state(id), "finished");
    EXPECT_EQ(sent(id), 3);
}

TEST_F(RunnerTest, AScheduleThatWasMissedByLessThanAnHourIsMadeUpFor) {
    add_account_and_device();
    const auto early = world->add_campaign(account, {device}, 1);
    const auto late = world->add_campaign(account, {device}, 1, 100);
    ASSERT_TRUE(world->start_campaign(early, clock.now() + 10s));
    ASSERT_TRUE(world->start_campaign(late, clock.now() + 30min));
    world.reset();
    clock.advance(1h + 1min);
    begin();
    world->settle();
    EXPECT_EQ(world->state(early), "paused missed_schedule");
    EXPECT_EQ(world->state(late), "finished");
}

TEST_F(RunnerTest, AScheduledCampaignThatCannotStartIsPausedForTheReason) {
    account = world->add_account(2);
    device = world->add_device(account);
    const auto poor = world->add_campaign(account, {device}, 3);
    const auto empty = world->add_campaign(account, {device}, 0);
    const auto homeless = world->add_campaign(account, {world->add_device(account)}, 1);
    for (const auto id : {poor, empty, homeless}) {
        ASSERT_TRUE(world->start_campaign(id, clock.now() + 1s));
    }
    EXPECT_TRUE(world->change([&](store::Tables& tables) {
        return tables.remove_device(world->campaign(homeless).plan.devices.front());
    }));
    world->advance_by_seconds(3);
    EXPECT_EQ(world->state(poor), "paused credit");
    EXPECT_EQ(world->state(empty), "paused missed_schedule");
    EXPECT_EQ(world->state(homeless), "paused disconnected");
}

TEST_F(RunnerTest, FailuresInARowPauseItAndKeepTheRest) {
    add_account_and_device();
    world->platform->abilities.window = 1;
    world->platform->outcome_of = [](const auto&) {
        return std::optional{
            PlayedPlatform::failed_outcome(model::StatusCode::recipient_unregistered)};
    };
    const auto id = world->add_campaign(account, {device}, 200);
    world->edit_plan(id, [](auto& plan) { plan.stop_rules.failures_in_row = 5; });
    ASSERT_TRUE(world->start_campaign(id));
    world->settle();
    EXPECT_EQ(world->state(id), "paused failures");
    EXPECT_GE(world->count(id, RecipientState::failed), 5);
    EXPECT_GT(pending(id), 0);
    EXPECT_EQ(queued(id), 0);
    world->expect_exact(id);
}

TEST_F(RunnerTest, ADeviceThatIsLoggedOutPausesItAndAnotherOneContinuesIt) {
    add_account_and_device(3s);
    const auto other = world->add_device(account);
    const auto id = world->add_campaign(account, {device}, 50);
    ASSERT_TRUE(world->start_campaign(id));
    world->settle();
    world->set_device_state(device, DeviceState::logged_out);
    world->settle();
    EXPECT_EQ(world->state(id), "paused disconnected");
    EXPECT_EQ(queued(id), 0);
    EXPECT_EQ(world->resume_campaign(id).error().code, ErrorCode::conflict);
    ASSERT_TRUE(world->act([&](store::Tables& tables) {
        return resume(tables, {.id = id, .devices = std::vector{other}}, clock.now());
    }));
    world->settle();
    EXPECT_EQ(world->state(id), "finished");
    EXPECT_EQ(sent(id), 50);
    EXPECT_EQ(world->platform->sent().back().device, other);
}

TEST_F(RunnerTest, AGoneDeviceIsWaitedForAndARestrictedOneLeftOut) {
    account = world->add_account();
    const auto first = world->add_device(account);
    const auto second = world->add_device(account);
    world->set_device_state(first, DeviceState::disconnected);
    world->set_device_state(second, DeviceState::disconnected);
    const auto id = world->add_campaign(account, {first, second}, 10);
    ASSERT_TRUE(world->start_campaign(id));
    world->settle();
    EXPECT_EQ(world->state(id), "running devices");
    world->set_device_state(first, DeviceState::restricted, clock.now() + 1h);
    world->settle();
    EXPECT_EQ(sent(id), 0);
    world->set_device_state(second, DeviceState::connected);
    world->advance(1s);
    EXPECT_EQ(world->state(id), "finished");
    EXPECT_EQ(world->platform->sent().front().device, second);
}

TEST_F(RunnerTest, ItIsPausedWhenAllItsDevicesAreRestricted) {
    add_account_and_device(3s);
    const auto id = world->add_campaign(account, {device}, 50);
    ASSERT_TRUE(world->start_campaign(id));
    world->settle();
    const auto until = clock.now() + 1h;
    world->set_device_state(device, DeviceState::restricted, until);
    world->settle();
    EXPECT_EQ(world->state(id), "paused restricted");
    EXPECT_EQ(world->campaign(id).until, until);
}

TEST_F(RunnerTest, APersonKeepsTheSenderThatWroteBefore) {
    account = world->add_account();
    const auto first = world->add_device(account);
    const auto second = world->add_device(account);
    ASSERT_TRUE(world->start_campaign(world->add_campaign(account, {second}, 20)));
    world->settle();
    ASSERT_TRUE(world->start_campaign(world->add_campaign(account, {first, second}, 20)));
    world->settle();
    const auto all = world->platform->sent();
    ASSERT_EQ(all.size(), 40U);
    EXPECT_TRUE(std::ranges::all_of(all, [&](const auto& one) { return one.device == second; }));
}

TEST_F(RunnerTest, RowsOfADeviceWithoutRoomDoNotHoldUpOthers) {
    account = world->add_account();
    const auto gone = world->add_device(account);
    const auto here = world->add_device(account);
    ASSERT_TRUE(world->start_campaign(world->add_campaign(account, {gone}, 100)));
    world->settle();
    world->set_device_state(gone, DeviceState::disconnected);
    const auto id = world->add_campaign(account, {gone, here}, 150);
    ASSERT_TRUE(world->start_campaign(id));
    world->settle();
    EXPECT_EQ(sent(id), 50);  // Those who got nothing from the device that is gone.
    EXPECT_EQ(pending(id), 100);
    world->set_device_state(gone, DeviceState::connected);
    world->settle();
    EXPECT_EQ(world->state(id), "finished");
    EXPECT_EQ(sent(id), 150);
}

TEST_F(RunnerTest, CampaignsOfOneDeviceShareIt) {
    add_account_and_device(1s);
    const auto large = world->add_campaign(account, {device}, 800);
    const auto small = world->add_campaign(account, {device}, 800, 10'000);
    ASSERT_TRUE(world->start_campaign(large));
    world->settle();
    ASSERT_TRUE(world->start_campaign(small));
    world->settle();
    world->advance_by_seconds(60);  // What the first one had queued before.
    const auto before = world->platform->sent().size();
    const auto small_before = sent_after(10'000);
    world->advance_by_seconds(200);
    const auto all = world->platform->sent().size() - before;
    const auto of_small = sent_after(10'000) - small_before;
    EXPECT_GE(all, 195U);
    EXPECT_NEAR(static_cast<double>(of_small), static_cast<double>(all) / 2, 35);
}

TEST_F(RunnerTest, MessagesOfTheApiGoFirstOnADeviceThatACampaignUses) {
    add_account_and_device(3s);
    ASSERT_TRUE(world->start_campaign(world->add_campaign(account, {device}, 500)));
    world->settle();
    auto message = std::make_unique<model::Message>();
    message->id = world->ids->next();
    message->account = account;
    message->device = device;
    message->recipient = "6285700000001";
    message->body = "kode";
    message->accepted_at = clock.now();
    message->due_at = world->queue_clock.now();
    ASSERT_TRUE(world->committer->accept(
        {.message = std::move(message)},
        [&](store::Accept&& done) { world->scheduler->accepted(std::move(done.message)); }));
    world->settle();
    world->advance_by_seconds(4);
    EXPECT_FALSE(world->platform->sent().back().of_campaign);
}

TEST_F(RunnerTest, EachStateIsToldOnceAlsoAfterARestart) {
    add_account_and_device(3s);
    const auto id = world->add_campaign(account, {device}, 5);
    ASSERT_TRUE(world->start_campaign(id));
    world->settle();
    ASSERT_TRUE(world->pause_campaign(id));
    world->settle();
    restart();
    world->settle();
    EXPECT_THAT(world->notices(account), ElementsAre("campaign.started", "campaign.paused"));
    ASSERT_TRUE(world->resume_campaign(id));
    world.reset();  // Before the runner has seen it.
    begin();
    world->settle();
    world->advance_by_seconds(30);
    EXPECT_EQ(world->state(id), "finished");
    EXPECT_THAT(world->notices(account), ElementsAre("campaign.started", "campaign.paused",
                                                     "campaign.started", "campaign.finished"));
    restart();
    world->advance_by_seconds(3);
    EXPECT_EQ(world->notices(account).size(), 4U);
}

TEST_F(RunnerTest, ACampaignInWhichNothingMovesForFiveMinutesIsReportedOnce) {
    add_account_and_device();
    world->set_device_state(device, DeviceState::disconnected);
    const auto id = world->add_campaign(account, {device}, 5);
    ASSERT_TRUE(world->start_campaign(id));
    world->settle();
    world->advance(4min + 50s);
    EXPECT_THAT(world->notices(account), ElementsAre("campaign.started"));
    world->advance(20s);
    world->advance(10min);
    EXPECT_THAT(world->notices(account), ElementsAre("campaign.started", "campaign.stalled"));
}

TEST_F(RunnerTest, ARestartContinuesWhereTheCampaignWas) {
    add_account_and_device(3s);
    const auto id = world->add_campaign(account, {device}, 25);
    ASSERT_TRUE(world->start_campaign(id));
    world->settle();
    world->advance_by_seconds(10);
    auto all = world->platform->recipients();
    restart();
    world->settle();
    world->advance_by_seconds(120);
    std::ranges::copy(world->platform->recipients(), std::back_inserter(all));
    EXPECT_EQ(world->state(id), "finished");
    EXPECT_EQ(all.size(), 25U);
    EXPECT_EQ((std::set<std::string>{all.begin(), all.end()}.size()), 25U);
}

TEST_F(RunnerTest, WithoutCreditForMoreItIsPaused) {
    account = world->add_account();
    device = world->add_device(account, 3s);
    const auto id = world->add_campaign(account, {device}, 200);
    ASSERT_TRUE(world->start_campaign(id));
    world->settle();
    EXPECT_TRUE(world->change(
        [&](store::Tables& tables) { return tables.set_credit(account, 5, {.at = clock.now()}); }));
    world->advance_by_seconds(120);
    EXPECT_EQ(world->state(id), "paused credit");
    world->expect_exact(id);
}

TEST_F(RunnerTest, FailedRowsAreSentAgainWhenSomebodyAsks) {
    add_account_and_device();
    world->platform->outcome_of = [](const model::Message& message) {
        return std::optional{message.recipient.ends_with("3")
                                 ? PlayedPlatform::failed_outcome(model::StatusCode::failed)
                                 : PlayedPlatform::sent_outcome()};
    };
    const auto id = world->add_campaign(account, {device}, 10);
    ASSERT_TRUE(world->start_campaign(id));
    world->settle();
    EXPECT_EQ(world->count(id, RecipientState::failed), 1);
    world->platform->outcome_of = [](const auto&) {
        return std::optional{PlayedPlatform::sent_outcome()};
    };
    const auto rows =
        retry([this](auto run) { return world->change(std::move(run)); }, {.id = id}, clock);
    ASSERT_TRUE(rows) << rows.error().describe();
    EXPECT_EQ(*rows, 1U);
    EXPECT_EQ(world->state(id), "paused asked");
    ASSERT_TRUE(world->resume_campaign(id));
    world->settle();
    EXPECT_EQ(world->state(id), "finished");
    EXPECT_EQ(sent(id), 10);
    EXPECT_EQ(world->platform->sent().size(), 11U);
}

TEST_F(RunnerTest, ACloneTakesTheAudienceToo) {
    add_account_and_device();
    const auto id = world->add_campaign(account, {device}, 1'500);
    const auto copy =
        world->act([&](store::Tables& tables) { return begin_clone(tables, id, clock.now()); });
    ASSERT_TRUE(copy);
    const auto counts = copy_audience([this](auto run) { return world->change(std::move(run)); },
                                      *world->store, id, copy->id, clock);
    ASSERT_TRUE(counts) << counts.error().describe();
    EXPECT_EQ(counts->added, 1'500U);
    EXPECT_EQ(world->state(copy->id), "draft");
    EXPECT_EQ(pending(copy->id), 1'500);
    EXPECT_EQ(world->recipients(copy->id).front().values, world->recipients(id).front().values);
    world->expect_exact(copy->id);
}

TEST_F(RunnerTest, ProgressIsToldAtMostTwiceASecond) {
    add_account_and_device();
    const auto id = world->add_campaign(account, {device}, 900);
    ASSERT_TRUE(world->start_campaign(id));
    world->settle();
    EXPECT_EQ(world->progress.size(), 1U);
    world->advance(500ms);
    ASSERT_EQ(world->progress.size(), 2U);
    EXPECT_EQ(world->progress.back().of(RecipientState::sent), 900);
}

}  // namespace
}  // namespace merpati::campaign
