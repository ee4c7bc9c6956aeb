#include "config/duration.hpp"

#include <gtest/gtest.h>

namespace merpati::config {
namespace {

using namespace std::chrono_literals;

TEST(DurationTest, ReadsEveryUnit) {
    EXPECT_EQ(parse_duration("500ms", 1s), 500ms);
    EXPECT_EQ(parse_duration("15s", 1ms), 15s);
    EXPECT_EQ(parse_duration("10m", 1s), 10min);
    EXPECT_EQ(parse_duration("24h", 1s), 24h);
    EXPECT_EQ(parse_duration("30d", 1s), 30 * 24h);
}

TEST(DurationTest, ABareNumberCountsInTheKeysOwnUnit) {
    EXPECT_EQ(parse_duration("15", 1s), 15s);
    EXPECT_EQ(parse_duration("15", 1ms), 15ms);
    EXPECT_EQ(parse_duration("0", 1s), 0ms);
}

TEST(DurationTest, RefusesWhatIsNoDuration) {
    for (const auto* text : {"", "s", "-1s", "+1s", "1.5s", "1 s", "1S", "1week", "1s1", "1s ",
                             "99999999999", "0x10s"}) {
        EXPECT_FALSE(parse_duration(text, 1s)) << text;
    }
}

TEST(DurationTest, TheLongestNumberDoesNotOverflow) {
    EXPECT_GT(parse_duration("9999999999d", 1s), 0ms);
}

TEST(DurationTest, PrintsTheShortestExactForm) {
    EXPECT_EQ(print_duration(0ms), "0s");
    EXPECT_EQ(print_duration(5ms), "5ms");
    EXPECT_EQ(print_duration(1500ms), "1500ms");
    EXPECT_EQ(print_duration(60s), "1m");
    EXPECT_EQ(print_duration(90s), "90s");
    EXPECT_EQ(print_duration(24h), "24h");
    EXPECT_EQ(print_duration(30 * 24h), "30d");
}

}  // namespace
}  // namespace merpati::config
