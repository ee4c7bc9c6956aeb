// Who has the store open: one process, whatever path it used.
#pragma once

#include <filesystem>

#include "base/error.hpp"

namespace merpati::store::sqlite {

/// Two exclusive flocks, held for the life of the object and gone with the process, however it
/// ends: on the database file itself, which a symbolic link or a bind mount leads to as well, and
/// on PATH.lock, which still stands where the file is replaced under a running server.
///
/// SQLite's own locks are POSIX locks, which a process loses when it closes any descriptor of the
/// file: let go of this only after the last connection.
class StoreLock {
public:
    /// Makes both files (mode 0600) where they are not there; without `create`, neither.
    /// Errors: not_found (without `create`), busy, refused (the file has a second name, and SQLite
    /// would keep a second log beside that), io_failed.
    [[nodiscard]] static Result<StoreLock> take(const std::filesystem::path& path, bool create);

    StoreLock(StoreLock&& other) noexcept;
    StoreLock(const StoreLock&) = delete;
    StoreLock& operator=(const StoreLock&) = delete;
    StoreLock& operator=(StoreLock&&) = delete;
    ~StoreLock();

private:
    StoreLock(int lock_file, int database) : lock_file_(lock_file), database_(database) {}

    int lock_file_;
    int database_;
};

}  // namespace merpati::store::sqlite
