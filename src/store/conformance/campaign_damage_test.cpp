// Damage to campaigns: a recipient that cannot be read costs that recipient, a campaign that
// campaign.
#include <algorithm>

#include "store/conformance/campaign_fixture.hpp"

namespace merpati::store {
namespace {

using namespace std::chrono_literals;
using model::MessageState;
using model::RecipientState;

constexpr std::uint32_t damaged_audience = 300;

struct CampaignDamageTest : CampaignTest {
    void damage(std::string_view table, std::size_t part) {
        store.reset();
        damages.push_back(GetParam().damage(directory.path(), table, part));
        store = take(open_store(options));
    }
    /// Hands all rows over, some at a time, as often as the store asks for another try.
    void queue_all(model::CampaignId id) {
        for (Row first = 1; first <= damaged_audience; first += 50) {
            for (bool written = false; !written;) {
                PlannedRows batch{.rows = {}, .next_due_at = clock.now(), .at = clock.now()};
                for (Row one = first; one < first + 50; ++one) {
                    batch.rows.push_back(planned(id, one));
                }
                const auto done = change(
                    [&](Tables& tables) { return tables.campaigns().queue_rows(id, batch); });
                written = done.has_value();
                ASSERT_TRUE(written || done.error().code == ErrorCode::damaged);
                for (auto& one : batch.rows) {
                    if (written && one.result == PlannedRow::Result::queued) {
                        messages.push_back(*one.message);
                    }
                }
            }
        }
    }

