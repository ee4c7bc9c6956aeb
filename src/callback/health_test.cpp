#include "callback/health.hpp"

#include <gtest/gtest.h>

namespace merpati::callback {
namespace {

using namespace std::chrono_literals;
using Answer = Health::Answer;

struct HealthTest : ::testing::Test {
    void answer(Answer answer, Millis took = 20ms, int times = 1) {
        for (int i = 0; i < times; ++i) {
            now += took;  // One attempt after the other.
            health.answered(answer, now, took, true);
        }
    }

    SteadyTime now{1h};
    Health health{32};
};

TEST_F(HealthTest, OneThatNeverAnsweredHasOneAttemptAndIsNotPrompt) {
    EXPECT_EQ(health.slots(), 1U);
    EXPECT_FALSE(health.prompt());
}

TEST_F(HealthTest, PromptSuccessesEarnAttemptsUpToTheMost) {
    answer(Answer::success);
    EXPECT_TRUE(health.prompt());
    EXPECT_EQ(health.slots(), 2U);
    answer(Answer::success, 20ms, 100);
    EXPECT_EQ(health.slots(), 32U);
}

TEST_F(HealthTest, OneThatDoesNotUseWhatItHasEarnsNoMore) {
    for (int i = 0; i < 10; ++i) {
        health.answered(Answer::success, now, 20ms, false);
    }
    EXPECT_TRUE(health.prompt());
    EXPECT_EQ(health.slots(), 1U);
}

TEST_F(HealthTest, SlowSuccessesAreNotPromptAndEarnAQuarter) {
    answer(Answer::success, 2s, 100);
    EXPECT_FALSE(health.prompt());
    EXPECT_EQ(health.slots(), 8U);
    answer(Answer::success, 20ms, 100);
    EXPECT_TRUE(health.prompt());
    answer(Answer::success, 2s, 10);
    EXPECT_FALSE(health.prompt());
    EXPECT_EQ(health.slots(), 8U);
}

TEST_F(HealthTest, AnAttemptThatHangsEndsPromptness) {
    answer(Answer::success, 20ms, 10);
    health.stalled();
    EXPECT_FALSE(health.prompt());
    EXPECT_LT(health.slots(), 11U);
}

TEST_F(HealthTest, AnswersOfTheApplicationNeverOpenTheBreaker) {
    answer(Answer::client_error, 20ms, 1000);
    EXPECT_FALSE(health.open());
    EXPECT_TRUE(health.prompt());
    EXPECT_EQ(health.slots(), 1U) << "they earn nothing either";
}

TEST_F(HealthTest, AReceiverThatIsCrowdedGetsHalfAsManyAtOnce) {
    answer(Answer::success, 20ms, 31);
    answer(Answer::too_many_requests);
    EXPECT_EQ(health.slots(), 16U);
    EXPECT_TRUE(health.prompt());
}

TEST_F(HealthTest, TenFailuresInARowOpenTheBreakerForGrowingTimes) {
    answer(Answer::failure, 20ms, 9);
    answer(Answer::client_error);
    answer(Answer::failure, 20ms, 9);
    EXPECT_FALSE(health.open()) << "somebody was there in between";
    answer(Answer::failure);
    EXPECT_TRUE(health.open());
    EXPECT_FALSE(health.prompt());
    EXPECT_EQ(health.slots(), 1U);
    EXPECT_EQ(health.probe_at(), now + 5s);
    answer(Answer::failure);
    EXPECT_EQ(health.probe_at(), now + 10s);
    answer(Answer::failure, 20ms, 20);
    EXPECT_EQ(health.probe_at(), now + 5min);
    answer(Answer::success);
    EXPECT_FALSE(health.open());
}

TEST_F(HealthTest, EachEventOfARequestIsAFailureButOneRequestAloneOpensNoBreaker) {
    health.answered(Answer::failure, now, 20ms, false, 100);
    EXPECT_FALSE(health.open());
    health.answered(Answer::success, now, 20ms, false, 100);
    now += 20ms;
    health.answered(Answer::failure, now, 20ms, false, 5);
    health.answered(Answer::failure, now, 20ms, false, 4);
    EXPECT_FALSE(health.open());
    health.answered(Answer::failure, now, 20ms, false, 1);
    EXPECT_TRUE(health.open());
}

TEST_F(HealthTest, AttemptsThatHangTogetherAmongSuccessesOpenNoBreaker) {
    answer(Answer::success, 20ms, 100);
    now += 1900ms;
    for (int i = 0; i < 32; ++i) {
        health.answered(Answer::failure, now, 2s, true);
    }
    EXPECT_FALSE(health.open()) << "the endpoint answered after they had begun";
    EXPECT_EQ(health.slots(), 1U);
    answer(Answer::failure, 2s, 10);
    EXPECT_TRUE(health.open());
}

TEST_F(HealthTest, AttemptsInFlightWhenItOpenedDoNotLengthenItsBackOff) {
    answer(Answer::failure, 20ms, 10);
    ASSERT_TRUE(health.open());
    const auto probe_at = now + 5s;
    now += 1s;
    for (int i = 0; i < 22; ++i) {
        health.answered(Answer::failure, now, 2s, true);
    }
    EXPECT_EQ(health.probe_at(), probe_at);
    now = probe_at;
    answer(Answer::failure);
    EXPECT_EQ(health.probe_at(), now + 10s) << "a probe that fails does";
}

}  // namespace
}  // namespace merpati::callback
