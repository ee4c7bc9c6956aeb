#include "forwarding/party_limits.hpp"

#include <gtest/gtest.h>

namespace merpati::forwarding {
namespace {

TEST(PartyLimitsTest, OnePartyHasHalfOfTheRequestsAndLeavesTheRestToOthers) {
    PartyLimits limits{8, 1'000};
    for (int count = 0; count < 4; ++count) {
        EXPECT_TRUE(limits.admit(1, 1));
    }
    EXPECT_FALSE(limits.admit(1, 1));
    EXPECT_TRUE(limits.admit(2, 1));
    EXPECT_TRUE(limits.admit(3, 1));
}

TEST(PartyLimitsTest, BytesCountToo) {
    PartyLimits limits{100, 1'000};
    EXPECT_TRUE(limits.admit(1, 500));
    EXPECT_FALSE(limits.admit(1, 1));
    EXPECT_TRUE(limits.admit(2, 500));
    EXPECT_FALSE(limits.admit(3, 1));
}

TEST(PartyLimitsTest, WhatHasEndedMakesRoom) {
    PartyLimits limits{2, 100};
    EXPECT_TRUE(limits.admit(1, 50));
    EXPECT_FALSE(limits.admit(1, 50));
    limits.release(1, 50);
    EXPECT_TRUE(limits.admit(1, 50));
}

}  // namespace
}  // namespace merpati::forwarding
