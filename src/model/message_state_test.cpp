#include <set>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "model/message.hpp"

namespace merpati::model {
namespace {

using enum MessageState;

constexpr MessageState every[]{pending, sending, sent, failed, cancelled, held, handed_over};

TEST(MessageStateTest, AllowsTheMovesOfTheDiagramAndNoOther) {
    const std::set<std::pair<MessageState, MessageState>> allowed{
        {pending, sending},     {pending, cancelled},   {pending, failed},   {sending, sent},
        {sending, failed},      {sending, pending},     {sending, held},     {held, pending},
        {held, failed},         {sending, handed_over}, {handed_over, sent}, {handed_over, failed},
        {handed_over, pending}, {handed_over, held},
    };
    for (const auto from : every) {
        for (const auto to : every) {
            EXPECT_EQ(may_move(from, to), allowed.contains({from, to}))
                << to_string(from) << " -> " << to_string(to);
        }
    }
}

TEST(MessageStateTest, NothingLeavesAFinalState) {
    for (const auto from : every) {
        for (const auto to : every) {
            EXPECT_FALSE(is_final(from) && may_move(from, to));
        }
    }
}

TEST(MessageStateTest, ReadsBackWhatItPrints) {
    for (const auto state : every) {
        EXPECT_EQ(parse_message_state(to_string(state)), state);
    }
    EXPECT_FALSE(parse_message_state("lost"));
}

}  // namespace
}  // namespace merpati::model
