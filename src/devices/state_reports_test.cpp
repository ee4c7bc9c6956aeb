#include "devices/state_reports.hpp"

#include <gtest/gtest.h>

namespace merpati::devices {
namespace {

using model::DeviceState;

const auto number = model::PhoneNumber::from_stored(6281100000001);

StateReport report(DeviceState state, model::PhoneNumber of = number) {
    return {.device = {.number = of, .account = {1}, .created_at = {}},
            .state = state,
            .reason = {},
            .stored = [](const Result<void>&) {}};
}

TEST(StateReportsTest, OneChangeTakesAllReportsOfADeviceInOrder) {
    StateReports reports;
    EXPECT_TRUE(reports.put(report(DeviceState::reconnecting)));
    EXPECT_FALSE(reports.put(report(DeviceState::connected)));
    EXPECT_TRUE(reports.put(report(DeviceState::banned, model::PhoneNumber::from_stored(1))));
    const auto taken = reports.take(number);
    ASSERT_EQ(taken.size(), 2U);
    EXPECT_EQ(taken[0].state, DeviceState::reconnecting);
    EXPECT_EQ(taken[1].state, DeviceState::connected);
    EXPECT_TRUE(reports.take(number).empty());
    EXPECT_TRUE(reports.put(report(DeviceState::connected)));
}

TEST(StateReportsTest, OfTooManyReportsTheLastIsKept) {
    StateReports reports;
    for (std::size_t count = 0; count < StateReports::per_device_max * 3; ++count) {
        (void)reports.put(report(DeviceState::reconnecting));
    }
    int replaced = 0;
    auto early = report(DeviceState::reconnecting);
    early.stored = [&](const Result<void>& done) { replaced += done ? 1 : 0; };
    (void)reports.put(std::move(early));
    (void)reports.put(report(DeviceState::connected));
    EXPECT_EQ(replaced, 1);
    const auto taken = reports.take(number);
    EXPECT_EQ(taken.size(), StateReports::per_device_max);
    EXPECT_EQ(taken.back().state, DeviceState::connected);
}

}  // namespace
}  // namespace merpati::devices
