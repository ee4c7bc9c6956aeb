// Changes of a device and the webhook notices of them, in one transaction.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "connector/connector.hpp"
#include "daemon/notices.hpp"
#include "model/device.hpp"
#include "store/tables.hpp"

namespace merpati::daemon {

/// Stores the webhook notice of a new device, where it begins connected.
[[nodiscard]] Result<void> announce(store::Tables& tables, Notices& notices,
                                    const model::Device& device);

/// Sets the state, and stores the webhook notice of it where it differs from the last one. A device
/// that was being paired and is connected now is paused where messages wait for it, unless somebody
/// chose that they be sent. Empty: it was in that state. Errors: not_found.
[[nodiscard]] Result<std::optional<model::Device>> record_state(
    store::Tables& tables, Notices& notices, const store::DeviceIdentity& device,
    model::DeviceState state, std::string_view reason, Timestamp now);

/// Whether the device is reconnecting, and its webhook may still take it for connected.
[[nodiscard]] bool is_lost(const model::Device& device) noexcept;

/// Stores the webhook notice of a device that has been reconnecting since then, for too long;
/// nothing where it is not so any more. `losses`: it came and went so often; 0: it did not.
[[nodiscard]] Result<void> record_loss(store::Tables& tables, Notices& notices,
                                       const store::DeviceIdentity& device, Timestamp since,
                                       std::uint32_t losses = 0);

/// Records what becomes of the device's queue when it is paired. Empty: as was chosen for the
/// pairing that is under way, else `hold`. A device that is connected is not paired: nothing
/// changes. Errors: not_found.
[[nodiscard]] Result<void> plan_pairing(store::Tables& tables, model::PhoneNumber number,
                                        std::optional<model::QueueChoice> choice);

/// Nobody but this server uses the device's secrets. Errors: not_found.
[[nodiscard]] Result<void> forget_export(store::Tables& tables, model::PhoneNumber number);

/// Why a device that was exported is not connected.
[[nodiscard]] std::unexpected<Error> refuse_exported(const model::Device& device);

/// Why its secrets are not replaced or handed out: it is connected, connecting or pairing, or its
/// connector keeps none.
[[nodiscard]] Result<void> check_still(const model::Device& device,
                                       const connector::Connector& connector);

}  // namespace merpati::daemon
