#include "scheduler/lane.hpp"

#include <gtest/gtest.h>

#include "scheduler/dispatcher_fixture.hpp"
#include "scheduler/in_flight.hpp"

namespace merpati::scheduler {
namespace {

using namespace std::chrono_literals;
using model::DeviceState;

struct LaneTest : ::testing::Test {
    void change(DeviceState state) {
        device.state = state;
        lane.change(device, &connector, now, 0ms);
    }

    ScriptedConnector connector;
    Timestamp now = from_unix_millis(1'700'000'000'000);
    model::Device device{.number = *model::PhoneNumber::parse("6289876543210")};
    Lane lane{device.number};
};

TEST_F(LaneTest, AnOutageLastsFromTheLossOfTheDeviceUntilItIsBack) {
    change(DeviceState::connected);
    EXPECT_TRUE(lane.connected());
    EXPECT_FALSE(lane.outage().since());
    now += 1min;
    const auto begun = now;
    change(DeviceState::disconnected);
    now += 1min;
    change(DeviceState::reconnecting);
    EXPECT_FALSE(lane.connected());
    EXPECT_EQ(lane.outage().since(), begun);
    change(DeviceState::connected);
    EXPECT_FALSE(lane.outage().since());
    EXPECT_EQ(lane.outage().span(now).from, begun);
    EXPECT_EQ(lane.outage().span(now).until, now);
}

TEST_F(LaneTest, AfterAStartTheFirstAnswerEndsAnOutage) {
    lane.recover(store::LaneRecord{.device = device.number, .down_since = now});
    change(DeviceState::connected);
    EXPECT_EQ(lane.outage().since(), now);
    lane.note_working(false, now + 1s);
    EXPECT_FALSE(lane.outage().since());
    EXPECT_TRUE(lane.outage().needs_storing());
}

TEST_F(LaneTest, OnlyTheAnswerToAProbeEndsTheProbing) {
    change(DeviceState::connected);
    lane.outage().probe_later(now, false, std::nullopt, 24h);
    lane.note_working(false, now);
    EXPECT_TRUE(lane.outage().is_probing());
    EXPECT_EQ(lane.outage().since(), now);
    lane.note_working(true, now);
    EXPECT_FALSE(lane.outage().is_probing());
    EXPECT_FALSE(lane.outage().since());
}

TEST_F(LaneTest, AProbeIsAloneInTheWindow) {
    change(DeviceState::connected);
    lane.set_window(4);
    store::QueuedMessage queued;
    queued.message = std::make_unique<model::Message>();
    const InFlight flight{lane, std::move(queued), true};
    EXPECT_FALSE(lane.is_window_full());
    lane.outage().probe_later(now, false, std::nullopt, 24h);
    EXPECT_TRUE(lane.is_window_full());
}

TEST_F(LaneTest, ARemovedDeviceLeavesOnlyTheBeginOfItsOutage) {
    device.pace = {.per_day_max = 1};
    change(DeviceState::connected);
    EXPECT_FALSE(lane.is_superfluous());
    lane.remove(now);
    EXPECT_TRUE(lane.is_superfluous());
    EXPECT_EQ(lane.connector(), nullptr);
    EXPECT_EQ(lane.pacer().pace(), model::Pace{});
    EXPECT_EQ(lane.outage().since(), now);
    EXPECT_FALSE(lane.outage().needs_storing()) << "its record goes with it";
}

TEST_F(LaneTest, ADeviceThatChangesWhileItsLaneIsReadArrivesAsItIsNow) {
    lane.expect(device);
    device.pace = {.gap_min = 1min};
    lane.expect(device);
    EXPECT_TRUE(lane.is_expecting());
    EXPECT_FALSE(lane.is_superfluous());
    EXPECT_EQ(lane.arrive(now + 30s)->pace, device.pace);
    EXPECT_FALSE(lane.is_expecting());
    EXPECT_EQ(lane.give_up_from(), now + 30s);
}

TEST_F(LaneTest, ALaneThatLeavesKeepsNothingOfTheStoreInMind) {
    change(DeviceState::connected);
    lane.recover(model::Source::campaign, now);
    EXPECT_TRUE(lane.busy_changed());
    EXPECT_FALSE(lane.busy_changed());
    lane.leave();
    EXPECT_FALSE(lane.connected());
    EXPECT_FALSE(lane.disk_due());
    EXPECT_TRUE(lane.busy_changed());
    EXPECT_FALSE(lane.drops_outcomes());
    lane.drop_outcomes();
    EXPECT_TRUE(lane.drops_outcomes());
}

}  // namespace
}  // namespace merpati::scheduler
