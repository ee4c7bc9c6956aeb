#include "callback/answer_text.hpp"

#include <gtest/gtest.h>

#include "base/utf8.hpp"

namespace merpati::callback {
namespace {

TEST(AnswerText, KeepsTextWithItsLines) {
    EXPECT_EQ(answer_text("{\r\n\t\"ok\": true\n}"), "{\n\t\"ok\": true\n}");
    EXPECT_EQ(answer_text("sudah diterima \u2713"), "sudah diterima \u2713");
    EXPECT_EQ(answer_text(""), "");
}

TEST(AnswerText, ReplacesWhatATerminalObeysAndWhatIsNoText) {
    EXPECT_EQ(answer_text("\x1b[2Jgone\r"), "?[2Jgone?");
    EXPECT_EQ(answer_text({"a\0b", 3}), "a?b");
    EXPECT_EQ(answer_text("\xff\xfe."), "??.");
    EXPECT_EQ(answer_text("a\u202Eb"), "a?b");
}

TEST(AnswerText, KeepsTheFirstKibibyteWithoutHalfACharacter) {
    EXPECT_EQ(answer_text(std::string(5'000, 'x')).size(), 1'024);
    std::string text(1'023, 'x');
    text += "\u2713";
    EXPECT_EQ(answer_text(text), std::string(1'023, 'x'));
    std::string broken(5'000, '\xe2');
    EXPECT_TRUE(is_utf8(answer_text(broken)));
    EXPECT_LE(answer_text(broken).size(), 1'024);
}

}  // namespace
}  // namespace merpati::callback
