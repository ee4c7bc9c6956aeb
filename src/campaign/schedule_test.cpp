// Scheduled campaigns are checked at their time as `start` checks them.
#include <array>
#include <atomic>
#include <functional>
#include <future>
#include <memory>

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

struct StartChecksTest : ::testing::Test {
    /// What a step of the account's checks does.
    using Play = std::function<CheckStep(std::int64_t account)>;

    std::unique_ptr<StartChecks> checks_of(Play play) {
        auto checks =
            std::make_unique<StartChecks>([play = std::move(play)](const CampaignPtr& campaign) {
                return [play, account = campaign->account.value]() -> Result<CheckStep> {
                    return play(account);
                };
            });
        checks->start();
        return checks;
    }
    static void put(StartChecks& checks, std::int64_t account, StartChecks::Done done) {
        model::Campaign campaign;
        campaign.account = {account};
        checks.put(std::make_shared<const model::Campaign>(campaign), std::move(done));
    }
    static void put_and_wait(StartChecks& checks, std::int64_t account) {
        std::promise<void> done;
        put(checks, account, [&done](const auto&) { done.set_value(); });
        done.get_future().wait();
    }
    static CheckStep complete() { return {.report = CheckReport{.ready = true}}; }
};

TEST_F(StartChecksTest, AnAccountWithSlowChecksDelaysNoOther) {
    std::promise<void> go;
    const auto gone = go.get_future().share();
    const auto checks = checks_of([gone](std::int64_t account) {
        if (account == 1) {
            gone.wait();
        }
        return complete();
    });
    std::atomic<int> slow = 0;
    for (std::size_t count = 0; count < 2 * StartChecks::threads_count; ++count) {
        put(*checks, 1, [&slow](const auto&) { ++slow; });
    }
    put_and_wait(*checks, 2);
    EXPECT_EQ(slow, 0);
    go.set_value();
    put_and_wait(*checks, 1);
    EXPECT_EQ(slow, static_cast<int>(2 * StartChecks::threads_count));
}

TEST_F(StartChecksTest, AccountsWithLargeAudiencesDelayNoOther) {
    constexpr std::int64_t many = 3 * StartChecks::threads_count;
    std::atomic<bool> has_started = false;
    const auto checks = checks_of([&has_started](std::int64_t account) {
        return account == 0 || has_started ? complete() : CheckStep{};
    });
    std::atomic<std::int64_t> large = 0;
    for (std::int64_t account = 1; account <= many; ++account) {
        put(*checks, account, [&large](const auto&) { ++large; });
    }
    put_and_wait(*checks, 0);
    EXPECT_EQ(large, 0);
    has_started = true;
    for (std::int64_t account = 1; account <= many; ++account) {
        put_and_wait(*checks, account);
    }
    EXPECT_EQ(large, many);
}

TEST_F(StartChecksTest, SlowHostsOfFilesDelayNoAudienceWithoutFiles) {
    constexpr std::int64_t many = 2 * StartChecks::threads_count;
    std::promise<void> go;
    const auto gone = go.get_future().share();
    std::array<std::atomic<int>, many + 1> steps{};
    std::atomic<std::size_t> waiting = 0;
    const auto checks = checks_of([&, gone](std::int64_t account) {
        if (account == 0) {
            return complete();
        }
        if (steps.at(static_cast<std::size_t>(account))++ == 0) {
            return CheckStep{.probes_next = true};
        }
        EXPECT_LE(++waiting, StartChecks::probing_max);
        gone.wait();
        --waiting;
        return complete();
    });
    for (std::int64_t account = 1; account <= many; ++account) {
        put(*checks, account, [](const auto&) {});
    }
    put_and_wait(*checks, 0);
    go.set_value();
    for (std::int64_t account = 1; account <= many; ++account) {
        put_and_wait(*checks, account);
    }
}

TEST_F(StartChecksTest, ACheckThatFailsEndsAlone) {
    StartChecks checks{[](const CampaignPtr& campaign) {
        return [account = campaign->account.value]() -> Result<CheckStep> {
            return account == 1 ? fail(ErrorCode::damaged, "a page cannot be read")
                                : Result<CheckStep>{complete()};
        };
    }};
    checks.start();
    std::promise<ErrorCode> failed;
    put(checks, 1, [&failed](const auto& report) { failed.set_value(report.error().code); });
    EXPECT_EQ(failed.get_future().get(), ErrorCode::damaged);
    put_and_wait(checks, 2);
}

}  // namespace
}  // namespace merpati::campaign
