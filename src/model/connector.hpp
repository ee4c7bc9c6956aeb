// What the server knows of a connector by its name.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace merpati::model {

/// How a connector reaches its platform, and so what its devices risk.
enum class ConnectorKind : std::uint8_t {
    simulated,   // Nothing leaves the server.
    unofficial,  // As a linked device of a person's phone, which the platform does not permit.
    official,    // By the platform's interface for businesses.
    custom,      // A program of the operator: the server knows nothing about it.
};
[[nodiscard]] std::string_view to_string(ConnectorKind kind) noexcept;

/// The connector of the official platform.
inline constexpr std::string_view cloud_connector = "cloud";

/// The kinds of the built-in connectors. A worker cannot have the name of one.
struct KnownConnector {
    std::string_view name;
    ConnectorKind kind;
};
inline constexpr std::array known_connectors{
    KnownConnector{.name = "simulator", .kind = ConnectorKind::simulated},
    KnownConnector{.name = "linked", .kind = ConnectorKind::unofficial},
    KnownConnector{.name = cloud_connector, .kind = ConnectorKind::official},
};

[[nodiscard]] ConnectorKind kind_of_connector(std::string_view name) noexcept;

/// Whether nobody gets the messages of its devices.
[[nodiscard]] inline bool is_simulated(std::string_view connector) noexcept {
    return kind_of_connector(connector) == ConnectorKind::simulated;
}

/// Whether the platform permits it. Empty: the server does not know, or there is no platform.
[[nodiscard]] std::optional<bool> is_official(ConnectorKind kind) noexcept;

}  // namespace merpati::model
