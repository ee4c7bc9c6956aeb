#include "connector/simulator/devices.hpp"

#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "connector/conformance/connector_fixture.hpp"
#include "testing/manual_clock.hpp"

namespace merpati::connector::simulator {
namespace {

using model::DeviceState;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Answers with `error` while it is set; counts the calls.
struct RefusingSecrets final : DeviceSecrets {
    void get(model::PhoneNumber device, std::vector<std::string> names, Got got) override {
        ++gets;
        if (error) {
            got(fail(*error, "refused"));
        } else {
            kept.get(device, std::move(names), std::move(got));
        }
    }
    void put(model::PhoneNumber device, Values values, Others others,
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
        devices.answer(device.number, "123456");
        ASSERT_THAT(planned, SizeIs(1));
    }
    std::vector<DeviceState> states() {
        return events.wait_until([](const Reported&) { return true; }).states_of(device.number);
    }

    testing::ManualClock clock;
    Recorder events;
    RefusingSecrets secrets;
    std::vector<std::move_only_function<void()>> planned;
    Devices devices{clock, [this](auto act) { planned.push_back(std::move(act)); }};
    model::Device device;
};

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

}  // namespace
}  // namespace merpati::connector::simulator
