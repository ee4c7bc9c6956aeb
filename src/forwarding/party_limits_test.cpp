#include "forwarding/party_limits.hpp"

#include <gtest/gtest.h>

namespace merpati::forwarding {
namespace {

const auto first = http::Party::account(1);
const auto second = http::Party::person(1);
const auto third = http::Party::account(2);

TEST(PartyLimitsTest, OnePartyHasHalfOfTheRequestsAndLeavesTheRestToOthers) {
    PartyLimits limits{8, 1'000};
    for (int count = 0; count < 4; ++count) {
        EXPECT_TRUE(limits.admit(first, 1));
    }
    EXPECT_FALSE(limits.admit(first, 1));
    EXPECT_TRUE(limits.admit(second, 1));
    EXPECT_TRUE(limits.admit(third, 1));
}

TEST(PartyLimitsTest, BytesCountToo) {
    PartyLimits limits{100, 1'000};
    EXPECT_TRUE(limits.admit(first, 500));
    EXPECT_FALSE(limits.admit(first, 1));
    EXPECT_TRUE(limits.admit(second, 500));
    EXPECT_FALSE(limits.admit(third, 1));
}

TEST(PartyLimitsTest, WhatHasEndedMakesRoom) {
    PartyLimits limits{2, 100};
    EXPECT_TRUE(limits.admit(first, 50));
    EXPECT_FALSE(limits.admit(first, 50));
    limits.release(first, 50);
    EXPECT_TRUE(limits.admit(first, 50));
}

}  // namespace
}  // namespace merpati::forwarding
