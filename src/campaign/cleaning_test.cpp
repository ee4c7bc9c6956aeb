// Rows that belong to no audience are removed, and those of an upload that is under way are not.
#include "campaign/runner_fixture.hpp"

namespace merpati::campaign {
namespace {

using namespace std::chrono_literals;

struct CleaningTest : RunnerTest {
    CleaningTest() {
        add_account_and_device();
        id = world->add_campaign(account, {device}, 3);
    }

    void empty() {
        EXPECT_TRUE(world->act(
            [&](store::Tables& tables) { return tables.campaigns().empty_audience(id); }));
    }
    void stage(std::int64_t number) {
        const auto before = counts;
        EXPECT_TRUE(world->change([&](store::Tables& tables) {
            counts = before;
            const std::vector<store::NewRecipient> rows{
                {.number = model::PhoneNumber::from_stored(number), .original = {}, .values = {}}};
            return tables.campaigns().stage_rows(id, rows, counts, clock.now());
        }));
    }
    bool is_unclean() {
        const auto all =
            (*world->store->open_reader())->campaigns().campaigns_to_clean(store::ShardSet::all());
        return !all->empty();
    }

    model::CampaignId id;
    store::UploadCounts counts;
};

TEST_F(CleaningTest, TheRowsOfAnEmptiedAudienceAreRemoved) {
    empty();
    EXPECT_TRUE(is_unclean());
    world->advance(1s);
    EXPECT_FALSE(is_unclean());
    stage(6281000000001);
    EXPECT_EQ(counts.duplicate, 0U) << "the row that was there is gone";
}

TEST_F(CleaningTest, TheRowsOfAnUploadStayAsLongAsItIsUnderWay) {
    {
        const auto claim = world->uploads.claim(id);
        stage(6282000000001);
        EXPECT_TRUE(world->pause_campaign(id).error().code == ErrorCode::conflict);
        world->edit_plan(id, [](auto& plan) { plan.name = "Lain"; });
        world->advance_by_seconds(3);
        EXPECT_TRUE(is_unclean());
        EXPECT_TRUE(world->change([&](store::Tables& tables) -> Result<void> {
            const auto step = tables.campaigns().complete_upload(id, {"nama"}, counts);
            return step ? Result<void>{} : pass(step);
        })) << "all its rows are there";
    }
    EXPECT_EQ(world->campaign(id).counts.total(), 4);
}

TEST_F(CleaningTest, WhatAnUploadHasLeftIsRemovedOnceItHasEnded) {
    {
        const auto claim = world->uploads.claim(id);
        stage(6282000000001);
        world->advance_by_seconds(3);
    }
    world->advance_by_seconds(2);
    EXPECT_FALSE(is_unclean());
    EXPECT_EQ(world->recipients(id).size(), 3U);
}

TEST_F(CleaningTest, ACopyThatFailsLeavesNoRows) {
    {
        const auto claim = world->uploads.claim(id);
        stage(6282000000001);
        EXPECT_TRUE(world->change([&](store::Tables& tables) { return remove(tables, id); }));
        world->settle();
        EXPECT_TRUE(is_unclean());
    }
    world->advance_by_seconds(2);
    EXPECT_FALSE(is_unclean());
}

TEST_F(CleaningTest, ACopyWhoseAccountLeavesMeanwhileIsRemovedByItsNextOwner) {
    const auto copy =
        world->act([&](store::Tables& tables) { return begin_clone(tables, id, clock.now()); });
    ASSERT_TRUE(copy);
    {
        const auto claim = world->uploads.claim(copy->id);
        int changes = 0;
        const RunChange leaving = [&](auto run) -> Result<void> {
            return ++changes == 2 ? fail(ErrorCode::elsewhere, "another node works for it now")
                                  : world->change(std::move(run));
        };
        const auto copied = copy_audience(leaving, *world->store, id, copy->id, clock);
        ASSERT_FALSE(copied);
        EXPECT_EQ(copied.error().code, ErrorCode::elsewhere);
    }
    EXPECT_EQ((*world->store->open_reader())->campaigns().campaigns({})->size(), 1U);
    EXPECT_TRUE(is_unclean());
    restart();
    world->advance_by_seconds(2);
    EXPECT_FALSE(is_unclean());
    EXPECT_EQ((*world->store->open_reader())->campaigns().campaigns({})->size(), 1U);
}

TEST_F(CleaningTest, ACopyThatIsBeingMadeStaysAlthoughItsAccountComesBackMeanwhile) {
    const auto claim = world->uploads.claim({id.value + 1});
    const auto copy =
        world->act([&](store::Tables& tables) { return begin_clone(tables, id, clock.now()); });
    ASSERT_TRUE(copy);
    ASSERT_EQ(copy->id.value, id.value + 1);
    Result<void> attached;
    world->runner->attach(store::ShardSet::all(), [&](Result<void> done) { attached = done; });
    world->advance_by_seconds(3);
    EXPECT_TRUE(attached);
    EXPECT_TRUE(copy_audience([this](auto run) { return world->change(std::move(run)); },
                              *world->store, id, copy->id, clock));
    EXPECT_EQ(world->campaign(copy->id).counts.total(), 3);
}

}  // namespace
}  // namespace merpati::campaign
