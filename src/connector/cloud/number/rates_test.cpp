#include "connector/cloud/number/rates.hpp"

#include <gtest/gtest.h>

namespace merpati::connector::cloud {
namespace {

using namespace std::chrono_literals;

struct RatesTest : ::testing::Test {
    Rates rates;
    SteadyTime now{1h};
};

TEST_F(RatesTest, ANumberSendsEightyASecond) {
    std::chrono::nanoseconds wait{};
    for (int message = 0; message < 81; ++message) {
        wait = rates.take("to " + std::to_string(message), now);
    }
    EXPECT_EQ(wait, 1s);
    EXPECT_EQ(rates.take("later", now + 2s), 0s);
}

TEST_F(RatesTest, ARecipientGetsABurstAndThenOneInSixSeconds) {
    for (int message = 0; message < Rates::pair_burst; ++message) {
        EXPECT_EQ(rates.pair_wait("628", now), Millis{0}) << message;
        (void)rates.take("628", now);
    }
    EXPECT_EQ(rates.pair_wait("628", now), Millis{6'000});
    EXPECT_EQ(rates.pair_wait("629", now), Millis{0});
    EXPECT_EQ(rates.pair_wait("628", now + 6s), Millis{0});
    (void)rates.take("628", now + 6s);
    EXPECT_EQ(rates.pair_wait("628", now + 6s), Millis{6'000});
}

TEST_F(RatesTest, ARefusedRecipientWaitsLongerEachTime) {
    EXPECT_EQ(rates.pair_refused("628", {}, now), Millis{4'000});
    EXPECT_EQ(rates.pair_wait("628", now), Millis{4'000});
    EXPECT_EQ(rates.pair_refused("628", {}, now), Millis{16'000});
    EXPECT_EQ(rates.pair_refused("628", Millis{1'000}, now), Millis{1'000});
    rates.pair_taken("628");
    EXPECT_EQ(rates.pair_refused("628", {}, now), Millis{4'000});
    for (int time = 0; time < 100; ++time) {
        EXPECT_LE(rates.pair_refused("628", {}, now), Rates::pair_wait_max);
    }
}

TEST_F(RatesTest, AHeldNumberWaits) {
    EXPECT_EQ(rates.held_for(now), Millis{0});
    rates.hold(now + 3s);
    rates.hold(now + 1s);
    EXPECT_EQ(rates.held_for(now), Millis{3'000});
    EXPECT_EQ(rates.held_for(now + 3s), Millis{0});
}

TEST_F(RatesTest, ManyRecipientsDoNotMakeABurstLonger) {
    for (int message = 0; message < 5'000; ++message) {
        (void)rates.take("to " + std::to_string(message), now += 12'500us);
    }
    for (int message = 0; message < Rates::pair_burst; ++message) {
        (void)rates.take("628", now);
    }
    EXPECT_GT(rates.pair_wait("628", now), Millis{0});
}

}  // namespace
}  // namespace merpati::connector::cloud
