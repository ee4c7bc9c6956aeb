// Changes of a device and the webhook notices of them, in one transaction.
#pragma once

#include <string_view>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "daemon/notices.hpp"
#include "model/device.hpp"
#include "store/tables.hpp"

namespace merpati::daemon {

/// Stores the webhook notice of a new device, where it begins connected.
[[nodiscard]] Result<void> announce(store::Tables& tables, Notices& notices,
                                    const model::Device& device);

/// Sets the state, and stores the webhook notice of it. Empty: it was in that state.
/// Errors: not_found.
[[nodiscard]] Result<std::optional<model::Device>> record_state(
    store::Tables& tables, Notices& notices, const store::DeviceIdentity& device,
    model::DeviceState state, std::string_view reason, Timestamp now);

}  // namespace merpati::daemon
