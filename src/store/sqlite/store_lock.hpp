// Locks a store: one process at a time, under any path.
#pragma once

#include <filesystem>

#include "base/error.hpp"
#include "base/file_descriptor.hpp"

namespace merpati::store::sqlite {

/// Two exclusive flocks, released by the destructor or when the process ends. One is on the
/// database file itself, which symbolic links and bind mounts lead to as well. The other is on
/// PATH.lock, and stays effective if the database file is replaced under a running server.
///
/// SQLite's own locks are POSIX locks, which a process loses when it closes any descriptor of the
/// file. Therefore destroy this object after the last connection.
class StoreLock {
public:
    /// Creates missing files (mode 0600); without `create`, only PATH.lock of an existing store.
    /// Errors: not_found (without `create`), busy, refused (the file has a second hard link, under
    /// which SQLite would keep a second log), io_failed.
    [[nodiscard]] static Result<StoreLock> take(const std::filesystem::path& path, bool create);

private:
    StoreLock(FileDescriptor lock_file, FileDescriptor database)
        : lock_file_(std::move(lock_file)), database_(std::move(database)) {}

    FileDescriptor lock_file_;
    FileDescriptor database_;
};

}  // namespace merpati::store::sqlite
