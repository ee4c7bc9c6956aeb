// Which programs connectors run that are no part of this one.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "config/settings.hpp"
#include "connector/process/sandbox.hpp"

namespace merpati::daemon {

/// Where packaging/merpati-worker.socket listens.
inline constexpr std::string_view launcher_socket = "/run/merpati-worker.sock";

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

/// Settings of the C library's allocator, with which the worker gives memory back: a third of what
/// it would keep with a hundred devices. Other C libraries ignore them.
[[nodiscard]] std::vector<std::string> linked_environment();

/// What the installed worker of linked devices may open: the system's programs and libraries,
/// Node.js and itself, certificates, and media files; not the store, its key, or settings.
[[nodiscard]] connector::process::Sandbox linked_sandbox(const std::vector<std::string>& command,
                                                         const config::Settings& settings);

/// The command of the converter that stands beside the worker of linked devices. Errors: not_found.
[[nodiscard]] Result<std::vector<std::string>> linked_converter(
    const config::LinkedSettings& linked);
/// What it may open: what Node.js needs, and this folder.
[[nodiscard]] connector::process::Sandbox converter_sandbox(const std::vector<std::string>& command,
                                                            const config::Settings& settings,
                                                            connector::process::Sandbox folder);

/// The command of an operator's worker; a program that is named by a relative path is in its
/// folder.
[[nodiscard]] std::vector<std::string> worker_command(const config::WorkerSettings& worker);

}  // namespace merpati::daemon
