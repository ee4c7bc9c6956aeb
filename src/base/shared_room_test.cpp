#include "base/shared_room.hpp"

#include <string>

#include <gtest/gtest.h>

namespace merpati {
namespace {

using Room = SharedRoom<std::string>;

TEST(SharedRoomTest, OnePartyLeavesRoomForOthersHoweverManyPlacesItHas) {
    Room room{100};
    Room::Place first{room, "greedy"};
    Room::Place second{room, "greedy"};
    EXPECT_TRUE(first.take(30));
    EXPECT_TRUE(second.take(20));
    EXPECT_FALSE(second.take(1));
    EXPECT_FALSE(Room::Place(room, "greedy").take(1));
    Room::Place other{room, "other"};
    EXPECT_TRUE(other.take(25));
}

TEST(SharedRoomTest, APlaceHoldsUntilItIsLeftOrDestroyed) {
    Room room{100};
    {
        Room::Place held{room, "one"};
        EXPECT_TRUE(held.take(100));
        EXPECT_FALSE(Room::Place(room, "other").take(1));
        held.leave();
        held.leave();
        EXPECT_TRUE(Room::Place(room, "other").take(100));
        EXPECT_TRUE(held.take(100));
    }
    EXPECT_TRUE(Room::Place(room, "other").take(100));
}

TEST(SharedRoomTest, WhatWasRefusedIsNotHeld) {
    Room room{10};
    Room::Place place{room, "one"};
    EXPECT_FALSE(place.take(11));
    EXPECT_TRUE(place.take(10));
}

}  // namespace
}  // namespace merpati
