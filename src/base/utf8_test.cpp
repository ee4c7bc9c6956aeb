#include "base/utf8.hpp"

#include <string>

#include <gtest/gtest.h>

namespace merpati {
namespace {

TEST(Utf8, TakesTextOfEveryLength) {
    for (const auto* text : {"", "Halo", "Halo, apa kabar hari ini?", "\u00e9", "\u20ac",
                             "\U0001F600", "sebelas byte\u20ac\u00e9", "\uD7FF\uE000\U0010FFFF"}) {
        EXPECT_TRUE(is_utf8(text)) << text;
    }
    EXPECT_TRUE(is_utf8(std::string(9, '\0')));
}

TEST(Utf8, RefusesWhatIsMalformedWhereverItStands) {
    for (const std::string wrong :
         {"\x80", "\xBF", "\xC0\xAF", "\xC1\xBF", "\xC3", "\xE0\x9F\xBF", "\xE2\x82",
          "\xED\xA0\x80", "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF"}) {
        EXPECT_FALSE(is_utf8(wrong));
        EXPECT_FALSE(is_utf8("12345678" + wrong));
        EXPECT_FALSE(is_utf8(wrong + "12345678"));
    }
}

TEST(Utf8, CutsBetweenTwoCharacters) {
    EXPECT_EQ(utf8_prefix("halo", 4), "halo");
    EXPECT_EQ(utf8_prefix("halo", 2), "ha");
    EXPECT_EQ(utf8_prefix("1\u20ac2", 4), "1\u20ac");
    EXPECT_EQ(utf8_prefix("1\u20ac2", 3), "1");
    EXPECT_EQ(utf8_prefix("\u20ac", 2), "");
}

TEST(Utf8, CountsCharactersAndNotBytes) {
    EXPECT_EQ(utf8_characters(""), 0U);
    EXPECT_EQ(utf8_characters("halo"), 4U);
    EXPECT_EQ(utf8_characters("1\u00e9\u20ac\U0001F600"), 4U);
}

TEST(Utf8, TrimsEveryBlankAtTheEndsAlone) {
    EXPECT_EQ(trim_blanks(" \t\u00a0a \u3000b\u2003\r\n"), "a \u3000b");
    EXPECT_EQ(trim_blanks("a"), "a");
    EXPECT_EQ(trim_blanks("\u200b"), "\u200b");
    EXPECT_TRUE(is_blank(""));
    EXPECT_TRUE(is_blank(" \u0085\u2029\u202f\u205f"));
    EXPECT_FALSE(is_blank("\u200b"));
}

}  // namespace
}  // namespace merpati
