#include "devices/pairing_limits.hpp"

#include <gtest/gtest.h>

#include "testing/manual_clock.hpp"

namespace merpati::devices {
namespace {

using namespace std::chrono_literals;

struct PairingLimitsTest : ::testing::Test {
    static model::Device device(std::int64_t number, std::int64_t account = 1) {
        model::Device made;
        made.number = model::PhoneNumber::from_stored(6281100000000 + number);
        made.account = {account};
        return made;
    }
    std::size_t take_all(const model::Device& which) {
        std::size_t count = 0;
        while (count < 1'000 && limits.take(which)) {
            ++count;
        }
        return count;
    }

    testing::ManualClock clock;
    PairingLimits limits{clock};
};

TEST_F(PairingLimitsTest, ADeviceIsPairedTenTimesAndThenOnceAMinute) {
    EXPECT_EQ(take_all(device(1)), 10U);
    const auto refused = limits.take(device(1));
    EXPECT_EQ(refused.error().code, ErrorCode::too_many_requests);
    EXPECT_TRUE(refused.error().detail.contains("wait 60 s")) << refused.error().detail;
    EXPECT_EQ(limits.wait_of(device(1)), 60s);
    clock.advance(59'001ms);
    EXPECT_EQ(limits.wait_of(device(1)), 1s);
    EXPECT_FALSE(limits.take(device(1)));
    clock.advance(999ms);
    EXPECT_EQ(limits.wait_of(device(1)), 0s);
    EXPECT_EQ(take_all(device(1)), 1U);
}

TEST_F(PairingLimitsTest, AnAccountWithManyDevicesHasALimitAndLeavesOthersTheirs) {
    std::size_t count = 0;
    for (std::int64_t number = 0; number < 100; ++number) {
        count += limits.take(device(number)) ? 1 : 0;
    }
    EXPECT_EQ(count, 60U);
    EXPECT_EQ(limits.wait_of(device(200)), 10s);
    EXPECT_EQ(take_all(device(300, 2)), 10U);
    clock.advance(10s);
    EXPECT_TRUE(limits.take(device(200)));
    EXPECT_FALSE(limits.take(device(201)));
}

TEST_F(PairingLimitsTest, WhatOneLimitRefusesCostsNothingOfTheOther) {
    EXPECT_EQ(take_all(device(1)), 10U);
    for (int count = 0; count < 1'000; ++count) {
        EXPECT_FALSE(limits.take(device(1)));
    }
    EXPECT_EQ(take_all(device(2)), 10U);
}

TEST_F(PairingLimitsTest, TokensComeBackUpToTheBurst) {
    EXPECT_EQ(take_all(device(1)), 10U);
    clock.advance(24h);
    EXPECT_EQ(take_all(device(1)), 10U);
}

}  // namespace
}  // namespace merpati::devices
