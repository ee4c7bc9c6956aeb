// What connectors reported of devices' states and is not committed yet.
#pragma once

#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "connector/connector.hpp"
#include "model/device.hpp"
#include "store/tables.hpp"

namespace merpati::daemon {

/// What a connector reported of one device.
struct StateReport {
    store::DeviceIdentity device;
    model::DeviceState state = model::DeviceState::disconnected;
    std::string reason;
    connector::ConnectorEvents::Stored stored;
};

/// Keeps the reports of each device in order until one change of the store takes all of them, so
/// that a device never has more than one change waiting.
///
/// Threads: any.
///
/// Limits: 16 reports a device. A device that changes faster than the store can write keeps the
/// first ones and the last; one that is replaced counts as stored, for the last says more.
class StateReports {
public:
    static constexpr std::size_t per_device_max = 16;

    /// True for the first report of a device since `take`: a change must be asked for.
    [[nodiscard]] bool put(StateReport report);

    /// All reports of the device, in order.
    [[nodiscard]] std::vector<StateReport> take(model::PhoneNumber number);

private:
    std::mutex mutex_;
    std::unordered_map<model::PhoneNumber, std::vector<StateReport>> waiting_;
};

}  // namespace merpati::daemon
