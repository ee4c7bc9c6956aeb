#include "base/queue_clock.hpp"

#include <gtest/gtest.h>

#include "testing/manual_clock.hpp"

namespace merpati {
namespace {

using namespace std::chrono_literals;

struct QueueClockTest : ::testing::Test {
    testing::ManualClock machine;
    QueueClock clock{machine};
    const Timestamp began = machine.now();

    void set_wall_by(Millis step) { machine.set_wall(machine.now() + step); }
};

TEST_F(QueueClockTest, IsTheWallClockUntilThatIsSet) {
    machine.advance(3h);
    EXPECT_EQ(clock.now(), machine.now());
    EXPECT_EQ(clock.offset(), 0ms);
    EXPECT_EQ(clock.notice_step(), std::nullopt);
}

TEST_F(QueueClockTest, GoesOnWhicheverWayTheWallClockIsSet) {
    for (const Millis step : {Millis{-1h}, Millis{25h}, Millis{-56 * 8766h}}) {
        const auto before = clock.now();
        set_wall_by(step);
        EXPECT_EQ(clock.now(), before);
        EXPECT_EQ(clock.wall_now(), machine.now());
        machine.advance(5s);
        EXPECT_EQ(clock.now(), before + 5s);
    }
}

TEST_F(QueueClockTest, TellsOfAStepOnceAndByHowMuch) {
    set_wall_by(-1h);
    EXPECT_EQ(clock.notice_step(), -1h);
    EXPECT_EQ(clock.notice_step(), std::nullopt);
    EXPECT_EQ(clock.offset(), 1h);
    set_wall_by(2h);
    EXPECT_EQ(clock.notice_step(), 2h);
    EXPECT_EQ(clock.offset(), -1h);
}

TEST_F(QueueClockTest, LeavesSmallStepsUntilTheyAddUp) {
    for (int step = 0; step < 4; ++step) {
        set_wall_by(-250ms);
        EXPECT_EQ(clock.notice_step(), std::nullopt);
    }
    set_wall_by(-250ms);
    EXPECT_EQ(clock.notice_step(), -1250ms);
}

TEST_F(QueueClockTest, ARestartGoesOnWithTheStoredOffset) {
    set_wall_by(-1h);
    machine.advance(10min);
    QueueClock next{machine};
    next.begin(1h, began);
    EXPECT_EQ(next.now(), clock.now());
    EXPECT_EQ(next.notice_step(), std::nullopt);
}

TEST_F(QueueClockTest, ARestartWithAClockBehindTheStoreGoesOnFromThere) {
    const auto newest = clock.now();
    set_wall_by(-1h);  // While no process runs.
    QueueClock next{machine};
    next.begin(0ms, newest);
    EXPECT_EQ(next.now(), newest);
    EXPECT_EQ(next.notice_step(), -1h);
    EXPECT_EQ(next.offset(), 1h);
}

TEST_F(QueueClockTest, IsSteeredInSmallSteps) {
    clock.begin(1h, began);
    EXPECT_EQ(clock.offset(), 1h);
    clock.steer(1h + 3ms);
    EXPECT_EQ(clock.offset(), 1h + 3ms);
    clock.steer(2h);
    EXPECT_EQ(clock.offset(), 1h + 3ms + QueueClock::steer_max);
    clock.steer(0ms);
    clock.steer(0ms);
    EXPECT_EQ(clock.offset(), 1h + 3ms - QueueClock::steer_max);
}

TEST_F(QueueClockTest, SteeringIsNoStepOfTheWallClock) {
    for (int step = 0; step < 1'000; ++step) {
        clock.steer(1h);
        machine.advance(1s);
        EXPECT_EQ(clock.notice_step(), std::nullopt);
    }
    EXPECT_EQ(clock.offset(), 1'000 * QueueClock::steer_max);
    set_wall_by(-1h);
    EXPECT_EQ(clock.notice_step(), -1h);
}

}  // namespace
}  // namespace merpati
