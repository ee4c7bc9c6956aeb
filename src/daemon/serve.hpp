// `merpati serve`.
#pragma once

#include <map>
#include <string>

#include "config/load.hpp"
#include "daemon/gateway.hpp"

namespace merpati::daemon {

/// As systemd says in the environment.
[[nodiscard]] Supervisor supervisor_of(const std::map<std::string, std::string>& environment);

/// Runs the gateway until SIGTERM or SIGINT, then stops it in order. A second signal ends it at
/// once; what is in the store is safe either way.
///
/// Returns the exit code of the process: 0 after an orderly stop; 65 if it could not start because
/// the store is damaged, 1 for any other reason, which is on standard error. A store that fails
/// later ends the process (Gateway).
[[nodiscard]] int serve(const config::Loaded& loaded, const Supervisor& supervisor);

}  // namespace merpati::daemon
