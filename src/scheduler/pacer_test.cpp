#include "scheduler/pacer.hpp"

#include <gtest/gtest.h>

#include "testing/manual_clock.hpp"

namespace merpati::scheduler {
namespace {

using namespace std::chrono_literals;

struct PacerTest : ::testing::Test {
    testing::ManualClock clock;
    Pacer pacer;
    PacerTest() { pacer.set({.gap_min = 2s, .jitter_max = 1s, .per_day_max = 2}); }
};

TEST_F(PacerTest, WaitsTheGapAndTheJitterAfterASend) {
    EXPECT_LE(pacer.ready_at(), clock.now());
    pacer.sent(clock.now(), 500ms);
    EXPECT_EQ(pacer.ready_at(), clock.now() + 2500ms);
}

TEST_F(PacerTest, WaitsForMidnightAtTheDaysCapAndCountsAnew) {
    pacer.sent(clock.now(), 0ms);
    pacer.sent(clock.now(), 0ms);
    const Timestamp midnight = std::chrono::floor<std::chrono::days>(clock.now()) + 24h;
    EXPECT_EQ(pacer.ready_at(), midnight);
    pacer.sent(midnight, 0ms);
    EXPECT_EQ(pacer.ready_at(), midnight + 2s);
}

TEST_F(PacerTest, ANewPaceHoldsForTheWaitThatIsUnderWay) {
    pacer.sent(clock.now(), 1s);
    pacer.set({.gap_min = 1s});
    EXPECT_EQ(pacer.ready_at(), clock.now() + 1s);
    pacer.set({.gap_min = 1s, .per_day_max = 1});
    EXPECT_EQ(pacer.ready_at(), std::chrono::floor<std::chrono::days>(clock.now()) + 24h);
    pacer.set({});
    EXPECT_EQ(pacer.ready_at(), clock.now());
}

TEST_F(PacerTest, ADeviceThatHasSentNothingMaySendUnderAnyPace) {
    pacer.set({.gap_min = 1h, .per_day_max = 1});
    EXPECT_LE(pacer.ready_at(), clock.now());
}

}  // namespace
}  // namespace merpati::scheduler
