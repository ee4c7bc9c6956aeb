// Locks a file against other processes.
#pragma once

#include <string>

#include "base/error.hpp"
#include "base/file_descriptor.hpp"

namespace merpati::store {

/// Takes an exclusive flock on the file, which the descriptor holds until it is closed or the
/// process ends. `create`: whether a missing file is made (mode 0600). Errors: not_found (without
/// `create`), busy (another process has it), io_failed.
[[nodiscard]] Result<FileDescriptor> lock_file(const std::string& path, bool create);

}  // namespace merpati::store
