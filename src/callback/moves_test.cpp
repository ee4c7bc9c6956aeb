// Accounts that leave this process, and come back to it.
#include <array>
#include <memory>

#include <gtest/gtest.h>

#include "callback/sender_fixture.hpp"

namespace merpati::callback {
namespace {

using namespace std::chrono_literals;
using model::CallbackState;
using model::Leave;

struct MovesTest : SenderFixture {
    static constexpr model::AccountId mover{.value = 1};
    static constexpr std::int64_t other = 2;

    void detach(Leave how = Leave::when_settled) {
        const auto count = [this](const void* /*nothing*/) { ++requests_done; };
        core->detach(shards_of_mover, how, std::shared_ptr<const void>{nullptr, count});
        run();
    }
    void attach() {
        core->attach(shards_of_mover);
        run();
    }

    const std::array<store::Shard, 1> shard_of_mover{store::shard_of(mover)};
    const store::ShardSet shards_of_mover{shard_of_mover};
    int requests_done = 0;
};

TEST_F(MovesTest, WhatWaitsIsDeliveredByWhoeverHasTheAccount) {
    start({.per_origin_max = 1});
    const auto first = send();
    const auto waiting = send();
    ASSERT_EQ(attempts.size(), 1U);
    detach();
    EXPECT_EQ(requests_done, 0);
    answer(0, 200);
    EXPECT_EQ(requests_done, 1);
    EXPECT_EQ(stored(first).state, CallbackState::delivered);
    const auto meanwhile = send();
    core->made_due({.account = mover, .origin_key = 7});
    run();
    EXPECT_EQ(attempts.size(), 1U);
    EXPECT_EQ(core->counts().in_memory, 0U);
    EXPECT_EQ(core->counts().origins, 0U);
    (void)send_of(other, 7);
    EXPECT_EQ(attempts.size(), 2U);
    attach();
    ASSERT_EQ(attempts.size(), 3U);
    answer(2, 200);
    answer(3, 200);
    EXPECT_EQ(stored(waiting).state, CallbackState::delivered);
    EXPECT_EQ(stored(meanwhile).state, CallbackState::delivered);
}

TEST_F(MovesTest, AnAccountWithoutCallbacksLeavesAtOnce) {
    start();
    detach();
    EXPECT_EQ(requests_done, 1);
    attach();
    EXPECT_EQ(core->counts().origins, 0U);
}

TEST_F(MovesTest, AFailureThatIsDueAgainLaterIsTheNextOwners) {
    start();
    const auto id = send();
    detach();
    answer(0, 500);
    EXPECT_EQ(requests_done, 1);
    EXPECT_EQ(stored(id).attempts, 1U);
    pass_time(1h);
    EXPECT_EQ(attempts.size(), 1U);
    EXPECT_EQ(core->next_step_at(), SteadyTime::max());
    attach();
    EXPECT_EQ(attempts.size(), 2U);
}

TEST_F(MovesTest, AtOnceLaterResultsAreDropped) {
    start();
    const auto id = send();
    detach(Leave::at_once);
    EXPECT_EQ(requests_done, 1);
    attempts.at(0).answer(outbound::Response{.status = 200});
    run();
    EXPECT_EQ(stored(id).state, CallbackState::waiting);
    EXPECT_EQ(stored(id).attempts, 0U);
    EXPECT_TRUE(core->is_idle());
    EXPECT_EQ(core->counts().in_flight, 0U);
    EXPECT_EQ(core->counts().origins, 0U);
}

TEST_F(MovesTest, AnAccountThatComesBackWaitsForTheAttemptsOfItsEarlierStay) {
    start();
    const auto id = send();
    detach(Leave::at_once);
    attach();
    const auto next = send();
    EXPECT_EQ(attempts.size(), 1U);
    attempts.at(0).answer(outbound::Response{.status = 200});
    run();
    ASSERT_EQ(attempts.size(), 2U);  // What is known of the endpoint was forgotten.
    answer(1, 200);
    ASSERT_EQ(attempts.size(), 3U);
    answer(2, 200);
    EXPECT_EQ(stored(id).state, CallbackState::delivered);
    EXPECT_EQ(stored(next).state, CallbackState::delivered);
}

TEST_F(MovesTest, AProcessThatStartsEmptyDeliversNothingOfAccountsThatItWasNotGiven) {
    start();
    const auto id = send();
    attempts.clear();
    start({.starts_empty = true});
    EXPECT_TRUE(attempts.empty());
    (void)send_of(other, 7);
    EXPECT_TRUE(attempts.empty());
    attach();
    ASSERT_EQ(attempts.size(), 1U);
    answer(0, 200);
    EXPECT_EQ(stored(id).state, CallbackState::delivered);
}

TEST_F(MovesTest, NoAttemptIsBegunWhileThisProcessMayNot) {
    bool may = false;
    start({.may_begin = [&may] { return may; }});
    const auto id = send();
    pass_time(1min);
    EXPECT_TRUE(attempts.empty());
    EXPECT_EQ(core->next_step_at(), clock.steady_now() + 100ms);
    may = true;
    pass_time(100ms);
    ASSERT_EQ(attempts.size(), 1U);
    may = false;
    answer(0, 200);  // What was begun is recorded.
    EXPECT_EQ(stored(id).state, CallbackState::delivered);
}

TEST_F(MovesTest, ABatchThatIsTooLargeIsLeftToTheNextOwner) {
    batch = model::CallbackBatch{.max = 10, .wait = 0ms};
    start();
    for (int i = 0; i < 4; ++i) {
        auto callback =
            commit(7, "https://toko.example.com/status", 1, model::CallbackKind::message_status);
        core->add(std::move(callback));
    }
    run();
    ASSERT_EQ(attempts.size(), 1U);
    detach();
    attempts.at(0).answer(outbound::Response{.status = 413});
    run();
    EXPECT_EQ(requests_done, 1);
    EXPECT_EQ(attempts.size(), 1U);
    EXPECT_EQ(core->counts().in_memory, 0U);
    attach();
    EXPECT_EQ(attempts.size(), 2U);
}

}  // namespace
}  // namespace merpati::callback
