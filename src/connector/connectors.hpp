// The connectors of one process, by platform.
#pragma once

#include <array>
#include <memory>

#include "connector/connector.hpp"
#include "model/device.hpp"

namespace merpati::connector {

/// Owns the connectors that were configured. Filled before anything starts, not changed afterwards.
class Connectors {
public:
    void add(model::ConnectorKind kind, std::unique_ptr<Connector> connector) {
        at(kind) = std::move(connector);
    }

    /// Null when this server has no connector of that kind.
    [[nodiscard]] Connector* find(model::ConnectorKind kind) const noexcept {
        return connectors_[static_cast<std::size_t>(kind)].get();
    }

private:
    [[nodiscard]] std::unique_ptr<Connector>& at(model::ConnectorKind kind) {
        return connectors_[static_cast<std::size_t>(kind)];
    }

    std::array<std::unique_ptr<Connector>, 3> connectors_;
};

}  // namespace merpati::connector
