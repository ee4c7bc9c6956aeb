#include "scheduler/pacer.hpp"

#include <gtest/gtest.h>

#include "testing/manual_clock.hpp"

namespace merpati::scheduler {
namespace {

using namespace std::chrono_literals;

struct PacerTest : ::testing::Test {
    testing::ManualClock clock;
    Pacer pacer;
    const Timestamp added_at = clock.now();
    PacerTest() { set({.gap_min = 2s, .jitter_max = 1s, .per_day_max = 2}); }

    void set(const model::Pace& pace) { pacer.set(pace, added_at); }

    void send(Millis jitter = 0ms) { pacer.sent(clock.now(), jitter, 14h); }
};

TEST_F(PacerTest, WaitsTheGapAndTheJitterAfterASend) {
    EXPECT_LE(pacer.ready_at(), clock.now());
    send(500ms);
    EXPECT_EQ(pacer.ready_at(), clock.now() + 2500ms);
}

TEST_F(PacerTest, WaitsForTheEndOfTheDayAtItsCapAndCountsAnew) {
    send();
    clock.advance(1h);
    send();
    EXPECT_EQ(pacer.ready_at(), clock.now() + 13h);
    clock.advance(13h);
    send();
    EXPECT_EQ(pacer.ready_at(), clock.now() + 2s);
}

TEST_F(PacerTest, ANewPaceHoldsForTheWaitThatIsUnderWay) {
    send(1s);
    set({.gap_min = 1s});
    EXPECT_EQ(pacer.ready_at(), clock.now() + 1s);
    set({.gap_min = 1s, .per_day_max = 1});
    EXPECT_EQ(pacer.ready_at(), clock.now() + 14h);
    set({});
    EXPECT_EQ(pacer.ready_at(), clock.now());
}

TEST_F(PacerTest, ADeviceThatWarmsUpHasAPartOfItsCapEachDay) {
    set({.per_day_max = 8, .warm_up_days = 3});
    const auto sends_of_day = [this] {
        int sends = 0;
        while (pacer.ready_at() <= clock.now()) {
            pacer.sent(clock.now(), 0ms, 24h - 1s);
            ++sends;
        }
        clock.advance(24h);
        return sends;
    };
    EXPECT_EQ(sends_of_day(), 2);
    EXPECT_EQ(sends_of_day(), 4);
    EXPECT_EQ(sends_of_day(), 6);
    EXPECT_EQ(sends_of_day(), 8);
    EXPECT_EQ(sends_of_day(), 8);
}

TEST_F(PacerTest, AWarmUpLongerThanItsCapLetsOneOut) {
    set({.per_day_max = 2, .warm_up_days = 30});
    EXPECT_LE(pacer.ready_at(), clock.now());
    send();
    EXPECT_EQ(pacer.ready_at(), clock.now() + 14h);
}

TEST_F(PacerTest, ADeviceThatHasSentNothingMaySendUnderAnyPace) {
    set({.gap_min = 1h, .per_day_max = 1});
    EXPECT_LE(pacer.ready_at(), clock.now());
}

TEST_F(PacerTest, ARestartKeepsGapAndCount) {
    send();
    clock.advance(3s);
    send(1s);
    Pacer next;
    next.restore(*pacer.record());
    next.set({.gap_min = 2s, .jitter_max = 1s}, added_at);
    EXPECT_EQ(next.ready_at(), clock.now() + 3s);
    next.set(pacer.pace(), added_at);
    EXPECT_EQ(next.ready_at(), pacer.ready_at());
}

TEST_F(PacerTest, ASendThatIsTakenBackUsesUpNeitherGapNorCap) {
    const auto first = pacer.sent(clock.now(), 0ms, 14h);
    pacer.take_back(first);
    EXPECT_LE(pacer.ready_at(), clock.now());
    EXPECT_EQ(pacer.record(), std::nullopt);
    send();
    clock.advance(2s);
    const auto second = pacer.sent(clock.now(), 0ms, 14h);
    EXPECT_TRUE(pacer.is_capped());
    pacer.take_back(second);
    EXPECT_EQ(pacer.ready_at(), clock.now());
}

TEST_F(PacerTest, ASendThatIsTakenBackLateLeavesTheGapOfTheNextOne) {
    set({.gap_min = 2s, .per_day_max = 3});
    const auto first = pacer.sent(clock.now(), 0ms, 14h);
    clock.advance(2s);
    send();
    pacer.take_back(first);
    EXPECT_EQ(pacer.ready_at(), clock.now() + 2s);
    EXPECT_EQ(pacer.record()->of_day, 1U);
    clock.advance(14h);
    send();
    pacer.take_back(first);  // Of an earlier day.
    EXPECT_EQ(pacer.record()->of_day, 1U);
}

TEST_F(PacerTest, ASendThatThePlatformDidNotTakeCostsAGapAndNothingOfTheCap) {
    set({.gap_min = 2s, .per_day_max = 1});
    const auto probe = pacer.sent(clock.now(), 0ms, 14h);
    EXPECT_TRUE(pacer.is_capped());
    pacer.uncount(probe);
    EXPECT_FALSE(pacer.is_capped());
    EXPECT_EQ(pacer.ready_at(), clock.now() + 2s);
    EXPECT_EQ(pacer.record()->of_day, 0U);
    clock.advance(14h);
    send();
    pacer.uncount(probe);  // Of an earlier day.
    EXPECT_EQ(pacer.record()->of_day, 1U);
}

TEST_F(PacerTest, OnlyAPacedDeviceHasSomethingToKeep) {
    EXPECT_EQ(pacer.record(), std::nullopt);
    send();
    EXPECT_NE(pacer.record(), std::nullopt);
    set({});
    EXPECT_EQ(pacer.record(), std::nullopt);
}

}  // namespace
}  // namespace merpati::scheduler
