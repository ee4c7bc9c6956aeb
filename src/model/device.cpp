#include "model/device.hpp"

namespace merpati::model {

std::string_view to_string(ConnectorKind kind) noexcept {
    switch (kind) {
        case ConnectorKind::simulator:
            return "simulator";
        case ConnectorKind::cloud:
            return "cloud";
        case ConnectorKind::linked:
            return "linked";
    }
    return "unknown";
}

std::optional<ConnectorKind> parse_connector_kind(std::string_view word) noexcept {
    for (const auto kind :
         {ConnectorKind::simulator, ConnectorKind::cloud, ConnectorKind::linked}) {
        if (word == to_string(kind)) {
            return kind;
        }
    }
    return std::nullopt;
}

std::string_view to_string(DeviceState state) noexcept {
    switch (state) {
        case DeviceState::disconnected:
            return "disconnected";
        case DeviceState::pairing:
            return "pairing";
        case DeviceState::connected:
            return "connected";
        case DeviceState::reconnecting:
            return "reconnecting";
        case DeviceState::logged_out:
            return "logged_out";
        case DeviceState::replaced:
            return "replaced";
        case DeviceState::banned:
            return "banned";
    }
    return "unknown";
}

std::optional<DeviceState> parse_device_state(std::string_view word) noexcept {
    for (const auto state : {DeviceState::disconnected, DeviceState::pairing,
                             DeviceState::connected, DeviceState::reconnecting,
                             DeviceState::logged_out, DeviceState::replaced, DeviceState::banned}) {
        if (word == to_string(state)) {
            return state;
        }
    }
    return std::nullopt;
}

}  // namespace merpati::model
