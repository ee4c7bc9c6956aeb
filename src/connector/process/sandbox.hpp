// What a worker may open of the file system.
#pragma once

#include <filesystem>
#include <vector>

#include "base/file_descriptor.hpp"

namespace merpati::connector::process {

/// Nothing named: everything that its user may. Folders with all that is below; what does not exist
/// is left out.
struct Sandbox {
    std::vector<std::filesystem::path> readable;  // Read and executed.
    std::vector<std::filesystem::path> writable;

    [[nodiscard]] bool is_empty() const noexcept { return readable.empty() && writable.empty(); }
};

/// Takes from this process, for good, and from all that it starts, what a worker never needs, and
/// what it could reach others of its user with: Unix sockets, hence the gateway's management socket
/// and abstract ones, signals to processes outside its own, and a look into their memory. A call
/// fails with EPERM. It keeps the sockets that it was given. Needs no_new_privs. Safe after a fork.
/// False: the kernel has no filters, or knows this machine's calls by other numbers.
[[nodiscard]] bool forbid_calls() noexcept;

/// A Landlock ruleset, or none (-1) where nothing is named or the kernel has no Landlock.
[[nodiscard]] FileDescriptor make_ruleset(const Sandbox& sandbox);

/// Confines this process, for good, and all that it starts: they open nothing else, and trace no
/// process outside. Needs no_new_privs. Safe after a fork. False: it is not confined.
[[nodiscard]] bool confine(int ruleset) noexcept;

}  // namespace merpati::connector::process
