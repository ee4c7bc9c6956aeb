// The pairing step that each device shows, for all doors.
#pragma once

#include <mutex>
#include <string_view>
#include <unordered_map>

#include "api/manage/context.hpp"
#include "connector/connector.hpp"
#include "model/device.hpp"

namespace merpati::daemon {

/// The last pairing step of each device, and how its pairing ended. In memory alone: after a
/// restart a device is paired anew.
///
/// Threads: any. Limits: one step a device.
class PairingBoard {
public:
    /// Somebody asked to pair the device.
    void begin(model::PhoneNumber device);
    void show(model::PhoneNumber device, const connector::PairingStep& step);
    /// The device's state, after it is durable: any but `pairing` ends what is under way.
    void follow(model::PhoneNumber device, model::DeviceState state, std::string_view reason);
    void forget(model::PhoneNumber device);

    /// Whether there is a step that has not expired.
    [[nodiscard]] bool shows_step(model::PhoneNumber device, Timestamp now) const;
    [[nodiscard]] api::manage::Pairing find(model::PhoneNumber device) const;

private:
    mutable std::mutex mutex_;
    std::unordered_map<model::PhoneNumber, api::manage::Pairing> pairings_;
};

}  // namespace merpati::daemon
