// Implements `merpati serve`.
#pragma once

#include <map>
#include <string>

#include "config/load.hpp"
#include "daemon/gateway.hpp"

namespace merpati::daemon {

/// Reads what systemd set in the environment.
[[nodiscard]] ServiceManager service_manager_of(
    const std::map<std::string, std::string>& environment);

/// Runs the gateway until SIGTERM, SIGINT or SIGHUP (unless that is ignored), then stops it in
/// order. A second signal ends the process at once; what is in the store is safe either way.
///
/// Returns the exit code of the process: 0 after an orderly stop; if it could not start, that of
/// `exit_code_of`, and the reason is logged on standard error. A store that fails later ends the
/// process (Gateway).
[[nodiscard]] int serve(const config::Loaded& loaded, const ServiceManager& service_manager);

/// The exit code of a process that could not start. Where nothing but an operator can help, it is
/// one with which the packaged unit does not start it again: 2, 65 or 78. Otherwise 1, or 75.
[[nodiscard]] int exit_code_of(const Error& why);

}  // namespace merpati::daemon
