// Adds a device to an account: for the catalogue and for POST /v1/device/addnew.
#pragma once

#include <expected>
#include <optional>
#include <string>

#include "admission/principal.hpp"
#include "admission/refusal.hpp"
#include "api/manage/devices/cloud_access.hpp"
#include "api/manage/devices/device_control.hpp"
#include "model/account.hpp"
#include "model/device.hpp"
#include "store/tables.hpp"

namespace merpati::api::manage {

/// A device that a caller wants in an account.
struct NewDevice {
    model::PhoneNumber number;
    std::string connector;          // Of a device that the account does not have yet.
    bool connector_named = false;   // A device that the account has must be on `connector`, too.
    bool connector_offered = true;  // False: the caller may add no device on it.
    std::optional<std::string> webhook{};  // Empty: not given. "": none.
    model::PacePatch pace{};
    std::optional<CloudAccess> cloud{};  // With number and token, which the platform has confirmed.
    bool plan_matters = true;            // False: an administrator adds it in the catalogue.
    /// If its connector is missing, the device is added nevertheless, and waits for it.
    bool waits_for_connector = false;
};

struct DeviceAdded {
    model::Device device;  // As stored now.
    bool written = true;   // False: the account had the device as it is wanted.
};

/// Why an account does not get a device.
struct DeviceRefusal {
    admission::Refusal reason;    // plan_forbids_devices, device_taken or devices_exhausted.
    model::AccountId taken_by{};  // With device_taken.
};

/// Runs in the transaction of the change. Adds the device, with the notice of its first state for
/// its webhook; or changes what is given of webhook, pace and access of a device that the account
/// has. Refuses a device of another account, one for which the account has no room, and any if the
/// account's plan is not paid and matters. Errors: refused (the connector is missing, or not
/// offered), conflict (another device has the number of the official platform, or this one is on
/// another connector).
[[nodiscard]] Result<std::expected<DeviceAdded, DeviceRefusal>> add_device(
    store::Tables& tables, DeviceControl& devices, const model::Account& owner,
    const NewDevice& wanted, Timestamp now);

}  // namespace merpati::api::manage
