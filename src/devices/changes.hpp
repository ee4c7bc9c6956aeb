// Changes a device and stores the webhook notice of the change, in one transaction.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "api/manage/devices/device_control.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "connector/connectors.hpp"
#include "devices/notices.hpp"
#include "model/device.hpp"
#include "store/tables.hpp"

namespace merpati::devices {

/// Stores the webhook notice of a new device if its first state is `connected`.
[[nodiscard]] Result<void> announce(store::MessageTables& tables, Notices& notices,
                                    const model::Device& device);

/// Sets the state. Stores a webhook notice if the state differs from the one that the webhook was
/// last notified of; `pairing` and `reconnecting` give no notice here. When pairing ends connected
/// and messages wait for the device, the device is paused, unless the pairing's queue choice says
/// otherwise. `until`: the end of `restricted`; a later end is news. A device that reconnects keeps
/// it. Empty: the device was in that state already. Errors: not_found.
[[nodiscard]] Result<std::optional<model::Device>> record_state(
    store::Tables& tables, Notices& notices, const store::DeviceIdentity& device,
    model::DeviceState state, std::string_view reason, Timestamp now,
    std::optional<Timestamp> until = {});

/// Ends the device's restriction, if it ends at or before `now`. Empty: nothing changed.
/// Errors: not_found.
[[nodiscard]] Result<std::optional<model::Device>> end_restriction(
    store::Tables& tables, Notices& notices, const store::DeviceIdentity& device, Timestamp now);

/// Whether the device is reconnecting, and the last state that its webhook was notified of, if any,
/// is `connected` or `restricted`.
[[nodiscard]] bool is_lost(const model::Device& device) noexcept;

/// Stores the webhook notice of a device that has been reconnecting since `since`, for too long.
/// Does nothing if that is no longer true. `losses`: how often the connection was lost lately, for
/// the text of the notice; 0: not mentioned.
[[nodiscard]] Result<void> record_loss(store::Tables& tables, Notices& notices,
                                       const store::DeviceIdentity& device, Timestamp since,
                                       std::uint32_t losses = 0);

/// Records what happens to the device's queue when pairing ends connected. Empty choice: keep the
/// choice of the pairing that is under way, otherwise `hold`. Does nothing for a device that is
/// connected or reconnecting. Errors: not_found.
[[nodiscard]] Result<void> plan_pairing(store::DeviceTables& tables, model::PhoneNumber number,
                                        std::optional<model::QueueChoice> choice);

/// Clears the mark that the device was exported. Errors: not_found.
[[nodiscard]] Result<void> forget_export(store::DeviceTables& tables, model::PhoneNumber number);

/// The error (conflict) for connecting a device that was exported.
[[nodiscard]] std::unexpected<Error> refuse_exported(const model::Device& device);

/// All connectors, by name. `trouble`: why none of them runs; empty: each says so itself.
[[nodiscard]] std::vector<api::manage::ConnectorFacts> facts_of(
    const connector::Connectors& connectors, std::string_view trouble = {});

/// Whether the device's secrets may be replaced or exported now. Errors: conflict (it is connected,
/// reconnecting or pairing, or its connector did not start), refused (Connector::keeps_secrets is
/// false).
[[nodiscard]] Result<void> check_still(const model::Device& device,
                                       const connector::Connector& connector);

}  // namespace merpati::devices
