// Holds the states that connectors reported and that are not committed yet.
#pragma once

#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "connector/connector.hpp"
#include "model/device.hpp"
#include "store/tables.hpp"

namespace merpati::devices {

/// A state that a connector reported of one device.
struct StateReport {
    store::DeviceIdentity device;
    model::DeviceState state = model::DeviceState::disconnected;
    std::string reason;
    std::optional<Timestamp> until{};  // The end of `restricted`.
    connector::ConnectorEvents::Stored stored;
};

/// Keeps the reports of each device in order until one change of the store takes all of them, so
/// that a device never has more than one change queued.
///
/// Threads: any.
///
/// Limits: `per_device_max` reports of a device. When they are full, a new report replaces the last
/// one, which is answered as stored.
class StateReports {
public:
    static constexpr std::size_t per_device_max = 16;

    /// True for the first report of a device since `take`: the caller must queue a change.
    [[nodiscard]] bool put(StateReport report);

    /// Removes and returns all reports of the device, in order.
    [[nodiscard]] std::vector<StateReport> take(model::PhoneNumber number);

private:
    std::mutex mutex_;
    std::unordered_map<model::PhoneNumber, std::vector<StateReport>> waiting_;
};

}  // namespace merpati::devices
