// What a committed change wrote, row by row, for those who keep a copy in memory.
#pragma once

#include <variant>

#include "model/account.hpp"
#include "model/callback.hpp"
#include "model/device.hpp"

namespace merpati::store {

/// A device as it is now: added, or with another state or webhook.
struct DeviceWritten {
    model::Device device;
    bool is_new = false;
};

/// A device as it was.
struct DeviceRemoved {
    model::Device device;
};

/// Accounts and keys stand here as they are now; a callback is one that waits to be delivered.
using RowChange =
    std::variant<model::Account, model::ApiKey, DeviceWritten, DeviceRemoved, model::Callback>;

}  // namespace merpati::store
