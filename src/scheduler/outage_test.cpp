#include "scheduler/outage.hpp"

#include <gtest/gtest.h>

namespace merpati::scheduler {
namespace {

using namespace std::chrono_literals;

struct OutageTest : ::testing::Test {
    Outage outage;
    Timestamp now = from_unix_millis(1'700'000'000'000);

    /// How long the pause lasts after a send that found the device down.
    Millis pause_after(bool is_probe, std::optional<Millis> asked = {}) {
        outage.probe_later(now, is_probe, asked, 24h);
        return outage.probe_at() - now;
    }
};

TEST_F(OutageTest, ProbesComeFartherApartUpToAMinute) {
    EXPECT_EQ(pause_after(false), 5s);
    EXPECT_TRUE(outage.is_probing());
    EXPECT_EQ(pause_after(true), 10s);
    EXPECT_EQ(pause_after(true), 20s);
    EXPECT_EQ(pause_after(true), 40s);
    EXPECT_EQ(pause_after(true), 60s);
    EXPECT_EQ(pause_after(true), 60s);
    outage.stop_probing();
    EXPECT_EQ(pause_after(false), 5s) << "the next outage begins with short pauses again";
}

TEST_F(OutageTest, APlatformSaysHowLongWithinLimits) {
    EXPECT_EQ(pause_after(false, 90s), 90s);
    EXPECT_EQ(pause_after(true, 0ms), 1s);
    EXPECT_EQ(pause_after(true, 48h), 24h);
}

TEST_F(OutageTest, SendsThatWereInFlightOnlyProlongThePause) {
    EXPECT_EQ(pause_after(false, 30s), 30s);
    EXPECT_EQ(pause_after(false, 10s), 30s);
    EXPECT_EQ(pause_after(false), 30s);
    EXPECT_EQ(pause_after(false, 40s), 40s);
}

TEST_F(OutageTest, ItLastsFromItsFirstSignToItsEnd) {
    const auto begun = now;
    outage.begin(begun);
    now += 1min;
    (void)pause_after(false);
    EXPECT_EQ(outage.since(), begun) << "a probe does not begin another one";
    EXPECT_EQ(outage.span(now).until, now);
    outage.stop_probing();
    outage.end(now);
    EXPECT_FALSE(outage.since());
    now += 1h;
    EXPECT_EQ(outage.span(now).from, begun);
    EXPECT_EQ(outage.span(now).until, begun + 1min);
    outage.end(now);
    EXPECT_EQ(outage.span(now).until, begun + 1min) << "there was no outage to end";
}

TEST_F(OutageTest, TheStoreIsToldOfEachBeginAndEndOnce) {
    EXPECT_FALSE(outage.needs_storing());
    outage.begin(now);
    EXPECT_TRUE(outage.needs_storing());
    EXPECT_EQ(outage.take_for_store(), now);
    EXPECT_FALSE(outage.needs_storing());
    outage.end(now + 1s);
    EXPECT_TRUE(outage.needs_storing());
    EXPECT_EQ(outage.take_for_store(), std::nullopt);
    outage.restore(now);
    EXPECT_EQ(outage.since(), now);
    EXPECT_FALSE(outage.needs_storing());
}

}  // namespace
}  // namespace merpati::scheduler
