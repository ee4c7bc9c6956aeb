// Adds a device to an account: for the catalogue and for POST /v1/device/addnew.
#pragma once

#include <optional>
#include <string>

#include "api/manage/devices/cloud_access.hpp"
#include "api/manage/engine/context.hpp"
#include "model/account.hpp"
#include "model/device.hpp"
#include "store/tables.hpp"

namespace merpati::api::manage {

/// A device that a caller wants in its account.
struct NewDevice {
    model::PhoneNumber number;
    std::string connector;
    std::optional<std::string> webhook{};  // Empty: not given. "": none.
    model::PacePatch pace{};
    std::optional<CloudAccess> cloud{};  // With number and token, which the platform has confirmed.
    /// If its connector is missing, the device is added nevertheless, and waits for it.
    bool waits_for_connector = false;
};

struct DeviceAdded {
    store::DeviceDecision decision;
    bool written = true;  // False: the account had the device as it is wanted.
};

/// Runs in the transaction of the change. Adds the device, with the notice of its first state for
/// its webhook; or changes what is given of webhook, pace and access of a device that the account
/// has. Errors: refused (the connector is missing), conflict (another device has the number of the
/// official platform, or this one is not on its connector).
[[nodiscard]] Result<DeviceAdded> add_device(store::Tables& tables, DeviceControl& devices,
                                             const model::Account& owner, const NewDevice& wanted,
                                             Timestamp now);

}  // namespace merpati::api::manage
