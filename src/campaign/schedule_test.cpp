// Scheduled campaigns are checked at their time as `start` checks them.
#include <future>

#include "campaign/runner_fixture.hpp"
#include "campaign/start_checks.hpp"

namespace merpati::campaign {
namespace {

using namespace std::chrono_literals;

struct ScheduleTest : RunnerTest {
    ScheduleTest() { add_account_and_device(); }

    model::CampaignId schedule() {
        const auto id = world->add_campaign(account, {device}, 3);
        EXPECT_TRUE(world->start_campaign(id, clock.now() + 1min));
        return id;
    }
};

TEST_F(ScheduleTest, EachRowIsCheckedAtTheTime) {
    const auto id = schedule();
    world->edit_plan(id, [](auto& plan) { plan.message = std::string(4'090, 'x') + "{{nama}}"; });
    world->settle();
    EXPECT_EQ(world->checks, 0);
    world->advance(61s);
    EXPECT_EQ(world->state(id), "paused missed_schedule");
    EXPECT_EQ(world->checks, 1);
    EXPECT_TRUE(world->platform->sent().empty());
    EXPECT_EQ(world->campaign(id).started_at, std::nullopt);
}

TEST_F(ScheduleTest, OneThatIsReadyStarts) {
    const auto id = schedule();
    world->advance(61s);
    EXPECT_EQ(world->state(id), "finished");
    EXPECT_EQ(sent(id), 3);
}

TEST_F(ScheduleTest, AMarketingCampaignThatHasLostItsConsentDoesNotStart) {
    const auto id = schedule();
    world->edit_plan(id, [](auto& plan) { plan.purpose = model::Purpose::marketing; });
    world->advance(61s);
    world->advance(2s);  // It was found ready as it was before, and is checked again.
    EXPECT_EQ(world->state(id), "paused missed_schedule");
}

TEST(StartChecksTest, AnAccountWithSlowChecksDelaysNoOther) {
    std::promise<void> go;
    const auto gone = go.get_future().share();
    StartChecks checks{[gone](const model::Campaign& campaign) -> Result<CheckReport> {
        if (campaign.account.value == 1) {
            gone.wait();
        }
        return CheckReport{.ready = true};
    }};
    checks.start();
    const auto of = [](std::int64_t account) {
        model::Campaign campaign;
        campaign.account = {account};
        return std::make_shared<const model::Campaign>(campaign);
    };
    std::atomic<int> slow = 0;
    for (std::size_t count = 0; count < 2 * StartChecks::threads_count; ++count) {
        checks.put(of(1), [&slow](const auto&) { ++slow; });
    }
    std::promise<void> done;
    checks.put(of(2), [&done](const auto&) { done.set_value(); });
    done.get_future().wait();
    EXPECT_EQ(slow, 0);
    go.set_value();
    std::promise<void> last;
    checks.put(of(1), [&last](const auto&) { last.set_value(); });
    last.get_future().wait();
    EXPECT_EQ(slow, static_cast<int>(2 * StartChecks::threads_count));
}

}  // namespace
}  // namespace merpati::campaign
