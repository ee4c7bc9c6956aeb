#include <future>
#include <thread>

#include "store/committer_fixture.hpp"

namespace merpati::store {
namespace {

using CommitterFaultsTest = CommitterTest;

TEST_F(CommitterFaultsTest, AFullDiskRefusesWhatMayBeRefusedAndWritesTheRestWhenThereIsRoom) {
    const auto under_test = committer();
    std::vector<std::size_t> reported;
    under_test->on_commit = [&](std::size_t operations, std::chrono::microseconds) {
        reported.push_back(operations);
    };
    store.fill();
    std::promise<Accept::Result> refused;
    std::promise<ErrorCode> changed;
    std::atomic<bool> recorded = false;
    finish(*under_test);
    EXPECT_TRUE(under_test->accept({.message = std::make_unique<model::Message>()},
                                   [&](Accept&& reported) { refused.set_value(reported.result); }));
    EXPECT_TRUE(under_test->change(
        nothing, [&](const Result<void>& reported) { changed.set_value(reported.error().code); }));
    EXPECT_TRUE(under_test->change_always(nothing, [&](const Result<void>&) { recorded = true; }));
    under_test->start();
    EXPECT_EQ(refused.get_future().get(), Accept::Result::no_room);
    EXPECT_EQ(changed.get_future().get(), ErrorCode::busy);
    EXPECT_EQ(done, 0);
    EXPECT_FALSE(recorded);
    ASSERT_TRUE(store.wait_for_writes(3));  // The committer tries again by itself.
    EXPECT_EQ(done, 0);

    store.make_room();
    under_test->stop();
    EXPECT_EQ(done, 1);
    EXPECT_TRUE(recorded);
    EXPECT_EQ(fatals, 0);
    EXPECT_EQ(reported, std::vector<std::size_t>{2});
    EXPECT_EQ(under_test->counts().operations, 2);
}

TEST_F(CommitterFaultsTest, OutcomesThatFindNoRoomBeforeTheEndAreFatal) {
    const auto under_test = committer();
    store.fill();
    finish(*under_test);
    under_test->start();
    under_test->stop();
    EXPECT_EQ(done, 0);
    EXPECT_EQ(fatals, 1);
}

TEST_F(CommitterFaultsTest, WhileTheDatabaseIsAwayWhoeverWaitsIsRefusedAndTheRestIsKept) {
    const auto under_test = committer({.batch_max = 4});
    store.go_away();
    std::promise<Accept::Result> refused;
    std::promise<ErrorCode> changed;
    std::atomic<int> recorded = 0;
    finish(*under_test);
    EXPECT_TRUE(under_test->change_always(nothing, [&](const Result<void>&) { recorded += 1; }));
    under_test->reschedule({}, [&](const Reschedule&) { recorded += 1; });
    under_test->hand_over({}, [&](const HandOver&) { recorded += 1; });
    under_test->record_intent({}, [&](const Intent&) { recorded += 1; });
    under_test->update_callbacks(std::vector<CallbackUpdate>(1), [&] { recorded += 1; });
    EXPECT_TRUE(under_test->accept({.message = std::make_unique<model::Message>()},
                                   [&](Accept&& reported) { refused.set_value(reported.result); }));
    EXPECT_TRUE(under_test->change(
        nothing, [&](const Result<void>& reported) { changed.set_value(reported.error().code); }));
    under_test->start();
    EXPECT_EQ(refused.get_future().get(), Accept::Result::unavailable);
    EXPECT_EQ(changed.get_future().get(), ErrorCode::unavailable);
    ASSERT_TRUE(store.wait_for_writes(3));  // The committer tries again by itself.
    EXPECT_EQ(done + recorded, 0);
    EXPECT_EQ(store.sizes().back(), 4);  // No more than the limit in one transaction.

    store.come_back();
    under_test->stop();
    EXPECT_EQ(done, 1);
    EXPECT_EQ(recorded, 5);
    EXPECT_EQ(fatals, 0);
    EXPECT_EQ(under_test->counts().operations, 6);
    EXPECT_EQ(store.condition().reconnects(), 1);
}

TEST_F(CommitterFaultsTest, WhatArrivesWhileTheDatabaseIsAwayIsRefusedAtOnceOrWrittenAfterwards) {
    const auto under_test = committer();
    under_test->start();
    store.go_away();
    finish(*under_test);
    ASSERT_TRUE(store.wait_for_writes(2));
    EXPECT_EQ(under_test->change_and_wait(nothing).error().code, ErrorCode::unavailable);
    std::promise<Accept::Result> refused;
    std::promise<ErrorCode> changed;
    EXPECT_TRUE(under_test->accept({.message = std::make_unique<model::Message>()},
                                   [&](Accept&& reported) { refused.set_value(reported.result); }));
    EXPECT_TRUE(under_test->change(
        nothing, [&](const Result<void>& reported) { changed.set_value(reported.error().code); }));
    finish(*under_test);
    EXPECT_EQ(refused.get_future().get(), Accept::Result::unavailable);
    EXPECT_EQ(changed.get_future().get(), ErrorCode::unavailable);
    EXPECT_EQ(done, 0);
    std::promise<void> alive;
    under_test->probe([&] { alive.set_value(); });
    EXPECT_EQ(alive.get_future().wait_for(deadline), std::future_status::ready);

    store.come_back();
    under_test->stop();
    EXPECT_EQ(done, 2);
    EXPECT_EQ(fatals, 0);
}

TEST_F(CommitterFaultsTest, FindsTheDatabaseAgainAlsoWhenNothingWaitsToBeWritten) {
    const auto under_test = committer();
    under_test->start();
    store.go_away();
    EXPECT_TRUE(accept(*under_test));
    ASSERT_TRUE(store.wait_for_writes(3));
    EXPECT_EQ(store.sizes().back(), 0);
    EXPECT_FALSE(store.condition().may_send(0));
    store.come_back();
    while (!store.condition().is_available()) {
        std::this_thread::yield();
    }
    EXPECT_EQ(under_test->change_and_wait(nothing).error().code, ErrorCode::refused);
    under_test->stop();
    EXPECT_EQ(under_test->counts().operations, 1);
}

TEST_F(CommitterFaultsTest, ABatchThatMayHaveBeenCommittedIsAskedForUnchangedAndNobodyIsRefused) {
    const auto under_test = committer();
    store.go_away_in_a_commit();
    std::promise<Accept::Result> accepted;
    EXPECT_TRUE(
        under_test->accept({.message = std::make_unique<model::Message>()},
                           [&](Accept&& reported) { accepted.set_value(reported.result); }));
    finish(*under_test);
    under_test->start();
    ASSERT_TRUE(store.wait_for_writes(1));
    std::promise<Accept::Result> later;
    EXPECT_TRUE(under_test->accept({.message = std::make_unique<model::Message>()},
                                   [&](Accept&& reported) { later.set_value(reported.result); }));
    finish(*under_test);
    ASSERT_TRUE(store.wait_for_writes(3));
    EXPECT_EQ(later.get_future().get(), Accept::Result::unavailable);
    auto answer = accepted.get_future();
    EXPECT_EQ(answer.wait_for(0s), std::future_status::timeout);
    EXPECT_EQ(done, 0);

    store.come_back();
    EXPECT_EQ(answer.get(), Accept::Result::stored);
    under_test->stop();
    EXPECT_EQ(done, 2);
    EXPECT_EQ(store.sizes().front(), 2);
    EXPECT_EQ(store.sizes().back(), 1);
}

TEST_F(CommitterFaultsTest, ADatabaseThatIsAwayAtTheEndIsFatalOnlyIfAnythingWaits) {
    store.go_away();
    {
        const auto under_test = committer();
        EXPECT_TRUE(under_test->accept(
            {.message = std::make_unique<model::Message>()},
            [](const Accept& refused) { EXPECT_EQ(refused.result, Accept::Result::unavailable); }));
        under_test->start();
        under_test->stop();
        EXPECT_EQ(fatals, 0);
    }
    const auto under_test = committer();
    finish(*under_test);
    under_test->start();
    under_test->stop();
    EXPECT_EQ(done, 0);
    EXPECT_EQ(fatals, 1);
}

TEST_F(CommitterFaultsTest, ANodeThatLostWhatItOwnedReportsNothing) {
    const auto under_test = committer();
    store.depose();
    EXPECT_TRUE(accept(*under_test));
    under_test->start();
    under_test->stop();
    EXPECT_EQ(done, 0);
    EXPECT_EQ(fatals, 1);
}

}  // namespace
}  // namespace merpati::store
