// The connectors of one process, by name.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "connector/connector.hpp"

namespace merpati::connector {

/// Owns the connectors that were configured. Filled before anything starts, not changed afterwards.
class Connectors {
public:
    void add(std::string name, std::unique_ptr<Connector> connector) {
        connectors_.insert_or_assign(std::move(name), std::move(connector));
    }

    /// Null when this server has no connector of that name.
    [[nodiscard]] Connector* find(std::string_view name) const noexcept;

    /// The state in which a new device of that connector begins. Errors: refused (no such
    /// connector here; names those that are).
    [[nodiscard]] Result<model::DeviceState> first_state(std::string_view name,
                                                         model::PhoneNumber device) const;

    /// For whoever asked for one that is not here.
    [[nodiscard]] std::unexpected<Error> missing(std::string_view name) const;

    /// What one connector reports to, and where it keeps what it knows of its devices.
    struct Door {
        ConnectorEvents& events;
        DeviceSecrets& secrets;
    };
    using Doors = std::function<Door(std::string_view name)>;
    using Refused = std::function<void(std::string_view name, const Error&)>;

    /// Starts all of them, each with its door. One that does not start is told to `refused`, and
    /// Unavailable takes its place.
    void start(const Doors& doors, const Refused& refused);
    /// Stops all of them. Idempotent.
    void stop();

private:
    std::map<std::string, std::unique_ptr<Connector>, std::less<>> connectors_;
};

}  // namespace merpati::connector
