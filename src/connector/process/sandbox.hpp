// Confines a worker: which files it may open, and which system calls it may make.
#pragma once

#include <filesystem>
#include <vector>

#include "base/file_descriptor.hpp"

namespace merpati::connector::process {

/// The files and folders that a worker may open; a folder includes everything below it. Paths that
/// do not exist are ignored. Empty: all that its user may open.
struct Sandbox {
    std::vector<std::filesystem::path> readable;  // To read and to execute.
    std::vector<std::filesystem::path> writable;  // To read and to execute too.

    [[nodiscard]] bool is_empty() const noexcept { return readable.empty() && writable.empty(); }
};

/// Installs a permanent system-call filter (seccomp) for this process and all that it starts. It
/// forbids what would reach other processes of the same user: new Unix sockets (so also the
/// gateway's management socket and abstract sockets), signals to any process but this one and its
/// process group, tracing, access to the memory of others, and io_uring, which bypasses the filter.
/// It also forbids to change files that Landlock protects only from being opened: truncate(2), and
/// all calls that set modes, owners or extended attributes. Forbidden calls fail with EPERM;
/// sockets that are open already still work. Needs no_new_privs. Safe after a fork. False: the
/// kernel has no such filters, or the machine is neither x86-64 nor aarch64.
[[nodiscard]] bool forbid_calls() noexcept;

/// A Landlock ruleset; -1 if the sandbox is empty, the kernel has no Landlock, or the system lacks
/// descriptors or memory (errno).
[[nodiscard]] FileDescriptor make_ruleset(const Sandbox& sandbox);

/// Applies the ruleset permanently to this process and all that it starts: they can open nothing
/// else, and trace no process outside. Needs no_new_privs. Safe after a fork. False: it is not
/// confined.
[[nodiscard]] bool confine(int ruleset) noexcept;

}  // namespace merpati::connector::process