    std::vector<std::shared_ptr<void>> damages;
    std::vector<model::Message> messages;
};

TEST_P(CampaignDamageTest, ARowThatCannotBeWrittenStopsNoLaneAndIsCounted) {
    const auto id = running(1, damaged_audience).id;
    queue_all(id);
    ASSERT_EQ(messages.size(), damaged_audience);
    damage("campaign_recipient", 1);
    WriteBatch batch;
    for (const auto& one : messages) {
        batch.finishes.push_back(finish_of(one));
    }
    write_as_it_is(batch);
    EXPECT_TRUE(std::ranges::all_of(batch.finishes, &Finish::finished));
    EXPECT_FALSE(store->condition().is_damaged(device));
    EXPECT_GT(store->condition().damages(), 0);
    const auto found = take(reader()->campaigns().campaign(id));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->counts.of(RecipientState::sent), damaged_audience);
    EXPECT_EQ(found->counts.open(), 0);
}

TEST_P(CampaignDamageTest, ARowThatCannotBeReadKeepsNoOtherFromItsLane) {
    const auto id = running(1, damaged_audience).id;
    damage("campaign_recipient", 1);
    const auto open = reader();
    const auto readable = take(open->campaigns().pending_rows(id, 0, damaged_audience)).size();
    EXPECT_LT(readable, damaged_audience);
    EXPECT_GT(readable, damaged_audience / 2);
    std::size_t listed = 0;
    for (RecipientFilter filter{.campaign = id};;) {
        const auto page = take(open->campaigns().recipients(filter));
        listed += page.recipients.size();
        if (!page.next) {
            break;
        }
        filter.after_row = *page.next;
    }
    EXPECT_EQ(listed, readable);
    queue_all(id);
    EXPECT_GE(messages.size(), readable - 64);  // Neighbours are left out too.
    EXPECT_LT(messages.size(), damaged_audience);
}

TEST_P(CampaignDamageTest, ACancelledCampaignEndsTheRowsThatCanBeWritten) {
    const auto id = running(1, damaged_audience).id;
    damage("campaign_recipient", 1);
    move(id, model::CampaignState::cancelled);
    bool complete = false;
    for (int count = 0; !complete && count < 50; ++count) {
        const auto done = change([&](Tables& tables) -> Result<void> {
            const auto step = tables.campaigns().cancel_rows(id, 100, clock.now());
            complete = step && step->complete;
            return step ? Result<void>{} : pass(step);
        });
        ASSERT_TRUE(done || done.error().code == ErrorCode::damaged);
    }
    EXPECT_TRUE(complete);
    const auto found = take(reader()->campaigns().campaign(id));
    EXPECT_GT(found->counts.of(RecipientState::cancelled), damaged_audience / 2);
}

TEST_P(CampaignDamageTest, ACampaignThatCannotBeReadStopsNoOther) {
    constexpr int campaigns_count = 60;
    model::CampaignPlan plan;
    plan.consent = std::string(400, 'x');
    std::vector<model::CampaignId> all;
    for (int count = 0; count < campaigns_count; ++count) {
        all.push_back(running(1, 1, plan).id);
    }
    std::vector<model::Message> made;
    for (const auto id : all) {
        made.push_back(queued(id, 1));
    }
    damage("campaign_plan", 2);
    const auto open = take(reader()->campaigns().open_campaigns(ShardSet::all()));
    EXPECT_LT(open.size(), campaigns_count);
    EXPECT_GT(open.size(), campaigns_count / 2);
    EXPECT_GT(store->condition().damages(), 0);
    for (const auto& one : made) {
        EXPECT_TRUE(finish(finish_of(one)));
    }
    for (const auto& one : open) {
        EXPECT_EQ(campaign(one.id).counts.of(RecipientState::sent), 1);
    }
    EXPECT_EQ(row(all.at(campaigns_count - 1), 1).state, RecipientState::sent);
    EXPECT_FALSE(store->condition().is_damaged(device));
}

TEST_P(CampaignDamageTest, APageOfCampaignsThatIsLostKeepsNoOtherFromAStart) {
    constexpr std::size_t campaigns_count = 200;
    std::vector<model::CampaignId> all;
    for (std::size_t count = 0; count < campaigns_count; ++count) {
        all.push_back(running(1, 1).id);
        UploadCounts counts;
        ASSERT_TRUE(stage(create().id, {fresh(2)}, counts));  // A broken upload.
    }
    damage("campaign", 1);
    const auto open = reader();
    const auto is_most = [&](const auto& found) {
        ASSERT_TRUE(found) << found.error().describe();
        EXPECT_LT(found->size(), campaigns_count);
        EXPECT_GT(found->size(), campaigns_count / 2);
    };
    const auto campaigns = open->campaigns().open_campaigns(ShardSet::all());
    ASSERT_TRUE(campaigns) << campaigns.error().describe();
    const auto running_count =
        std::ranges::count(*campaigns, model::CampaignState::running, &model::Campaign::state);
    EXPECT_LT(running_count, campaigns_count);
    EXPECT_GT(running_count, campaigns_count / 2);
    is_most(open->campaigns().campaigns_to_clean(ShardSet::all()));
    is_most(open->campaigns().campaigns_to_notify(ShardSet::all()));
    EXPECT_TRUE(std::ranges::is_sorted(*campaigns, {}, &model::Campaign::id));
    EXPECT_GT(store->condition().damages(), 0);
}

TEST_P(CampaignDamageTest, ACampaignThatCannotBeReadIsMissingFromTheListAlone) {
    constexpr int campaigns_count = 60;
    model::CampaignPlan plan;
    plan.consent = std::string(400, 'x');
    for (int count = 0; count < campaigns_count; ++count) {
        (void)running(1, 1, plan);
    }
    damage("campaign_plan", 2);
    for (const auto& owner : {std::optional<model::AccountId>{}, std::optional{account}}) {
        const auto open = reader();
        std::vector<model::CampaignId> listed;
        for (CampaignFilter filter{.account = owner, .limit = 7};;) {
            const auto page = take(open->campaigns().campaigns(filter));
            std::ranges::transform(page, std::back_inserter(listed), &model::Campaign::id);
            if (page.size() < filter.limit) {
                break;
            }
            filter.before = listed.back();
        }
        EXPECT_LT(listed.size(), campaigns_count);
        EXPECT_GT(listed.size(), campaigns_count / 2);
        EXPECT_TRUE(std::ranges::is_sorted(listed, std::ranges::greater{}));
        EXPECT_EQ(std::ranges::adjacent_find(listed), listed.end());
        EXPECT_GT(store->condition().damages(), 0);
    }
}

INSTANTIATE_TEST_SUITE_P(Engines, CampaignDamageTest, ::testing::ValuesIn(engines_by_damage()),
                         name_of);

}  // namespace
}  // namespace merpati::store
