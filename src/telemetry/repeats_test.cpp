#include "telemetry/repeats.hpp"

#include <string>

#include <gtest/gtest.h>

#include "testing/manual_clock.hpp"

namespace merpati::telemetry {
namespace {

using namespace std::chrono_literals;

struct RepeatsTest : ::testing::Test {
    testing::ManualClock clock;
    Repeats repeats;

    bool admit(std::string_view room, std::string_view message) {
        return repeats.admit(room, message, Level::warn, clock.steady_now());
    }
    std::uint64_t admitted_of(int count, std::string_view message = "broken") {
        std::uint64_t admitted = 0;
        for (int number = 0; number < count; ++number) {
            admitted += admit("http", message) ? 1 : 0;
        }
        return admitted;
    }
};

TEST_F(RepeatsTest, LetsTheFirstOfAPeriodThroughAndTellsHowManyFollowed) {
    EXPECT_EQ(admitted_of(1000), Repeats::lines_max);
    clock.advance(Repeats::period - 1ms);
    EXPECT_TRUE(repeats.ended(clock.steady_now()).empty());
    EXPECT_EQ(admitted_of(10), 0U);
    clock.advance(1ms);
    const auto ended = repeats.ended(clock.steady_now());
    ASSERT_EQ(ended.size(), 1U);
    EXPECT_EQ(ended[0].room, "http");
    EXPECT_EQ(ended[0].message, "broken");
    EXPECT_EQ(ended[0].left_out, 1010 - Repeats::lines_max);
    EXPECT_TRUE(repeats.ended(clock.steady_now()).empty());
    EXPECT_EQ(admitted_of(1000), Repeats::lines_max);
}

TEST_F(RepeatsTest, TellsNothingOfAFew) {
    EXPECT_EQ(admitted_of(20), 20U);
    clock.advance(Repeats::period);
    EXPECT_TRUE(repeats.ended(clock.steady_now()).empty());
}

TEST_F(RepeatsTest, OneLineDoesNotSilenceAnother) {
    EXPECT_EQ(admitted_of(1000), Repeats::lines_max);
    EXPECT_TRUE(admit("http", "other words"));
    EXPECT_TRUE(admit("other room", "broken"));
}

TEST_F(RepeatsTest, RemembersABoundedNumberOfLines) {
    for (std::size_t number = 0; number < Repeats::known_max; ++number) {
        EXPECT_TRUE(admit("http", std::to_string(number)));
    }
    EXPECT_EQ(admitted_of(1000), 1000U);
    clock.advance(Repeats::period);
    EXPECT_TRUE(repeats.ended(clock.steady_now()).empty());
    EXPECT_EQ(admitted_of(1000), Repeats::lines_max);
}

TEST_F(RepeatsTest, ARoomThatNeverRepeatsItselfLeavesPlacesToOthers) {
    for (int line = 0; line < 1'000; ++line) {
        EXPECT_TRUE(admit("worker", std::to_string(line)));
    }
    EXPECT_EQ(admitted_of(1'000), Repeats::lines_max);
}

}  // namespace
}  // namespace merpati::telemetry
