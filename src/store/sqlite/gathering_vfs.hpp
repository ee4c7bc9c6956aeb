// An SQLite VFS that combines writes to the write-ahead log.
#pragma once

namespace merpati::store::sqlite {

/// Registers the VFS on the first call, and returns its name, for the connection that writes.
///
/// Operation: SQLite writes each page of a commit to the log in two calls, a header and the page.
/// This VFS combines adjacent writes into one, at the latest before the sync that makes the commit
/// durable. All other files use the system's VFS directly.
///
/// Correctness: SQLite lets no connection read a frame before the sync of its commit (synchronous =
/// FULL), and reads of this connection flush first. A failed write is reported by the sync, so the
/// commit fails.
///
/// Limits: at most 124 KiB are combined.
[[nodiscard]] const char* gathering_vfs() noexcept;

}  // namespace merpati::store::sqlite
