// What campaigns of several accounts queue in one commit.
#include <latch>
#include <vector>

#include "campaign/runner_fixture.hpp"

namespace merpati::campaign {
namespace {

struct HandOverTest : RunnerTest {};

/// Other commits wait for the rows that are queued, whoever's they are.
TEST_F(HandOverTest, CampaignsOfManyAccountsHaveNoMoreRowsUnderWayThanOneAndTakeTurns) {
    constexpr int accounts = 10;
    std::vector<model::CampaignId> ids;
    for (int count = 0; count < accounts; ++count) {
        add_account_and_device();
        ids.push_back(world->add_campaign(account, {device}, 200, 1'000 * count));
        ASSERT_TRUE(world->start_campaign(ids.back()));
    }
    std::latch begun{1};
    std::latch may_end{1};
    ASSERT_TRUE(world->committer->change(
        [&](store::Tables&) -> Result<void> {
            begun.count_down();
            may_end.wait();
            return {};
        },
        [](const Result<void>&) {}));
    begun.wait();
    for (int turn = 0; turn < accounts; ++turn) {
        std::ignore = world->runner->turn();
    }
    may_end.count_down();
    const auto commit = [&] {
        ASSERT_TRUE(world->change([](store::Tables&) { return Result<void>{}; }));
    };
    commit();
    EXPECT_GT(world->runner->counts().queued_total, 0U);
    EXPECT_LE(world->runner->counts().queued_total, Runner::step_rows_max);
    for (int turn = 0; turn < accounts; ++turn) {
        std::ignore = world->runner->turn();
        commit();
    }
    for (const auto id : ids) {
        EXPECT_LT(pending(id), 200) << id.text();
    }
    world->settle();
    for (const auto id : ids) {
        EXPECT_EQ(world->state(id), "finished");
    }
}

}  // namespace
}  // namespace merpati::campaign
