// What people do with campaigns, beside a runner that works on them.
#include <chrono>
#include <functional>

#include <gmock/gmock.h>

#include "campaign/runner_fixture.hpp"

namespace merpati::campaign {
namespace {

using namespace std::chrono_literals;
using model::RecipientState;
using model::StatusCode;
using ::testing::HasSubstr;

struct ActsTest : RunnerTest {
    Result<void> remove_campaign(model::CampaignId id) {
        return world->change([id](store::Tables& tables) { return remove(tables, id); });
    }
    void cancel_campaign(model::CampaignId id) {
        EXPECT_TRUE(world->act([&](auto& tables) { return cancel(tables, id, clock.now()); }));
    }

    model::CampaignId finished(std::uint32_t rows) {
        const auto id = world->add_campaign(account, {device}, rows);
        EXPECT_TRUE(world->start_campaign(id));
        world->settle();
        EXPECT_EQ(world->state(id), "finished");
        return id;
    }
    /// All its messages have failed.
    model::CampaignId finished_with_failures(std::uint32_t rows) {
        add_account_and_device();
        world->platform->outcome_of = [](const auto&) {
            return std::optional{PlayedPlatform::failed_outcome(StatusCode::failed)};
        };
        return finished(rows);
    }

    RunChange change() {
        return [this](auto run) { return world->change(std::move(run)); };
    }
    /// Somebody does `act` before the change with this number, from 1.
    RunChange before_change(int number, std::function<void()> act) {
        return [this, left = number, act = std::move(act)](auto run) mutable {
            if (--left == 0) {
                act();
            }
            return world->change(std::move(run));
        };
    }
    Result<std::uint64_t> retry_failed(model::CampaignId id, const RunChange& run,
                                       std::optional<StatusCode> code = {}) {
        return retry(run, {.id = id, .scope = store::RetryScope::failed, .code = code}, clock);
    }
    Result<store::UploadCounts> copy(model::CampaignId from, const RunChange& run) {
        const auto to = world->act(
            [&](store::Tables& tables) { return begin_clone(tables, from, clock.now()); });
        const auto claim = world->uploads.claim(to->id);
        return copy_audience(run, *world->store, from, to->id, clock);
    }
    void add_row(model::CampaignId id) {
        EXPECT_TRUE(world->act([&](store::Tables& tables) {
            store::UploadCounts counts;
            EXPECT_TRUE(tables.campaigns().stage_rows(
                id, std::vector{store::NewRecipient{.number = {}, .original = "x", .values = {}}},
                counts, clock.now()));
            return tables.campaigns().complete_upload(id, {"nama"}, counts);
        }));
    }
    void prune(model::CampaignId id) {
        for (int rounds = 0; !world->recipients(id).empty(); ++rounds) {
            ASSERT_LT(rounds, 100);
            EXPECT_TRUE(world->change([&](store::Tables& tables) -> Result<void> {
                (void)tables.prune(
                    {.messages_before = clock.now() + 1h, .idempotency_before = clock.now()});
                return {};
            }));
        }
    }
};

TEST_F(ActsTest, ACancelledCampaignIsRemovedOnceAllItsRowsHaveEnded) {
    add_account_and_device(3s);
    const auto id = world->add_campaign(account, {device}, 30);
    ASSERT_TRUE(world->start_campaign(id));
    world->settle();
    ASSERT_GT(queued(id), 0);
    const auto before = world->platform->sent().size();
    cancel_campaign(id);
    const auto refused = remove_campaign(id);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::conflict);
    world->advance_by_seconds(60);
    EXPECT_EQ(world->platform->sent().size(), before);
    EXPECT_EQ(world->count(id, RecipientState::cancelled) + sent(id), 30);
    EXPECT_TRUE(remove_campaign(id));
}

TEST_F(ActsTest, ACampaignIsNotRemovedWhileASendOfItIsUnderWay) {
    add_account_and_device();
    world->platform->outcome_of = [](const auto&) { return std::nullopt; };
    const auto id = world->add_campaign(account, {device}, 1);
    ASSERT_TRUE(world->start_campaign(id));
    world->settle();
    cancel_campaign(id);
    world->settle();
    EXPECT_FALSE(remove_campaign(id));
    world->platform->answer(world->platform->sent().front().id, PlayedPlatform::sent_outcome());
    world->settle();
    EXPECT_TRUE(remove_campaign(id));
}

TEST_F(ActsTest, ADraftIsRemovedWithItsPendingRows) {
    add_account_and_device();
    EXPECT_TRUE(remove_campaign(world->add_campaign(account, {device}, 3)));
}

TEST_F(ActsTest, ARetryOfNoRowLeavesACampaignEnded) {
    const auto id = finished_with_failures(2);
    const auto finished_at = world->campaign(id).finished_at;
    const auto rows = retry_failed(id, change(), StatusCode::recipient_invalid);
    ASSERT_TRUE(rows);
    EXPECT_EQ(*rows, 0U);
    EXPECT_EQ(world->state(id), "finished");
    EXPECT_EQ(world->campaign(id).finished_at, finished_at);
    EXPECT_EQ(retry_failed(id, change(), StatusCode::failed), 2U);
    EXPECT_EQ(world->state(id), "paused asked");
}

TEST_F(ActsTest, ARetryFindsItsFirstRowInALaterStep) {
    add_account_and_device();
    world->platform->outcome_of = [](const model::Message& message) {
        return std::optional{message.campaign_row > rows_step
                                 ? PlayedPlatform::failed_outcome(StatusCode::failed)
                                 : PlayedPlatform::sent_outcome()};
    };
    const auto id = finished(rows_step + 2);
    EXPECT_EQ(retry_failed(id, change()), 2U);
    EXPECT_EQ(world->state(id), "paused asked");
    EXPECT_EQ(pending(id), 2);
}

TEST_F(ActsTest, ARetryDoesNotUndoACancelBetweenItsSteps) {
    const auto id = finished_with_failures(rows_step + 2);
    const auto refused = retry_failed(id, before_change(2, [&] {
                                          cancel_campaign(id);
                                          world->settle();  // The rows of the first step too.
                                      }));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::conflict);
    EXPECT_EQ(world->state(id), "cancelled");
    EXPECT_EQ(pending(id), 0);
    world->expect_exact(id);
}

