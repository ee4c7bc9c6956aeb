// Confines a worker to the files that it needs.
#pragma once

#include <filesystem>
#include <vector>

#include "base/file_descriptor.hpp"

namespace merpati::connector::process {

/// The files and folders that a worker may open; a folder includes everything below it. Paths that
/// do not exist are ignored. Empty: all that its user may open.
struct Sandbox {
    std::vector<std::filesystem::path> programs;  // To read and to execute.
    std::vector<std::filesystem::path> readable;  // To read.
    /// To read, to write to and to truncate: nothing can be created, removed or renamed there.
    std::vector<std::filesystem::path> writable;
    std::vector<std::filesystem::path> owned;  // Folders: for everything but to execute.

    [[nodiscard]] bool is_empty() const noexcept {
        return programs.empty() && readable.empty() && writable.empty() && owned.empty();
    }
};

/// The version of Landlock that this kernel has; 0: none, or it is switched off. Since version 3 it
/// can withhold truncation, since 5 device controls, since 6 signals and abstract sockets.
[[nodiscard]] int landlock_version() noexcept;

/// A Landlock ruleset; -1 if the sandbox is empty, the kernel has no Landlock, or the system lacks
/// descriptors or memory (errno). Where the kernel can, the ruleset also forbids to listen at TCP
/// ports, and to reach processes and abstract sockets of others.
[[nodiscard]] FileDescriptor make_ruleset(const Sandbox& sandbox);

/// Applies the ruleset permanently to this process and all that it starts: they can open nothing
/// else, and trace no process outside. Needs no_new_privs. Safe after a fork. False: it is not
/// confined.
[[nodiscard]] bool confine(int ruleset) noexcept;

}  // namespace merpati::connector::process
