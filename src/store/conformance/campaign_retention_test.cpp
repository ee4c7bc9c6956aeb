// Retention removes the rows of campaigns that ended; their counts stay.
#include "store/conformance/campaign_fixture.hpp"

namespace merpati::store {
namespace {

using namespace std::chrono_literals;
using model::CampaignState;
using model::MessageState;
using model::RecipientState;

struct CampaignRetentionTest : CampaignTest {
    void prune() {
        for (PruneStep step; step.removed > 0 || !step.complete;) {
            EXPECT_TRUE(change_once([&](Tables& tables) -> Result<void> {
                step = take(tables.prune({.messages_before = clock.now() - 720h,
                                          .idempotency_before = clock.now() - 24h,
                                          .visits_max = 3}));
                return {};
            }));
        }
    }
    std::size_t rows_of(model::CampaignId id) {
        return take(reader()->campaigns().recipients({.campaign = id})).recipients.size();
    }
    model::CampaignCounts counts_of(model::CampaignId id) {
        return take(reader()->campaigns().campaign(id))->counts;
    }
};

TEST_P(CampaignRetentionTest, RowsOfACampaignThatEndedGoAndItsCountsStay) {
    const auto old = running(1, 5).id;
    for (Row one = 1; one <= 5; ++one) {
        end(queued(old, one), MessageState::sent);
    }
    move(old, CampaignState::finished);
    const auto counts = counts_of(old);
    const auto waits = running(6, 8).id;
    clock.advance(721h);
    const auto young = running(9, 9).id;
    end(queued(young, 1), MessageState::sent);
    move(young, CampaignState::finished);
    prune();
    EXPECT_EQ(rows_of(old), 0);
    EXPECT_EQ(counts_of(old), counts);
    EXPECT_EQ(rows_of(waits), 3);
    EXPECT_EQ(rows_of(young), 1);
    EXPECT_TRUE(faults().empty());
}

TEST_P(CampaignRetentionTest, ARowWhoseMessageMayStillMoveIsKept) {
    const auto id = running(1, 3).id;
    end(queued(id, 1), MessageState::sent);
    const auto held = queued(id, 2);
    end(held, MessageState::held);
    const auto late = queued(id, 3);
    move(id, CampaignState::cancelled);
    clock.advance(721h);
    prune();
    EXPECT_EQ(rows_of(id), 2);
    end(late, MessageState::sent);
    ASSERT_TRUE(change([&](Tables& tables) {
        return tables.fail_message(held.id, finish_of(held, MessageState::failed).completion, {});
    }));
    EXPECT_EQ(counts_of(id).of(RecipientState::sent), 2);
    EXPECT_EQ(counts_of(id).of(RecipientState::failed), 1);
    prune();
    EXPECT_EQ(rows_of(id), 0);
    EXPECT_EQ(counts_of(id).total(), 3);
    EXPECT_TRUE(faults().empty());
}

INSTANTIATE_TEST_SUITE_P(Engines, CampaignRetentionTest, ::testing::ValuesIn(engines()), name_of);

}  // namespace
}  // namespace merpati::store
