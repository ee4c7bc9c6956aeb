// Tells a device from an earlier or later one with the same number.
#pragma once

#include "model/device.hpp"

namespace merpati::model {

/// A device of an account, as distinct from a later one with the same number.
struct DeviceIdentity {
    PhoneNumber number;
    AccountId account;
    Timestamp created_at;

    [[nodiscard]] static DeviceIdentity of(const Device& device) {
        return {
            .number = device.number, .account = device.account, .created_at = device.created_at};
    }
    friend bool operator==(const DeviceIdentity&, const DeviceIdentity&) = default;
};

}  // namespace merpati::model
