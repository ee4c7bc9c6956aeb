// An SQLite VFS that syncs the database file in portions.
#pragma once

#include <sqlite3.h>

namespace merpati::store::sqlite {

/// Registers the VFS on the first call, and returns its name for the connection that moves the log;
/// null if SQLite refuses it.
///
/// Operation: a checkpoint writes thousands of pages to the database file, and syncs it at the end.
/// The disk is then busy with all of them, and commits, which sync the log, wait for it. This VFS
/// also syncs the database file after each portion of pages, so that a commit waits for one portion
/// at most. All other files use the system's VFS directly.
///
/// Errors: a sync that fails is reported by the write that began it, so the checkpoint fails.
[[nodiscard]] const char* portioned_vfs() noexcept;

/// Syncs the database file of `connection`, which uses the VFS, after each `pages` from now on.
void set_portion(sqlite3* connection, int pages) noexcept;

}  // namespace merpati::store::sqlite
