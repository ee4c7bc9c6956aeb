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
/// Answers the process's exit code: 0
/// after an orderly stop, 1 when it could not start (the reason is on standard error).
[[nodiscard]] int serve(const config::Loaded& loaded, const Supervisor& supervisor);

}  // namespace merpati::daemon
