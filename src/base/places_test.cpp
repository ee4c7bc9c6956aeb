#include "base/places.hpp"

#include <array>

#include <gtest/gtest.h>

namespace merpati {
namespace {

/// Parties take places in turn until none of them may take another.
template <std::size_t count>
std::array<std::size_t, count> fill(Places& places) {
    std::array<std::size_t, count> held{};
    for (bool went_on = true; went_on;) {
        went_on = false;
        for (auto& mine : held) {
            if (places.open_to(mine)) {
                places.take();
                ++mine;
                went_on = true;
            }
        }
    }
    return held;
}

TEST(PlacesTest, OneAloneTakesHalfAndLeavesTheOtherHalf) {
    Places places{256};
    EXPECT_EQ(fill<1>(places)[0], 128U);
    EXPECT_EQ(places.free(), 128U);
    EXPECT_TRUE(places.open_to(0));
}

TEST(PlacesTest, SeveralTakeTheSameAndLeaveAsMuchForWhoeverComes) {
    Places places{256};
    for (const auto held : fill<3>(places)) {
        EXPECT_EQ(held, 64U);
    }
    EXPECT_EQ(places.free(), 64U);
}

TEST(PlacesTest, AFewPlacesAreAllUsed) {
    Places one{1};
    EXPECT_EQ(fill<1>(one)[0], 1U);
    EXPECT_FALSE(one.open_to(0));
    Places three{3};
    EXPECT_EQ((fill<2>(three)), (std::array<std::size_t, 2>{1, 1}));
    EXPECT_TRUE(three.open_to(0));
}

TEST(PlacesTest, RoomIsWhatCouldBeTakenNow) {
    Places places{100};
    EXPECT_EQ(places.room_for(0), 50U);
    places.take(50);
    EXPECT_EQ(places.room_for(50), 0U);
    EXPECT_EQ(places.room_for(0), 25U);
    places.take(70);  // More than there are: nothing is refused that is there already.
    EXPECT_EQ(places.room_for(0), 0U);
    places.give_back(120);
    EXPECT_EQ(places.room_for(0), 50U);
}

TEST(PlacesTest, SomebodyThatHoldsNothingMayTakeAllAtOnceOthersNoMoreThanTheyLeave) {
    Places places{100};
    EXPECT_TRUE(places.open_to(0, 100));
    EXPECT_FALSE(places.open_to(0, 101));
    places.take(20);
    EXPECT_TRUE(places.open_to(20, 60));
    EXPECT_FALSE(places.open_to(20, 61));
}

}  // namespace
}  // namespace merpati
