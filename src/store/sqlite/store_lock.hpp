// Locks a store: one process at a time, whatever path it uses.
#pragma once

#include <filesystem>

#include "base/error.hpp"
#include "base/file_descriptor.hpp"

namespace merpati::store::sqlite {

/// Two exclusive flocks, released by the destructor or with the process: one on the database file
/// itself, to which a symbolic link or a bind mount leads as well, and one on PATH.lock, which
/// remains if the database file is replaced under a running server.
///
/// SQLite's own locks are POSIX locks, which a process loses when it closes any descriptor of the
/// file: destroy this after the last connection.
class StoreLock {
public:
    /// Creates the files if they are missing (mode 0600); without `create`, only PATH.lock of a
    /// store that exists. Errors: not_found (without `create`), busy, refused (the file has a
    /// second name, beside which SQLite would keep a second log), io_failed.
    [[nodiscard]] static Result<StoreLock> take(const std::filesystem::path& path, bool create);

private:
    StoreLock(FileDescriptor lock_file, FileDescriptor database)
        : lock_file_(std::move(lock_file)), database_(std::move(database)) {}

    FileDescriptor lock_file_;
    FileDescriptor database_;
};

}  // namespace merpati::store::sqlite
