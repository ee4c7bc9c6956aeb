#include "scheduler/lane_timers.hpp"

#include <gtest/gtest.h>

#include "testing/manual_clock.hpp"

namespace merpati::scheduler {
namespace {

using namespace std::chrono_literals;

struct LaneTimersTest : ::testing::Test {
    testing::ManualClock clock;
    LaneTimers timers;
    ReadyLanes ready;
    Lane first{*model::PhoneNumber::parse("6289876543210")};
    Lane second{*model::PhoneNumber::parse("6289876543211")};
};

TEST_F(LaneTimersTest, WakesEachLaneAtItsEarliestMoment) {
    timers.arm(first, clock.now() + 3s);
    timers.arm(second, clock.now() + 2s);
    timers.arm(first, clock.now() + 1s);
    EXPECT_EQ(timers.next(), clock.now() + 1s);
    EXPECT_EQ(timers.take_due(clock.now()), nullptr);
    clock.advance(2s);
    EXPECT_EQ(timers.take_due(clock.now()), &first);
    EXPECT_EQ(timers.take_due(clock.now()), &second);
    EXPECT_EQ(timers.next(), Timestamp::max());
}

TEST_F(LaneTimersTest, LanesOfTheSameMomentAreAllWoken) {
    timers.arm(first, clock.now());
    timers.arm(second, clock.now());
    EXPECT_NE(timers.take_due(clock.now()), nullptr);
    EXPECT_NE(timers.take_due(clock.now()), nullptr);
    EXPECT_EQ(timers.take_due(clock.now()), nullptr);
}

TEST_F(LaneTimersTest, ADisarmedLaneIsNotWoken) {
    timers.disarm(first);
    timers.arm(first, clock.now());
    timers.arm(second, clock.now());
    timers.disarm(first);
    EXPECT_EQ(timers.take_due(clock.now()), &second);
    EXPECT_EQ(timers.size(), 0U);
}

TEST_F(LaneTimersTest, HoldsOneEntryALaneHoweverOftenItIsArmed) {
    for (int turn = 0; turn < 1'000; ++turn) {
        timers.arm(first, clock.now() + 5h);
        timers.arm(first, clock.now() + 1ms);
        clock.advance(1ms);
        EXPECT_EQ(timers.take_due(clock.now()), &first);
        timers.arm(first, clock.now() + 5h);
    }
    EXPECT_EQ(timers.size(), 1U);
}

TEST_F(LaneTimersTest, ALaneThatIsReadyKeepsItsTurn) {
    ready.add(first);
    ready.add(second);
    ready.add(first);
    EXPECT_EQ(ready.size(), 2U);
    EXPECT_EQ(&ready.take_first(), &first);
    EXPECT_FALSE(first.is_ready());
    ready.add(first);
    EXPECT_EQ(&ready.take_first(), &second);
    EXPECT_EQ(&ready.take_first(), &first);
    EXPECT_TRUE(ready.empty());
}

}  // namespace
}  // namespace merpati::scheduler
