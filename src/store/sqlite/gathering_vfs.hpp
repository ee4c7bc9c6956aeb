// An SQLite VFS that combines writes to the write-ahead log.
#pragma once

namespace merpati::store::sqlite {

/// Registers the VFS on the first call, and returns its name for the writing connection; null if
/// SQLite refuses it.
///
/// Operation: SQLite writes each page of a commit to the log in two calls, a header and the page.
/// This VFS combines adjacent writes into one, at the latest before the sync that makes the commit
/// durable. All other files use the system's VFS directly.
///
/// Correctness: with synchronous = FULL, SQLite lets no other connection read a frame before the
/// sync of its commit, and reads of this connection flush first. A failed write is reported by the
/// call that flushes, at the latest by the sync, so the commit fails.
///
/// Limits: combines up to 124 KiB.
[[nodiscard]] const char* gathering_vfs() noexcept;

}  // namespace merpati::store::sqlite
