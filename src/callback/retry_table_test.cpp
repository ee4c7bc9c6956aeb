#include "callback/retry_table.hpp"

#include <gtest/gtest.h>

#include "testing/fixed_random.hpp"
#include "testing/manual_clock.hpp"

namespace merpati::callback {
namespace {

struct RetryTableTest : ::testing::Test {
    testing::ManualClock clock;
    testing::FixedRandom random;
    Timestamp now = clock.now();
};

TEST_F(RetryTableTest, FollowsTheTableWithinAFifthOfJitterAndThenEnds) {
    for (std::uint32_t attempt = 1; attempt <= 10; ++attempt) {
        const Millis planned = retry_waits[attempt - 1];
        const auto wait = *next_attempt(now, attempt, {}, random) - now;
        EXPECT_GE(wait, planned * 4 / 5);
        EXPECT_LE(wait, planned * 6 / 5);
    }
    EXPECT_FALSE(next_attempt(now, 11, {}, random));
}

TEST_F(RetryTableTest, HonoursTheReceiversWishUpToADay) {
    EXPECT_EQ(*next_attempt(now, 1, 90s, random) - now, 90s);
    EXPECT_EQ(*next_attempt(now, 1, 1000h, random) - now, 24h);
    EXPECT_GE(*next_attempt(now, 1, 0s, random) - now, 4s);
}

TEST_F(RetryTableTest, ReadsSecondsAndDatesAndNothingElse) {
    EXPECT_EQ(parse_retry_after("120", now), 120s);
    EXPECT_EQ(parse_retry_after("Fri, 20 Nov 2026 10:01:00 GMT", now), 60s);
    for (const auto* junk : {"", "-5", "soon", "1.5", "99999999999999", "120 s",
                             "Fri, 20 Nov 2026 09:00:00 GMT", "Fri, 20 Nov 2026 10:01:00"}) {
        EXPECT_FALSE(parse_retry_after(junk, now)) << junk;
    }
}

}  // namespace
}  // namespace merpati::callback
