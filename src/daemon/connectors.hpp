// Creates the connectors of this program, from one table.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/random.hpp"
#include "config/settings.hpp"
#include "connector/connectors.hpp"
#include "telemetry/log.hpp"

namespace merpati::daemon {

/// The names of the built-in connectors, without the workers that settings name. A new connector is
/// a folder in src/connector/ and a row in connectors.cpp, or a worker.
[[nodiscard]] std::vector<std::string_view> connector_names();

/// What connectors are made of.
struct ConnectorParts {
    const Clock& clock;
    Random& random;
    const config::Settings& settings;
    /// Whether this process may begin anything now (daemon/node.hpp). Empty: always.
    std::function<bool()> may_begin{};
};

/// Creates the built-in connectors and the workers that the settings name. Starts none of them.
[[nodiscard]] connector::Connectors make_connectors(const ConnectorParts& parts,
                                                    const telemetry::Log& log);

}  // namespace merpati::daemon
