#include "connector/simulator/simulated_devices.hpp"

#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "connector/conformance/connector_fixture.hpp"
#include "testing/manual_clock.hpp"

namespace merpati::connector::simulator {
namespace {

using namespace std::chrono_literals;
using model::DeviceState;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Answers with `error` while it is set; counts the calls.
struct RefusingSecrets final : DeviceSecrets {
    void get(const DeviceRef& device, std::vector<std::string> names, std::size_t bytes_max,
             Got got) override {
        ++gets;
        if (error) {
            got(fail(*error, "refused"));
        } else {
            kept.get(device, std::move(names), bytes_max, std::move(got));
        }
    }
    void put(const DeviceRef& device, Values values, Others others,
             ConnectorEvents::Stored stored) override {
        ++puts;
        if (error) {
            stored(fail(*error, "refused"));
        } else {
            kept.put(device, std::move(values), others, std::move(stored));
        }
    }

    std::optional<ErrorCode> error;
    int gets = 0;
    int puts = 0;
    MemorySecrets kept;
};

struct SimulatorDevicesTest : ::testing::Test {
    SimulatorDevicesTest() {
        devices.begin(events, secrets);
        device.number = model::PhoneNumber::from_stored(6281100992003);  // Paired by "otp".
    }

    void run_planned() {
        for (auto& act : std::exchange(planned, {})) {
            act();
        }
    }
    /// Starts the device and answers its pairing step; storing its secret is planned.
    void pair() {
        devices.start(device, {});
        ASSERT_TRUE(devices.answer(device.number, "123456"));
        ASSERT_THAT(planned, SizeIs(1));
    }
    std::vector<DeviceState> states() {
        return events.wait_until([](const Reported&) { return true; }).states_of(device.number);
    }

    testing::ManualClock clock;
    Recorder events;
    RefusingSecrets secrets;
    std::vector<std::move_only_function<void()>> planned;
    SimulatedDevices devices{clock, [this](auto act) { planned.push_back(std::move(act)); }};
    model::Device device;
};

TEST_F(SimulatorDevicesTest, AWrongAnswerIsRefusedAndTheRightOneIsStillTaken) {
    const auto early = devices.answer(device.number, "123456");
    ASSERT_FALSE(early);
    EXPECT_EQ(early.error().code, ErrorCode::conflict);
    devices.start(device, {});
    const auto wrong = devices.answer(device.number, "000000");
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().code, ErrorCode::conflict);
    EXPECT_TRUE(devices.answer(device.number, "123456"));
}

TEST_F(SimulatorDevicesTest, TheSecretIsStoredAgainWhileTheGatewayIsBusy) {
    pair();
    secrets.error = ErrorCode::busy;
    run_planned();
    run_planned();
    EXPECT_THAT(states(), ElementsAre(DeviceState::pairing));
    secrets.error.reset();
    run_planned();
    EXPECT_EQ(secrets.puts, 3);
    EXPECT_THAT(states(), ElementsAre(DeviceState::pairing, DeviceState::connected));
    EXPECT_THAT(planned, IsEmpty());
}

TEST_F(SimulatorDevicesTest, ASecretThatIsRefusedEndsThePairing) {
    pair();
    secrets.error = ErrorCode::refused;
    run_planned();
    EXPECT_THAT(planned, IsEmpty());
    EXPECT_THAT(states(), ElementsAre(DeviceState::pairing, DeviceState::disconnected));
}

TEST_F(SimulatorDevicesTest, TheSecretOfADeviceThatWasRemovedIsNotStored) {
    pair();
    devices.forget(device.number);
    run_planned();
    EXPECT_EQ(secrets.puts, 0);

    // Removed while the secret is being stored.
    pair();
    secrets.error = ErrorCode::busy;
    run_planned();
    devices.forget(device.number);
    run_planned();
    EXPECT_EQ(secrets.puts, 1);
    EXPECT_THAT(planned, IsEmpty());
}

TEST_F(SimulatorDevicesTest, ANumberThatIsAddedAgainDoesNotContinueAnEarlierPairing) {
    pair();
    devices.forget(device.number);
    devices.start(device, {});
    run_planned();
    EXPECT_EQ(secrets.puts, 0);
    EXPECT_FALSE(devices.is_connected(device.number));
}

TEST_F(SimulatorDevicesTest, ForgettingReportsAndStoresNothing) {
    pair();
    run_planned();
    const auto before = states();
    devices.forget(device.number);
    EXPECT_EQ(states(), before);
    EXPECT_EQ(secrets.puts, 1);
    EXPECT_FALSE(devices.is_connected(device.number));
}

TEST_F(SimulatorDevicesTest, ABusyGatewayDoesNotCostAPairing) {
    pair();
    run_planned();
    devices.stop(device.number);
    secrets.error = ErrorCode::busy;
    devices.start(device, {});
    EXPECT_EQ(states().back(), DeviceState::disconnected);
    secrets.error.reset();
    run_planned();
    EXPECT_EQ(states().back(), DeviceState::connected);
    EXPECT_EQ(secrets.gets, 3);
}

struct RestrictedDeviceTest : SimulatorDevicesTest {
    RestrictedDeviceTest() { device.number = model::PhoneNumber::from_stored(6281100997004); }

    const std::string somebody = "6281234567890";
    const std::string writer = "6281234997000";
};

TEST_F(RestrictedDeviceTest, ItIsRestrictedForAMinuteWithItsFirstSend) {
    devices.start(device, {});
    EXPECT_EQ(devices.restrict_send(device.number, writer), std::nullopt);
    EXPECT_THAT(states(), ElementsAre(DeviceState::connected, DeviceState::restricted));
    EXPECT_TRUE(devices.is_connected(device.number));
    devices.note_inbound(device.number, writer);

    const auto until = clock.now() + 1min;
    EXPECT_EQ(devices.restrict_send(device.number, somebody), until);
    EXPECT_EQ(devices.restrict_send(device.number, writer), std::nullopt);
    clock.advance(1min);
    EXPECT_EQ(devices.restrict_send(device.number, somebody), std::nullopt);
    EXPECT_EQ(states().size(), 2U);  // The gateway ends it.
}

TEST_F(RestrictedDeviceTest, ARestrictionOutlastsARestart) {
    device.restricted_until = clock.now() + 30s;
    devices.start(device, {});
    EXPECT_THAT(states(), ElementsAre(DeviceState::restricted));
    EXPECT_EQ(devices.restrict_send(device.number, somebody), device.restricted_until);
    clock.advance(30s);
    EXPECT_EQ(devices.restrict_send(device.number, somebody), std::nullopt);
}

TEST_F(RestrictedDeviceTest, NoOtherDeviceIsRestricted) {
    device.number = model::PhoneNumber::from_stored(6281100997003);
    for (int count = 0; count < 2; ++count) {
        EXPECT_EQ(devices.restrict_send(device.number, somebody), std::nullopt);
    }
}

}  // namespace
}  // namespace merpati::connector::simulator
