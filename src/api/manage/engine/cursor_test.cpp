#include "api/manage/engine/cursor.hpp"

#include <gtest/gtest.h>

namespace merpati::api::manage {
namespace {

TEST(CursorTest, ComesBackToTheSameList) {
    for (const std::string position : {"a", "019a8f5e-7c1b-7d3a-9f20-5b1e6a4c8d70", "12\n7"}) {
        const auto text = cursor_text("messages", position);
        EXPECT_EQ(cursor_position("messages", text), position);
        EXPECT_EQ(cursor_position("callbacks", text), std::nullopt);
        EXPECT_EQ(text.find_first_not_of("0123456789abcdefghijklmnopqrstuvwxyz"
                                         "ABCDEFGHIJKLMNOPQRSTUVWXYZ-_"),
                  std::string::npos);
    }
}

TEST(CursorTest, OneThatWasTamperedWithIsNone) {
    const auto text = cursor_text("messages", "019a8f5e-7c1b-7d3a-9f20-5b1e6a4c8d70");
    for (std::size_t place = 0; place < text.size(); ++place) {
        for (const char letter : {'A', 'b', '7', '-', '+', '=', '\0'}) {
            auto changed = text;
            changed[place] = letter;
            if (changed != text) {
                EXPECT_EQ(cursor_position("messages", changed), std::nullopt) << changed;
            }
        }
        EXPECT_EQ(cursor_position("messages", text.substr(0, place)), std::nullopt) << place;
    }
    EXPECT_EQ(cursor_position("messages", text + "="), std::nullopt);
    EXPECT_EQ(cursor_position("messages", std::string(100'000, 'A')), std::nullopt);
}

}  // namespace
}  // namespace merpati::api::manage
