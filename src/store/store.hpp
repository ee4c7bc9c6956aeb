// The durable queue: one interface, an engine per database, one conformance suite for all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "store/condition.hpp"
#include "store/reader.hpp"
#include "store/tables.hpp"
#include "store/write_batch.hpp"

namespace merpati::store {

/// One store, opened by one process (SQLite) or shared by several (PostgreSQL).
///
/// Threads: `write` from the committer's thread alone; `open_reader` and `backup` from any.
class Store {
public:
    virtual ~Store() = default;

    /// Runs the batch as one transaction and makes it durable (fsync) before it returns. Results
    /// stand in the batch's elements afterwards, also those of elements that damage kept from being
    /// written; the others are not touched by that.
    ///
    /// Errors: busy: the disk is full and nothing of the batch is on it. Accepts and changes are
    /// refused, each in its result; all other elements may be written again. store_failed, damaged:
    /// nobody may be answered, and the process must stop: what is on disk is unknown.
    [[nodiscard]] virtual Result<void> write(WriteBatch& batch) = 0;

    [[nodiscard]] virtual Result<std::unique_ptr<Reader>> open_reader() = 0;

    /// Moves committed pages from the log into the database file; called when no work waits. That a
    /// reader still needs the log is no failure. Errors: store_failed, as of `write`.
    [[nodiscard]] virtual Result<void> checkpoint() = 0;

    /// Sees how much room the disk has; called now and then while nothing is written.
    virtual void look_at_disk() = 0;

    /// What is wrong, as far as is known. From any thread.
    [[nodiscard]] virtual const Condition& condition() const noexcept = 0;

    /// What the store takes of its disk just now, log included; 0 where that is not ours to see.
    /// From any thread.
    [[nodiscard]] virtual std::uint64_t bytes_on_disk() const = 0;

    /// Writes a consistent copy to `file`, which must not exist, while the store is in use.
    /// Errors: conflict (exists), io_failed.
    [[nodiscard]] virtual Result<void> backup(const std::filesystem::path& file) = 0;
};

struct StoreOptions {
    std::string url = "sqlite:merpati.db";
    std::filesystem::path key_file;  // Empty: beside the SQLite file, with ".key" appended.
    bool create = true;              // False: a store that is not there is an error instead.
    bool migrate = true;             // False: an older schema is an error instead.
    /// Room on the disk that is kept for outcomes (disk_room.hpp); 0: none, as commands do that
    /// write little.
    std::uint64_t reserve_bytes = 0;
    /// Free bytes of a folder's disk. Empty: asks the system. Tests answer themselves.
    std::function<std::optional<std::uint64_t>(const std::filesystem::path& folder)> free_bytes{};
};

/// Opens (and at first creates) the store, brings its schema up to date, verifies that its
/// durability settings really hold. Without `create`, nothing is made where no store is.
/// Errors: invalid_argument (URL), not_found (no store there, and `create` is false), busy (another
/// process has it open, whatever path it used), refused (the file has a second name), store_failed,
/// damaged, conflict (schema newer than this program, or key file missing or not the store's: the
/// detail names it).
[[nodiscard]] Result<std::unique_ptr<Store>> open_store(const StoreOptions& options);

}  // namespace merpati::store
