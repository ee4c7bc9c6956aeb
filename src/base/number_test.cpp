#include "base/number.hpp"

#include <cstdint>

#include <gtest/gtest.h>

namespace merpati {
namespace {

TEST(Number, IsTheWholeText) {
    EXPECT_EQ(parse_whole<int>("42"), 42);
    EXPECT_EQ(parse_whole<int>("007"), 7);
    EXPECT_EQ(parse_whole<std::uint64_t>("18446744073709551615"), 18'446'744'073'709'551'615U);
}

TEST(Number, IsNotReadFromATextWithAnythingElse) {
    for (const auto* text : {"", " ", " 1", "1 ", "1x", "x", "1.0", "0x1", "--1", "-"}) {
        EXPECT_EQ(parse_whole<int>(text), std::nullopt) << text;
    }
    EXPECT_EQ(parse_whole<int>({}), std::nullopt);
}

TEST(Number, HasASignOnlyIfItMayBeNegative) {
    EXPECT_EQ(parse_whole<int>("-7"), -7);
    EXPECT_EQ(parse_whole<unsigned>("-7"), std::nullopt);
    EXPECT_EQ(parse_whole<int>("+7"), std::nullopt);
}

TEST(Number, HasToFit) {
    EXPECT_EQ(parse_whole<std::uint16_t>("65535"), 65'535);
    EXPECT_EQ(parse_whole<std::uint16_t>("65536"), std::nullopt);
    EXPECT_EQ(parse_whole<std::int8_t>("-129"), std::nullopt);
}

}  // namespace
}  // namespace merpati
