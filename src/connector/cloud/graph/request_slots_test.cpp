#include "connector/cloud/graph/request_slots.hpp"

#include <map>

#include <gtest/gtest.h>

namespace merpati::connector::cloud {
namespace {

struct RequestSlotsTest : ::testing::Test {
    RequestSlots slots{12};
    std::map<std::string, int> granted;

    void ask(const std::string& party, int times = 1) {
        for (int time = 0; time < times; ++time) {
            slots.ask(party, [this, party] { ++granted[party]; });
        }
    }
};

TEST_F(RequestSlotsTest, OneThatWantsAllLeavesRoomForOthers) {
    ask("greedy", 100);
    EXPECT_EQ(granted["greedy"], 6);
    ask("late");
    EXPECT_EQ(granted["late"], 1);
    EXPECT_EQ(slots.in_flight(), 7U);
}

TEST_F(RequestSlotsTest, AReleasedSlotGoesToWhoeverWaits) {
    ask("a", 10);
    EXPECT_EQ(granted["a"], 6);
    slots.release("a");
    EXPECT_EQ(granted["a"], 7);
    for (int time = 0; time < 9; ++time) {
        slots.release("a");
    }
    EXPECT_EQ(granted["a"], 10);
    EXPECT_EQ(slots.in_flight(), 0U);
}

TEST_F(RequestSlotsTest, ThoseThatWaitTakeTurns) {
    ask("a", 50);
    ask("b", 50);
    ask("c", 50);
    for (int time = 0; time < 6; ++time) {
        slots.release("a");
    }
    EXPECT_GE(granted["b"], 3);
    EXPECT_GE(granted["c"], 3);
    EXPECT_LE(slots.in_flight(), 12U);
}

TEST_F(RequestSlotsTest, WhatIsGrantedMayEndAtOnceAndAskAgain) {
    int left = 1'000;
    std::function<void()> next = [&] {
        if (left-- > 0) {
            slots.ask("a", [&] {
                slots.release("a");
                next();
            });
        }
    };
    next();
    EXPECT_EQ(left, -1);
    EXPECT_EQ(slots.in_flight(), 0U);
}

}  // namespace
}  // namespace merpati::connector::cloud
