#include "forwarding/owner_limits.hpp"

#include <gtest/gtest.h>

namespace merpati::forwarding {
namespace {

constexpr std::int64_t silent = 1;
constexpr std::int64_t other = 2;

TEST(OwnerLimitsTest, RequestsForANodeThatDoesNotAnswerTakeNothingFromOthers) {
    OwnerLimits limits{2, 1'000};
    EXPECT_TRUE(limits.admit(silent, 1, 10));
    EXPECT_TRUE(limits.admit(silent, 2, 10));
    EXPECT_FALSE(limits.admit(silent, 3, 10));
    EXPECT_TRUE(limits.admit(other, 3, 10));
}

TEST(OwnerLimitsTest, WhatHasEndedMakesRoomForItsNode) {
    OwnerLimits limits{1, 1'000};
    EXPECT_TRUE(limits.admit(silent, 1, 10));
    EXPECT_TRUE(limits.admit(other, 1, 10));
    limits.release(silent, 1, 10);
    EXPECT_TRUE(limits.admit(silent, 2, 10));
    EXPECT_FALSE(limits.admit(other, 2, 10));
}

}  // namespace
}  // namespace merpati::forwarding
