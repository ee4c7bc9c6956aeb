#include "scheduler/retry_policy.hpp"

#include <gtest/gtest.h>

#include "testing/fixed_random.hpp"
#include "testing/manual_clock.hpp"

namespace merpati::scheduler {
namespace {

using namespace std::chrono_literals;

struct RetryPolicyTest : ::testing::Test {
    testing::ManualClock clock;
    testing::FixedRandom random;
    RetryPolicy policy{.first = 5s, .longest = 60s, .give_up = 24h};

    Millis wait(std::uint32_t attempts, std::optional<Millis> asked = {}) {
        return *policy.next(clock.now(), clock.now(), attempts, asked, random) - clock.now();
    }
};

TEST_F(RetryPolicyTest, DoublesFromTheFirstToTheLongestWithinAFifthOfJitter) {
    for (int turn = 0; turn < 200; ++turn) {
        EXPECT_GE(wait(1), 4s);
        EXPECT_LE(wait(1), 6s);
        EXPECT_GE(wait(3), 16s);
        EXPECT_LE(wait(3), 24s);
        EXPECT_LE(wait(1000), 72s);
    }
}

TEST_F(RetryPolicyTest, HonoursThePlatformsWishWhereItIsLater) {
    EXPECT_EQ(wait(1, 30s), 30s);
    EXPECT_GE(wait(1, 1ms), 4s);
}

TEST_F(RetryPolicyTest, TriesOnceMoreAtTheMomentOfGivingUpAndThenStops) {
    const auto due = clock.now();
    clock.advance(24h - 1s);
    EXPECT_EQ(policy.next(clock.now(), due, 9, {}, random), due + 24h);
    clock.advance(1s);
    EXPECT_FALSE(policy.next(clock.now(), due, 10, {}, random));
}

}  // namespace
}  // namespace merpati::scheduler
