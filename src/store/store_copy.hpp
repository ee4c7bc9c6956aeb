// Copies a whole store into another one, of the same engine or another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/random.hpp"

namespace merpati::store {

struct CopyProgress {
    std::string_view table;   // Which is copied now; "": rows are counted.
    std::uint64_t rows = 0;   // That were copied so far, in earlier runs too,
    std::uint64_t total = 0;  // of so many.
};

/// How many rows a table has on both sides.
struct CopiedRows {
    std::string table;
    std::uint64_t source = 0;
    std::uint64_t target = 0;
};

struct CopyReport {
    std::vector<CopiedRows> tables;
    std::filesystem::path key_file;  // Opens the secrets of both.

    /// Whether each table has as many rows on both sides.
    [[nodiscard]] bool is_equal() const noexcept;
    /// Of the target.
    [[nodiscard]] std::uint64_t rows() const noexcept;
};

struct CopyOptions {
    std::string from;  // URLs of stores.
    std::string to;
    /// Of both stores. If it is empty or missing or does not open the source, and that is an SQLite
    /// file, the file's path with ".key" appended is tried.
    std::filesystem::path key_file;
    /// Locked meanwhile: the lock of this machine's processes, if one of the stores is theirs and
    /// in PostgreSQL (StoreOptions). Empty: there is none.
    std::filesystem::path lock_file{};
    /// A node of a database that was silent for longer does not work any more.
    Millis lease{10'000};
    bool must_sync = true;                                   // As in StoreOptions.
    std::size_t batch_rows = 10'000;                         // Of a transaction, at most.
    std::function<void(const CopyProgress&)> on_progress{};  // May be empty.
};

/// Copies everything that belongs to an installation: rows as they are, with their ids, secrets as
/// they are sealed, and the highest ids that were assigned. Files beside the store are not copied.
///
/// Operation: the source is read in the order of its keys, and written in transactions, each with
/// the position that it reaches. So a copy that was interrupted, in whatever way, is continued by
/// the next call with the same stores, without a row that is missing or twice. Until it is
/// complete, nobody else can open the target. At the end the rows of both sides are counted, and
/// only if the counts are the same the target is released. A call for a copy that is complete only
/// counts. Whoever opens the source in between ends the copy: the target must be removed then, and
/// the copy begun anew.
///
/// Nobody else uses the stores meanwhile: an SQLite file is locked; in a database no node may be at
/// work, nodes that are silent are deposed, and a start waits for the copy's end.
///
/// Limits: a batch has about 8 MB, or one row.
///
/// Errors: invalid_argument (URLs; no key file is known), not_found (no source), busy (a store is
/// used by somebody), conflict (the target is not empty, or holds a copy of another source, or the
/// source was used since; another version; the key file is not the source's), those of open_store.
[[nodiscard]] Result<CopyReport> copy_store(const CopyOptions& options, Random& random);

}  // namespace merpati::store
