// A campaign whose spread is changed, or that is resumed, does not wait for what was due before.
#include "campaign/runner_fixture.hpp"

namespace merpati::campaign {
namespace {

using namespace std::chrono_literals;

struct SpreadTest : RunnerTest {
    /// Runs, and has written to its first recipient.
    model::CampaignId begun(std::uint32_t rows, std::chrono::hours time) {
        const auto id = world->add_campaign(account, {device}, rows);
        world->edit_plan(id, [&](auto& plan) { plan.finish_by = clock.now() + time; });
        EXPECT_TRUE(world->start_campaign(id));
        world->settle();
        return id;
    }
    void pause_and_resume(model::CampaignId id) {
        ASSERT_TRUE(world->pause_campaign(id));
        world->settle();
        ASSERT_TRUE(world->resume_campaign(id));
        world->settle();
    }
};

TEST_F(SpreadTest, MessagesAreSpreadEvenlyUntilItsEnd) {
    add_account_and_device();
    const auto id = begun(10, 240h);
    EXPECT_EQ(sent(id), 1);
    for (int hour = 1; hour < 240; ++hour) {
        world->advance(1h);
        ASSERT_NEAR(static_cast<double>(sent(id)), 1 + hour / 24, 1) << hour;
    }
    EXPECT_EQ(world->state(id), "finished");
}

TEST_F(SpreadTest, WithoutItsEndTheRestIsSentAtOnce) {
    add_account_and_device();
    const auto id = begun(10, 240h);
    EXPECT_EQ(sent(id), 1);
    world->edit_plan(id, [](auto& plan) { plan.finish_by.reset(); });
    world->advance(1s);
    EXPECT_EQ(world->state(id), "finished");
    EXPECT_EQ(sent(id), 10);
}

TEST_F(SpreadTest, AnEarlierEndCountsFromTheNextMessageOn) {
    add_account_and_device();
    const auto id = begun(10, 240h);
    world->edit_plan(id, [this](auto& plan) { plan.finish_by = clock.now() + 1h; });
    for (int minute = 0; minute < 60; ++minute) {
        world->advance(1min);
    }
    EXPECT_EQ(world->state(id), "finished");
}

TEST_F(SpreadTest, OneThatIsResumedSendsAMessageAtOnceAndTheNextOneInItsTime) {
    add_account_and_device();
    const auto id = begun(10, 240h);
    pause_and_resume(id);
    EXPECT_EQ(sent(id), 2);
    world->advance(1h);
    EXPECT_EQ(sent(id), 2);
}

TEST_F(SpreadTest, OneThatIsResumedAfterARetryDoesNotWaitForItsEnd) {
    add_account_and_device();
    world->platform->outcome_of = [](const auto&) {
        return std::optional{PlayedPlatform::failed_outcome(model::StatusCode::failed)};
    };
    const auto id = begun(1, 240h);
    EXPECT_EQ(world->state(id), "finished");
    world->platform->outcome_of = [](const auto&) {
        return std::optional{PlayedPlatform::sent_outcome()};
    };
    ASSERT_TRUE(
        retry([this](auto run) { return world->change(std::move(run)); }, {.id = id}, clock));
    ASSERT_TRUE(world->resume_campaign(id));
    world->settle();
    EXPECT_EQ(sent(id), 1);
}

TEST_F(SpreadTest, ThePaceIsKeptHoweverOftenItIsResumed) {
    add_account_and_device();
    const auto id = world->add_campaign(account, {device}, 100);
    world->edit_plan(id, [](auto& plan) { plan.per_minute = 12; });
    ASSERT_TRUE(world->start_campaign(id));
    world->settle();
    for (int second = 0; second < 60; ++second) {
        pause_and_resume(id);
        world->edit_plan(id, [&](auto& plan) { plan.finish_by = clock.now() + 10s; });
        world->advance(1s);
    }
    EXPECT_LE(sent(id), 13);
    world->advance_by_seconds(60);
    EXPECT_LE(sent(id), 25);
}

TEST_F(SpreadTest, TheNightsUntilItsEndAreNotCountedEachTurn) {
    constexpr int campaigns = 10;
    add_account_and_device();
    model::CampaignPlan plan;
    for (int count = 0; count < campaigns; ++count) {
        const auto id = world->add_campaign(account, {device}, 2, 10 * count);
        world->edit_plan(id, [&](auto& edited) {
            edited.finish_by = clock.now() + std::chrono::days{3'650};
            edited.quiet_hours = model::QuietHours{.from = 20h, .to = 8h};
            plan = edited;
        });
        ASSERT_TRUE(world->start_campaign(id));
    }
    world->settle();
    world->advance(1s);
    ASSERT_EQ(world->platform->sent().size(), campaigns);
    const auto time_of = [](auto run) {
        const auto begun = std::chrono::steady_clock::now();
        run();
        return std::chrono::steady_clock::now() - begun;
    };
    const auto look = time_of([&] {
        const auto zone = TimeZone::find(plan.timezone).value();
        EXPECT_GT(open_time(plan, zone, clock.now(), *plan.finish_by), 24h);
    });
    const auto turns = time_of([&] {
        for (int count = 0; count < 100; ++count) {
            std::ignore = world->runner->turn();
        }
    });
    EXPECT_LT(turns, campaigns * look) << "as long as one look at each, in 100 turns";
}

}  // namespace
}  // namespace merpati::campaign
