#include "store/committer.hpp"

#include <future>
#include <thread>

#include <gtest/gtest.h>

#include "store/committer_fixture.hpp"

namespace merpati::store {
namespace {

TEST_F(CommitterTest, GivesEachOperationItsOwnResult) {
    const auto under_test = committer();
    under_test->start();
    finish(*under_test);
    EXPECT_TRUE(accept(*under_test));
    under_test->reschedule({.attempts = 4}, [this](const Reschedule& reschedule) {
        EXPECT_EQ(reschedule.attempts, 4);
        done += 1;
    });
    under_test->record_intent({}, [this](const Intent&) { done += 1; });
    under_test->update_callbacks(std::vector<CallbackUpdate>(1), [this] { done += 1; });
    EXPECT_TRUE(under_test->change(nothing, [this](Result<void> result) {
        EXPECT_EQ(result.error().code, ErrorCode::refused);
        done += 1;
    }));
    under_test->stop();
    EXPECT_EQ(done, 6);
    EXPECT_EQ(under_test->counts().operations, 6);
}

TEST_F(CommitterTest, GathersWhileACommitIsInFlight) {
    const auto under_test = committer();
    store.hold();
    under_test->start();
    ASSERT_TRUE(accept(*under_test));
    ASSERT_TRUE(store.wait_for_writes(1));
    for (int count = 0; count < 9; ++count) {
        ASSERT_TRUE(accept(*under_test));
    }
    EXPECT_EQ(done, 0);  // Nothing is reported before the commit.
    store.let_go();
    under_test->stop();
    EXPECT_EQ(store.sizes(), (std::vector<std::size_t>{1, 9}));
    EXPECT_EQ(done, 10);
    EXPECT_EQ(under_test->counts().commits, 2);
}

TEST_F(CommitterTest, WritesNoMoreThanTheLimitInOneTransaction) {
    const auto under_test = committer({.batch_max = 4});
    for (int count = 0; count < 10; ++count) {
        ASSERT_TRUE(accept(*under_test));
    }
    under_test->start();
    under_test->stop();
    EXPECT_EQ(store.sizes(), (std::vector<std::size_t>{4, 4, 2}));
    EXPECT_EQ(done, 10);
}

TEST_F(CommitterTest, TheResultsOfOneRequestAreWrittenTogetherAndReportedOnce) {
    const auto under_test = committer();
    under_test->start();
    under_test->update_callbacks(std::vector<CallbackUpdate>(100), [this] { done += 1; });
    under_test->stop();
    EXPECT_EQ(store.sizes(), (std::vector<std::size_t>{100}));
    EXPECT_EQ(done, 1);
}

TEST_F(CommitterTest, RefusesNewWorkWhenFullButAlwaysTakesResults) {
    const auto under_test = committer({.queue_max = 2});
    EXPECT_TRUE(accept(*under_test));
    EXPECT_TRUE(accept(*under_test));
    EXPECT_FALSE(accept(*under_test));
    EXPECT_FALSE(under_test->change(nothing, [](Result<void>) { FAIL(); }));
    const auto waited = under_test->change_and_wait(nothing);
    EXPECT_EQ(waited.error().code, ErrorCode::busy);
    finish(*under_test);
    EXPECT_EQ(under_test->counts().waiting, 3);
    under_test->start();
    under_test->stop();
    EXPECT_EQ(done, 3);
}

TEST_F(CommitterTest, WritesCallbackResultsAlsoWhenNothingElseHappens) {
    const auto under_test = committer();
    under_test->start();
    for (int count = 1; count <= 3; ++count) {
        under_test->update_callbacks(std::vector<CallbackUpdate>(1), [this] { done += 1; });
        ASSERT_TRUE(store.wait_for_writes(count));
        ASSERT_TRUE(store.wait_for_checkpoints(count));
    }
    under_test->stop();
    EXPECT_EQ(done, 3);
}

TEST_F(CommitterTest, DropsOperationsThatItHasReported) {
    const auto under_test = committer();
    under_test->start();
    auto held = std::make_shared<int>(1);
    const std::weak_ptr<int> seen = held;
    ASSERT_TRUE(under_test->accept({.message = std::make_unique<model::Message>()},
                                   [held = std::move(held)](Accept&&) {}));
    ASSERT_TRUE(store.wait_for_checkpoints(1));
    EXPECT_TRUE(seen.expired());
    under_test->stop();
}

TEST_F(CommitterTest, WaitsForAChange) {
    const auto under_test = committer();
    under_test->start();
    EXPECT_EQ(under_test->change_and_wait(nothing).error().code, ErrorCode::refused);
}

TEST_F(CommitterTest, TakesNothingAfterItStopped) {
    const auto under_test = committer();
    under_test->start();
    under_test->stop();
    under_test->stop();
    EXPECT_FALSE(accept(*under_test));
    finish(*under_test);
    EXPECT_EQ(done, 0);
}

TEST_F(CommitterTest, ReportsNothingWhenTheStoreFails) {
    const auto under_test = committer();
    store.hold();
    store.start_failing();
    under_test->start();
    EXPECT_TRUE(accept(*under_test));
    ASSERT_TRUE(store.wait_for_writes(1));
    finish(*under_test);
    auto waiting = std::async(std::launch::async,
                              [&] { return under_test->change_and_wait(nothing).error().code; });
    while (under_test->counts().waiting < 2) {
        std::this_thread::yield();
    }
    store.let_go();
    ASSERT_EQ(waiting.wait_for(deadline), std::future_status::ready);
    EXPECT_EQ(waiting.get(), ErrorCode::shutting_down);
    under_test->stop();
    EXPECT_EQ(fatals, 1);
    EXPECT_EQ(done, 0);
    EXPECT_EQ(store.sizes(),
              std::vector<std::size_t>{1});  // The waiting operations were not written.
    EXPECT_FALSE(accept(*under_test));
}

TEST_F(CommitterTest, CheckpointsOnceAfterWork) {
    const auto under_test = committer();
    under_test->start();
    EXPECT_TRUE(accept(*under_test));
    EXPECT_TRUE(store.wait_for_checkpoints(1));
    EXPECT_TRUE(accept(*under_test));
    EXPECT_TRUE(store.wait_for_checkpoints(2));
    under_test->stop();
}

TEST_F(CommitterTest, NoAnswerWaitsForTheMaintenanceOfTheStore) {
    const auto under_test = committer();
    store.hold_maintenance();
    under_test->start();
    EXPECT_TRUE(accept(*under_test));
    ASSERT_TRUE(store.wait_for_maintenance());
    EXPECT_EQ(done, 1);
    store.end_maintenance();
    under_test->stop();
}

TEST_F(CommitterTest, AFailedCheckpointIsAsFatalAsAFailedCommit) {
    const auto under_test = committer();
    store.break_checkpoints();
    under_test->start();
    EXPECT_TRUE(accept(*under_test));
    ASSERT_TRUE(store.wait_for_checkpoints(1));
    under_test->stop();
    EXPECT_EQ(fatals, 1);
    EXPECT_FALSE(accept(*under_test));
}

TEST_F(CommitterTest, TakesWhatHasHappenedHoweverMuchWaits) {
    const auto under_test = committer({.queue_max = 1});
    EXPECT_TRUE(accept(*under_test));
    EXPECT_FALSE(accept(*under_test));
    EXPECT_TRUE(under_test->change_always(nothing, [this](const Result<void>&) { done += 1; }));
    under_test->start();
    under_test->stop();
    EXPECT_EQ(done, 2);
    EXPECT_FALSE(under_test->change_always(nothing, [](const Result<void>&) { FAIL(); }));
}

TEST_F(CommitterTest, ReportsTheSizeOfEachCommit) {
    const auto under_test = committer();
    std::vector<std::size_t> sizes;
    under_test->on_commit = [&](std::size_t operations, std::chrono::microseconds took) {
        EXPECT_GE(took.count(), 0);
        sizes.push_back(operations);
    };
    EXPECT_TRUE(accept(*under_test));
    under_test->hand_over({}, [](const HandOver&) {});
    under_test->start();
    under_test->stop();
    EXPECT_EQ(sizes, std::vector<std::size_t>{2});
    EXPECT_EQ(store.sizes(), std::vector<std::size_t>{2});
}

TEST_F(CommitterTest, ChangesThatAcceptManyMessagesShareATransactionUpToALimit) {
    const auto under_test = committer({.change_accepts_max = 10});
    std::vector<char> order;
    const auto change = [&](char name, std::size_t accepts) {
        EXPECT_TRUE(under_test->change(
            nothing, [&order, name](const Result<void>&) { order.push_back(name); }, accepts));
    };
    change('a', 25);  // Alone more than the limit.
    change('b', 6);
    change('c', 6);
    change('d', 4);
    change('e', 0);
    EXPECT_TRUE(accept(*under_test));
    under_test->start();
    under_test->stop();
    EXPECT_EQ(store.sizes(), (std::vector<std::size_t>{3, 2, 1}));
    EXPECT_EQ(order, (std::vector<char>{'a', 'e', 'b', 'd', 'c'}));
    EXPECT_EQ(under_test->counts().operations, 6);
}

TEST_F(CommitterTest, AnswersAProbeWithoutACommit) {
    const auto under_test = committer({.queue_max = 1});
    under_test->start();
    std::promise<void> asleep;
    under_test->probe([&] { asleep.set_value(); });
    EXPECT_EQ(asleep.get_future().wait_for(deadline), std::future_status::ready);

    store.hold();
    ASSERT_TRUE(accept(*under_test));
    ASSERT_TRUE(store.wait_for_writes(1));
    ASSERT_TRUE(accept(*under_test));  // Now it is full.
    std::atomic<bool> answered = false;
    under_test->probe([&] { answered = true; });
    EXPECT_FALSE(answered);
    store.let_go();
    under_test->stop();
    EXPECT_TRUE(answered);
    EXPECT_EQ(under_test->counts().commits, 2);
}

}  // namespace
}  // namespace merpati::store
