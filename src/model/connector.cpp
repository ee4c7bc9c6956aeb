#include "model/connector.hpp"

#include <algorithm>

namespace merpati::model {

std::string_view to_string(ConnectorKind kind) noexcept {
    switch (kind) {
        case ConnectorKind::simulated:
            return "simulated";
        case ConnectorKind::unofficial:
            return "unofficial";
        case ConnectorKind::official:
            return "official";
        case ConnectorKind::custom:
            return "custom";
    }
    return "custom";
}

ConnectorKind kind_of_connector(std::string_view name) noexcept {
    const auto* found = std::ranges::find(known_connectors, name, &KnownConnector::name);
    return found == known_connectors.end() ? ConnectorKind::custom : found->kind;
}

std::optional<bool> is_official(ConnectorKind kind) noexcept {
    switch (kind) {
        case ConnectorKind::unofficial:
            return false;
        case ConnectorKind::official:
            return true;
        case ConnectorKind::simulated:
        case ConnectorKind::custom:
            return std::nullopt;
    }
    return std::nullopt;
}

}  // namespace merpati::model
