// Fewer writes for the write-ahead log.
#pragma once

namespace merpati::store::sqlite {

/// Registers, once, an SQLite VFS for the connection that writes, and answers its name.
///
/// Operation: SQLite writes each page of a commit to the log in two calls, a header and the page.
/// This VFS gathers what follows on each other and hands it to the system in one, at the latest
/// before the sync that makes the commit durable. All files but logs go to the system's own VFS
/// directly.
///
/// Correct because SQLite lets nobody read a frame before the sync of its commit (synchronous =
/// FULL), and reads of this connection see what is gathered. A failed write is reported by the
/// sync, so the commit fails as it should.
///
/// Limits: 124 KiB are gathered at most.
[[nodiscard]] const char* gathering_vfs() noexcept;

}  // namespace merpati::store::sqlite
