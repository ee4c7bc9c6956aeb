#include "callback/batch_answer.hpp"

#include <string>

#include <gtest/gtest.h>

#include "testing/fixed_random.hpp"
#include "testing/manual_clock.hpp"

namespace merpati::callback {
namespace {

struct BatchAnswerTest : ::testing::Test {
    testing::ManualClock clock;
    testing::FixedRandom random;
    UuidSource ids{clock, random};
    const Uuid one = ids.next();
    const Uuid other = ids.next();
};

TEST_F(BatchAnswerTest, NamesWhatIsTriedAgain) {
    EXPECT_EQ(asked_again(R"({"retry":[")" + one.text() + "\",\"" + other.text() + "\"]}"),
              (std::unordered_set<Uuid>{one, other}));
    EXPECT_EQ(asked_again(" \n{\"stored\": 4, \"retry\" : [ \"" + one.text() + "\" ]}"),
              std::unordered_set<Uuid>{one});
}

TEST_F(BatchAnswerTest, UnknownIdsAreIgnored) {
    EXPECT_EQ(asked_again(R"({"retry":["x","",")" + one.text() + "\"]}"),
              std::unordered_set<Uuid>{one});
}

TEST_F(BatchAnswerTest, EverythingElseTakesAll) {
    const auto id = '"' + one.text() + '"';
    for (const auto& body :
         {std::string{}, std::string{"ok"}, std::string{"{}"}, std::string{"null"},
          std::string{R"({"retry":[]})"}, R"({"retry":)" + id + "}", R"({"retry":[)" + id + ",7]}",
          R"({"retry":[)" + id + ",null]}", R"({"retry":[)" + id, R"([{"retry":[)" + id + "]}]",
          R"({"retry":[)" + id + "]} x", R"({"again":[)" + id + "]}",
          R"({"retry":[)" + id + "],\"x\":\"" + std::string(batch_answer_bytes_max, 'x') + "\"}",
          std::string(60'000, '[')}) {
        EXPECT_TRUE(asked_again(body).empty()) << body.substr(0, 100);
    }
}

}  // namespace
}  // namespace merpati::callback
