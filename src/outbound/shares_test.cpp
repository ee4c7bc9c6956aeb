#include "outbound/shares.hpp"

#include <gtest/gtest.h>

namespace merpati::outbound {
namespace {

std::size_t take_all(Shares& shares, std::int64_t account) {
    std::size_t count = 0;
    while (shares.may_take(account)) {
        shares.take(account);
        ++count;
    }
    return count;
}

TEST(SharesTest, OneAloneLeavesAHalfToWhoeverComes) {
    Shares shares{800};
    EXPECT_EQ(take_all(shares, 1), 400U);
    EXPECT_EQ(take_all(shares, 2), 200U);
    EXPECT_EQ(take_all(shares, 3), 100U);
    EXPECT_EQ(shares.taken(), 700U);
}

TEST(SharesTest, WhatTheLargestGivesBackGoesToTheOthers) {
    Shares shares{90};
    take_all(shares, 1);
    take_all(shares, 2);
    for (int turn = 0; turn < 60; ++turn) {
        shares.give_back(1);
        if (shares.may_take(2)) {
            shares.take(2);
        } else if (shares.may_take(1)) {
            shares.take(1);
        }
    }
    EXPECT_TRUE(shares.may_take(1));
}

TEST(SharesTest, OneThatHoldsNothingGetsTheLastOne) {
    Shares shares{1};
    EXPECT_TRUE(shares.may_take(1));
    shares.take(1);
    EXPECT_FALSE(shares.may_take(2));
    shares.give_back(1);
    EXPECT_TRUE(shares.may_take(2));
}

}  // namespace
}  // namespace merpati::outbound
