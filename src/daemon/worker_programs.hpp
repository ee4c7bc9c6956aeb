// Which programs connectors run that are no part of this one.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "config/settings.hpp"

namespace merpati::daemon {

/// The PATH of this process, which workers get too.
[[nodiscard]] std::string search_path();

/// The command of linked devices: the setting's; or node and the worker that was installed with, or
/// built beside, this program. A node that was installed with the worker is preferred to the
/// system's. Errors: not_found, with what to do.
[[nodiscard]] Result<std::vector<std::string>> linked_command(const config::LinkedSettings& linked);
/// As above, for a program in `folder`.
[[nodiscard]] Result<std::vector<std::string>> linked_command(const config::LinkedSettings& linked,
                                                              const std::filesystem::path& folder,
                                                              const std::string& path);

/// The command of an operator's worker; a program that is named by a relative path is in its
/// folder.
[[nodiscard]] std::vector<std::string> worker_command(const config::WorkerSettings& worker);

}  // namespace merpati::daemon
