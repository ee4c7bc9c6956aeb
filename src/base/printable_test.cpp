#include "base/printable.hpp"

#include <gtest/gtest.h>

namespace merpati {
namespace {

TEST(PrintableTest, KeepsWhatPeopleWrite) {
    for (const auto* text : {"", "Toko Melati", "Café Ω 東京", "🚀", "a\"b\\c", "\u00a0"}) {
        EXPECT_EQ(printable(text), text);
        EXPECT_EQ(printable_json(text), text);
    }
}

TEST(PrintableTest, HidesWhatATerminalObeys) {
    EXPECT_EQ(printable("a\x1b[2Jb\nc\x7f"), "a?[2Jb?c?");
    EXPECT_EQ(printable("\u0080\u009b31m\u009f"), "??31m?");
    EXPECT_EQ(printable("a\u202eb\u2066c\u2069\u200f\u061c\u2028"), "a?b?c????");
}

TEST(PrintableTest, HidesBytesThatAreNoUtf8) {
    EXPECT_EQ(printable("\x9b"
                        "31m"),
              "?31m");
    EXPECT_EQ(printable("\xc2"), "?");
    EXPECT_EQ(printable("\xc0\x9b"), "??");
    EXPECT_EQ(printable("\xe0\x80\x9b"), "???");
    EXPECT_EQ(printable("\xed\xa0\x80"), "???");
    EXPECT_EQ(printable("\xf5\x80\x80\x80"), "????");
}

TEST(PrintableTest, WritesThemInJsonByTheirNumber) {
    EXPECT_EQ(printable_json("{\"a\":\"\u009b31m\u202e\x7f\"}\n"),
              "{\"a\":\"\\u009b31m\\u202e\\u007f\"}\n");
}

}  // namespace
}  // namespace merpati
