// The connectors of this program, in one table.
#pragma once

#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "config/settings.hpp"
#include "connector/connectors.hpp"
#include "telemetry/log.hpp"

namespace merpati::daemon {

/// A new connector is a folder in src/connector/ and a row in connectors.cpp.
[[nodiscard]] std::vector<std::string_view> connector_names();

/// All of them, not started.
[[nodiscard]] connector::Connectors make_connectors(const Clock& clock,
                                                    const config::Settings& settings,
                                                    const telemetry::Log& log);

}  // namespace merpati::daemon
