// The connectors of this program, in one table.
#pragma once

#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/random.hpp"
#include "config/settings.hpp"
#include "connector/connectors.hpp"
#include "telemetry/log.hpp"

namespace merpati::daemon {

/// Those of the program itself: a new one is a folder in src/connector/ and a row in
/// connectors.cpp, or a worker.
[[nodiscard]] std::vector<std::string_view> connector_names();

/// All of them, and the workers that the settings name; not started.
[[nodiscard]] connector::Connectors make_connectors(const Clock& clock, Random& random,
                                                    const config::Settings& settings,
                                                    const telemetry::Log& log);

}  // namespace merpati::daemon
