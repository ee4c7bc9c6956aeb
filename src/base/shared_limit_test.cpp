#include "base/shared_limit.hpp"

#include <array>

#include <gtest/gtest.h>

namespace merpati {
namespace {

/// Parties acquire one in turn until none of them is admitted.
template <std::size_t count>
std::array<std::size_t, count> fill(SharedLimit& limit) {
    std::array<std::size_t, count> held{};
    for (bool went_on = true; went_on;) {
        went_on = false;
        for (auto& mine : held) {
            if (limit.admits(mine)) {
                limit.acquire();
                ++mine;
                went_on = true;
            }
        }
    }
    return held;
}

TEST(SharedLimitTest, OnePartyAloneGetsHalf) {
    SharedLimit limit{256};
    EXPECT_EQ(fill<1>(limit)[0], 128U);
    EXPECT_EQ(limit.free(), 128U);
    EXPECT_TRUE(limit.admits(0));
}

TEST(SharedLimitTest, SeveralPartiesGetTheSameAndLeaveAsMuch) {
    SharedLimit limit{256};
    for (const auto held : fill<3>(limit)) {
        EXPECT_EQ(held, 64U);
    }
    EXPECT_EQ(limit.free(), 64U);
}

TEST(SharedLimitTest, ASmallTotalIsUsedUp) {
    SharedLimit one{1};
    EXPECT_EQ(fill<1>(one)[0], 1U);
    EXPECT_FALSE(one.admits(0));
    SharedLimit three{3};
    EXPECT_EQ((fill<2>(three)), (std::array<std::size_t, 2>{1, 1}));
    EXPECT_TRUE(three.admits(0));
}

TEST(SharedLimitTest, WhatIsAvailableIsWhatCouldBeAcquiredNow) {
    SharedLimit limit{100};
    EXPECT_EQ(limit.available_to(0), 50U);
    limit.acquire(50);
    EXPECT_EQ(limit.available_to(50), 0U);
    EXPECT_EQ(limit.available_to(0), 25U);
    limit.acquire(70);  // Above the total: what exists already is never refused.
    EXPECT_EQ(limit.available_to(0), 0U);
    limit.release(120);
    EXPECT_EQ(limit.available_to(0), 50U);
}

TEST(SharedLimitTest, APartyThatHoldsNothingMayAcquireAllAtOnceOthersNoMoreThanTheyLeave) {
    SharedLimit limit{100};
    EXPECT_TRUE(limit.admits(0, 100));
    EXPECT_FALSE(limit.admits(0, 101));
    limit.acquire(20);
    EXPECT_TRUE(limit.admits(20, 60));
    EXPECT_FALSE(limit.admits(20, 61));
}

}  // namespace
}  // namespace merpati
