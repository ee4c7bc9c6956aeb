#include "base/rate_bucket.hpp"

#include <gtest/gtest.h>

#include "testing/manual_clock.hpp"

namespace merpati {
namespace {

using namespace std::chrono_literals;

struct RateBucketTest : ::testing::Test {
    testing::ManualClock clock;
    RateBucket bucket;

    RateVerdict take(std::uint32_t count = 1) {
        return bucket.take(5, 1s, clock.steady_now(), count);
    }
};

TEST_F(RateBucketTest, LetsAWholeBucketInAtOnceAndThenRefuses) {
    for (std::uint32_t left = 5; left-- > 0;) {
        const auto verdict = take();
        EXPECT_TRUE(verdict.allowed);
        EXPECT_EQ(verdict.remaining, left);
    }
    const auto refused = take();
    EXPECT_FALSE(refused.allowed);
    EXPECT_EQ(refused.retry_after, 200ms);
    EXPECT_EQ(refused.reset, 1s);
}

TEST_F(RateBucketTest, LetsOneInWhenTheNamedTimeHasPassedAndNotBefore) {
    while (take().allowed) {
    }
    clock.advance(199ms);
    EXPECT_FALSE(take().allowed);
    clock.advance(1ms);
    EXPECT_TRUE(take().allowed);
    EXPECT_FALSE(take().allowed);
}

TEST_F(RateBucketTest, TakesSeveralAtOnceOrNone) {
    EXPECT_TRUE(take(3).allowed);
    const auto refused = take(3);
    EXPECT_FALSE(refused.allowed);
    EXPECT_EQ(refused.retry_after, 200ms);
    EXPECT_EQ(take(2).remaining, 0U);
}

TEST_F(RateBucketTest, ARefusedRequestCostsNothing) {
    while (take().allowed) {
    }
    for (int turn = 0; turn < 100; ++turn) {
        EXPECT_FALSE(take().allowed);
    }
    clock.advance(1s);
    EXPECT_EQ(take().remaining, 4U);
}

}  // namespace
}  // namespace merpati
