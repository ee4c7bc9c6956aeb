// Keeps the last pairing step of each device, for the web app, the API and the command line.
#pragma once

#include <mutex>
#include <string_view>
#include <unordered_map>

#include "api/manage/devices/device_control.hpp"
#include "connector/connector.hpp"
#include "model/device.hpp"

namespace merpati::devices {

/// The last pairing step of each device, and why its last pairing failed. In memory only: after a
/// restart, pairing starts again.
///
/// Threads: any. Limits: one step for each device.
class PairingBoard {
public:
    /// Call when somebody asks to pair the device.
    void begin(model::PhoneNumber device);
    void show(model::PhoneNumber device, const connector::PairingStep& step);
    /// Call after a state of the device is durable. Every state except `pairing` ends the pairing.
    void follow(model::PhoneNumber device, model::DeviceState state, std::string_view reason);
    void forget(model::PhoneNumber device);

    /// Whether the device has a step that has not expired.
    [[nodiscard]] bool shows_step(model::PhoneNumber device, Timestamp now) const;
    [[nodiscard]] api::manage::Pairing find(model::PhoneNumber device) const;

private:
    mutable std::mutex mutex_;
    std::unordered_map<model::PhoneNumber, api::manage::Pairing> pairings_;
};

}  // namespace merpati::devices
