// `merpati serve`.
#pragma once

#include <string>

#include "config/load.hpp"

namespace merpati::daemon {

/// Runs the gateway until SIGTERM or SIGINT, then stops it in order. A second signal ends it at
/// once; what is in the store is safe either way.
///
/// `notify_socket`: $NOTIFY_SOCKET, for systemd; may be empty. Answers the process's exit code: 0
/// after an orderly stop, 1 when it could not start (the reason is on standard error).
[[nodiscard]] int serve(const config::Loaded& loaded, const std::string& notify_socket);

}  // namespace merpati::daemon
