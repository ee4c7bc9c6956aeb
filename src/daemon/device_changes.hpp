// Changes of a device, with what its webhook is told of them, in one transaction.
#pragma once

#include <string_view>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "daemon/notices.hpp"
#include "model/device.hpp"
#include "store/tables.hpp"

namespace merpati::daemon {

/// Stores what the webhook of a new device is told, where it begins connected.
[[nodiscard]] Result<void> announce(store::Tables& tables, Notices& notices,
                                    const model::Device& device);

/// Sets the state, and stores what the webhook is told of it. Empty: it was in that state.
/// Errors: not_found.
[[nodiscard]] Result<std::optional<model::Device>> record_state(
    store::Tables& tables, Notices& notices, const store::DeviceIdentity& device,
    model::DeviceState state, std::string_view reason, Timestamp now);

}  // namespace merpati::daemon
