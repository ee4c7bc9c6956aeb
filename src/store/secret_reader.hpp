// Reads what connectors keep of devices, and where received media are.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "store/records.hpp"

namespace merpati::store {

/// Errors: those of Reader, and conflict (encrypted with another key).
class SecretReader {
public:
    virtual ~SecretReader() = default;

    /// A device's secrets after the name `after`, by name, until their size reaches `bytes_max`; at
    /// least one. Empty: there are no more.
    [[nodiscard]] virtual Result<std::vector<DeviceSecret>> device_secrets(
        model::PhoneNumber device, std::string_view after, std::size_t bytes_max) = 0;
    /// Empty: there is none, or it was removed with its device or by retention.
    [[nodiscard]] virtual Result<std::optional<ReceivedMedia>> received_media(const Uuid& id) = 0;
};

}  // namespace merpati::store
