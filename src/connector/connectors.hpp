// The connectors of one process, by name.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "connector/connector.hpp"

namespace merpati::connector {

/// Owns the connectors that were configured. Filled before anything starts, not changed afterwards.
class Connectors {
public:
    /// `pace`: how fast a new device of it sends unless somebody says otherwise.
    void add(const std::string& name, std::unique_ptr<Connector> connector,
             const model::Pace& pace = {}) {
        connectors_.insert_or_assign(name, std::move(connector));
        paces_.insert_or_assign(name, pace);
    }

    /// Null when this server has no connector of that name.
    [[nodiscard]] Connector* find(std::string_view name) const noexcept;

    /// Sets the state and the pace with which a new device of `device.connector` begins. Errors:
    /// refused (no such connector here; names those that are).
    [[nodiscard]] Result<void> prepare(model::Device& device) const;

    [[nodiscard]] std::vector<std::string> names() const;

    /// For whoever asked for one that is not here.
    [[nodiscard]] std::unexpected<Error> missing(std::string_view name) const;

    /// What one connector reports to, and where it keeps what it knows of its devices.
    struct Door {
        ConnectorEvents& events;
        DeviceSecrets& secrets;
    };
    using Doors = std::function<Door(std::string_view name)>;
    using Refused = std::function<void(std::string_view name, const Error&)>;

    /// Starts all of them, each with its door. One that does not start is passed to `refused`, and
    /// Unavailable takes its place.
    void start(const Doors& doors, const Refused& refused);
    /// Stops all of them, side by side: one that takes long holds up no other. Idempotent.
    void stop();

    /// Those of which no device can work at this moment, and why. Any thread, once `start` is done.
    [[nodiscard]] std::map<std::string, std::string, std::less<>> troubles() const;

private:
    std::map<std::string, std::unique_ptr<Connector>, std::less<>> connectors_;
    std::map<std::string, model::Pace, std::less<>> paces_;  // Of the same names.
};

}  // namespace merpati::connector
