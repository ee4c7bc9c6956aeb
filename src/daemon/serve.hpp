// Implements `merpati serve`.
#pragma once

#include <map>
#include <string>

#include "config/load.hpp"
#include "daemon/gateway.hpp"

namespace merpati::daemon {

/// Reads what systemd set in the environment.
[[nodiscard]] Supervisor supervisor_of(const std::map<std::string, std::string>& environment);

/// Runs the gateway until SIGTERM, SIGINT or SIGHUP (unless that is ignored), then stops it in
/// order. A second signal ends the process at once; what is in the store is safe either way.
///
/// Returns the exit code of the process: 0 after an orderly stop; if it could not start, 65 for a
/// damaged store and 1 for any other reason, which is logged on standard error. A store that fails
/// later ends the process (Gateway).
[[nodiscard]] int serve(const config::Loaded& loaded, const Supervisor& supervisor);

}  // namespace merpati::daemon
