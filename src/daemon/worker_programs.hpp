// The commands and sandboxes of the separate programs that connectors run.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "config/settings.hpp"
#include "connector/process/program/sandbox.hpp"

namespace merpati::daemon {

/// The path on which packaging/merpati-worker.socket listens.
inline constexpr std::string_view launcher_socket = "/run/merpati-worker.sock";

/// The PATH of this process, which workers get too.
[[nodiscard]] std::string search_path();

/// The command of the worker of linked devices: linked.command if it is set, otherwise Node.js with
/// the worker that was installed with this program or built beside it. A Node.js in the worker's
/// folder is preferred to the one in PATH. Errors: not_found, with a sentence that says what to do.
[[nodiscard]] Result<std::vector<std::string>> linked_command(const config::LinkedSettings& linked);
/// The same, for a gateway program in `folder` and a PATH of `path`.
[[nodiscard]] Result<std::vector<std::string>> linked_command(const config::LinkedSettings& linked,
                                                              const std::filesystem::path& folder,
                                                              const std::string& path);

/// Variables that make glibc's allocator return freed memory to the system: with a hundred devices
/// the worker then keeps a third less. Other C libraries ignore them.
[[nodiscard]] std::vector<std::string> linked_environment();

/// The files that the installed worker of linked devices may open: the system's programs and
/// libraries, Node.js, the worker, certificates and media files; not the store, its key or the
/// settings. It may write only to the files that the gateway has made for received media. Empty if
/// linked.command is set, because its needs are unknown.
[[nodiscard]] connector::process::Sandbox linked_sandbox(const std::vector<std::string>& command,
                                                         const config::Settings& settings);

/// The command of the converter in the folder of the worker of linked devices. Errors: not_found.
[[nodiscard]] Result<std::vector<std::string>> linked_converter(
    const config::LinkedSettings& linked);
/// The files that the converter may open: those of `linked_sandbox`, and those of `folder`. Empty
/// if linked.command is set.
[[nodiscard]] connector::process::Sandbox converter_sandbox(const std::vector<std::string>& command,
                                                            const config::Settings& settings,
                                                            connector::process::Sandbox folder);

/// The command of an operator's worker. A program name with a slash is relative to the worker's
/// folder.
[[nodiscard]] std::vector<std::string> worker_command(const config::WorkerSettings& worker);

}  // namespace merpati::daemon
