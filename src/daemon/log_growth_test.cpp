#include "daemon/log_growth.hpp"

#include <gtest/gtest.h>

namespace merpati::daemon {
namespace {

constexpr auto large = LogGrowth::large;

TEST(LogGrowthTest, ALogIsReportedWhenItBecomesLargeAndEachTimeThatItHasDoubled) {
    LogGrowth growth;
    EXPECT_FALSE(growth.is_news(0));
    EXPECT_FALSE(growth.is_news(large - 1));
    EXPECT_TRUE(growth.is_news(large + 10));
    EXPECT_FALSE(growth.is_news(large + 10));
    EXPECT_FALSE(growth.is_news(2 * large + 19));
    EXPECT_TRUE(growth.is_news(2 * large + 20));
    EXPECT_TRUE(growth.is_news(9 * large));
    EXPECT_FALSE(growth.is_news(10 * large));
}

TEST(LogGrowthTest, ALogThatShrinksLessThanToItsUsualSizeIsNotReportedAgain) {
    LogGrowth growth;
    EXPECT_TRUE(growth.is_news(3 * large));
    EXPECT_FALSE(growth.is_news(large));
    EXPECT_FALSE(growth.is_news(5 * large));
}

TEST(LogGrowthTest, ALogThatHasBeenSmallIsReportedAnew) {
    LogGrowth growth;
    EXPECT_TRUE(growth.is_news(large));
    EXPECT_FALSE(growth.is_news(large - 1));
    EXPECT_TRUE(growth.is_news(large));
}

}  // namespace
}  // namespace merpati::daemon
