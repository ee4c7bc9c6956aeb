#include "forwarding/owner_limits.hpp"

#include <gtest/gtest.h>

namespace merpati::forwarding {
namespace {

constexpr std::int64_t silent = 1;
constexpr std::int64_t other = 2;

http::Party party(std::int64_t number) {
    return http::Party::account(number);
}

TEST(OwnerLimitsTest, RequestsForANodeThatDoesNotAnswerTakeNothingFromOthers) {
    OwnerLimits limits{2, 1'000};
    EXPECT_TRUE(limits.admit(silent, party(1), 10));
    EXPECT_TRUE(limits.admit(silent, party(2), 10));
    EXPECT_FALSE(limits.admit(silent, party(3), 10));
    EXPECT_TRUE(limits.admit(other, party(3), 10));
}

TEST(OwnerLimitsTest, WhatHasEndedMakesRoomForItsNode) {
    OwnerLimits limits{1, 1'000};
    EXPECT_TRUE(limits.admit(silent, party(1), 10));
    EXPECT_TRUE(limits.admit(other, party(1), 10));
    limits.release(silent, party(1), 10);
    EXPECT_TRUE(limits.admit(silent, party(2), 10));
    EXPECT_FALSE(limits.admit(other, party(2), 10));
}

}  // namespace
}  // namespace merpati::forwarding
