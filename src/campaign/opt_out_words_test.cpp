#include "campaign/opt_out_words.hpp"

#include <string>

#include <gtest/gtest.h>

namespace merpati::campaign {
namespace {

TEST(OptOutWords, EachWordAloneOptsOut) {
    for (const auto* word : {"STOP", "STOPALL", "UNSUBSCRIBE", "CANCEL", "END", "QUIT", "REVOKE",
                             "OPTOUT", "BERHENTI", "UNREG", "UNSUB"}) {
        EXPECT_EQ(reply_of(word), Reply::opt_out) << word;
    }
}

TEST(OptOutWords, EachWordThatTakesItBackOptsIn) {
    for (const auto* word : {"START", "UNSTOP", "MULAI"}) {
        EXPECT_EQ(reply_of(word), Reply::opt_in) << word;
    }
}

TEST(OptOutWords, CaseBlanksAndPunctuationDoNotMatter) {
    for (const auto* text : {"berhenti", "Berhenti.", "  bErHeNtI \n", "\u201cSTOP\u201d", "*stop*",
                             "STOP!!!", "\u200e\u00a0stop\u2026", "(stop)", "stop\ufe0f \uff01"}) {
        EXPECT_EQ(reply_of(text), Reply::opt_out) << text;
    }
}

TEST(OptOutWords, OtherMessagesSayNothing) {
    for (const auto* text :
         {"", " ", "...", "stop it", "please stop", "stopp", "non-stop", "s t o p", "STOP 1",
          "1stop", "\u0405TOP", "berhentikan", "jangan berhenti", "opt out", "start stop"}) {
        EXPECT_EQ(reply_of(text), Reply::none) << text;
    }
    EXPECT_EQ(reply_of("stop" + std::string(300, '!')), Reply::none);
}

}  // namespace
}  // namespace merpati::campaign