TEST_F(ActsTest, ACopyIsRefusedIfItsSourceIsEmptiedOrGrowsMeanwhile) {
    add_account_and_device();
    const auto id = world->add_campaign(account, {device}, rows_step + 2);
    const auto emptied = copy(id, before_change(2, [&] {
                                  EXPECT_TRUE(world->act([&](store::Tables& tables) {
                                      return tables.campaigns().empty_audience(id);
                                  }));
                                  world->advance_by_seconds(3);  // Its rows are removed.
                              }));
    ASSERT_FALSE(emptied);
    EXPECT_EQ(emptied.error().code, ErrorCode::conflict);

    const auto other = world->add_campaign(account, {device}, 3);
    const auto grown = copy(other, before_change(2, [&] { add_row(other); }));
    ASSERT_FALSE(grown);
    EXPECT_EQ(grown.error().code, ErrorCode::conflict);
    const auto whole = copy(other, change());
    ASSERT_TRUE(whole);
    EXPECT_EQ(whole->rows, 4U);
}

TEST_F(ActsTest, ACopyIsRefusedIfItsSourceIsRemovedMeanwhile) {
    add_account_and_device();
    const auto id = world->add_campaign(account, {device}, rows_step + 2);
    EXPECT_FALSE(copy(id, before_change(2, [&] { EXPECT_TRUE(remove_campaign(id)); })));
}

TEST_F(ActsTest, ACopyIsRefusedIfRetentionHasRemovedRows) {
    const auto id = finished_with_failures(3);
    const auto late = copy(id, before_change(1, [&] { prune(id); }));
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().code, ErrorCode::conflict);
    const auto refused = copy(id, change());
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::conflict);
    EXPECT_THAT(refused.error().detail, HasSubstr("retention"));
}

}  // namespace
}  // namespace merpati::campaign
