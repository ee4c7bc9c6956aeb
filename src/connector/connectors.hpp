// Owns the connectors of one process, by name.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "connector/connector.hpp"

namespace merpati::connector {

/// Operation: `add` all connectors, then `start`, which may replace some by Unavailable. Nothing
/// changes afterwards.
///
/// Threads: `add`, `start` and `stop` one at a time; the rest from any, once `start` has returned.
class Connectors {
public:
    /// `pace`: the pace of the connector's new devices, unless another is chosen.
    void add(const std::string& name, std::unique_ptr<Connector> connector,
             const model::Pace& pace = {}) {
        connectors_.insert_or_assign(name, std::move(connector));
        paces_.insert_or_assign(name, pace);
    }

    /// Null: this server has no connector of that name.
    [[nodiscard]] Connector* find(std::string_view name) const noexcept;

    /// Sets the first state and the pace of a new device of `device.connector`. Errors: refused (no
    /// such connector; the text names those that exist).
    [[nodiscard]] Result<void> prepare(model::Device& device) const;

    [[nodiscard]] std::vector<std::string> names() const;

    /// Calls `each` with every name and connector, by name.
    template <class Each>
    void for_each(Each each) const {
        for (const auto& [name, connector] : connectors_) {
            each(name, std::as_const(*connector));
        }
    }

    /// The error (refused) for a name that this server has no connector of.
    [[nodiscard]] std::unexpected<Error> missing(std::string_view name) const;

    /// Where one connector reports to and keeps its devices' secrets.
    struct Door {
        ConnectorEvents& events;
        DeviceSecrets& secrets;
    };
    using Doors = std::function<Door(std::string_view name)>;
    using Refused = std::function<void(std::string_view name, const Error&)>;

    /// Starts all connectors, each with its door. Calls `refused` for one that does not start, and
    /// replaces it by Unavailable.
    void start(const Doors& doors, const Refused& refused);
    /// Stops all connectors in parallel, so that a slow one delays no other. Idempotent.
    void stop();

    /// The connectors of which no device can work now, with the reason.
    [[nodiscard]] std::map<std::string, std::string, std::less<>> troubles() const;

private:
    std::map<std::string, std::unique_ptr<Connector>, std::less<>> connectors_;
    std::map<std::string, model::Pace, std::less<>> paces_;  // By the same names.
};

}  // namespace merpati::connector
