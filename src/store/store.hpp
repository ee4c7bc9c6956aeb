// The durable queue: one interface, an engine per database, one conformance suite for all.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "base/error.hpp"
#include "store/condition.hpp"
#include "store/ledger.hpp"
#include "store/reader.hpp"
#include "store/tables.hpp"
#include "store/write_batch.hpp"

namespace merpati::store {

/// A store, open in one process at a time (open_store refuses a second one).
///
/// Threads: `write`, `checkpoint` and `look_at_disk` from the committer's thread alone; everything
/// else from any.
class Store {
public:
    virtual ~Store() = default;

    /// Runs the batch as one transaction, and makes it durable (fsync) before it returns. Results
    /// are in the batch's elements afterwards, also of elements that damage kept from being
    /// written; it does not affect the others.
    ///
    /// Errors: busy: the disk is full and nothing of the batch was written. Accepts and changes are
    /// refused, each in its result; all other elements may be written again. store_failed, damaged:
    /// no caller may be answered and the process must stop, because what is on disk is unknown.
    [[nodiscard]] virtual Result<void> write(WriteBatch& batch) = 0;

    [[nodiscard]] virtual Result<std::unique_ptr<Reader>> open_reader() = 0;

    /// Moves committed pages from the log into the database file; called when no work waits. Pages
    /// that a reader still needs stay in the log. Errors: store_failed, as for `write`.
    [[nodiscard]] virtual Result<void> checkpoint() = 0;

    /// Updates the condition with the free space of the disk; called while nothing is written.
    virtual void look_at_disk() = 0;

    /// What requests are compared by and kept as: it tells nothing of the text to whoever has the
    /// store without its key. The same for as long as the store has that key.
    [[nodiscard]] virtual Sha256 fingerprint(std::string_view text) const = 0;

    /// Faults that were found so far.
    [[nodiscard]] virtual const Condition& condition() const noexcept = 0;

    /// The store's size on its disk, log included; 0: unknown.
    [[nodiscard]] virtual std::uint64_t bytes_on_disk() const = 0;

    /// Writes a consistent copy to `file`, which must not exist, while the store is in use.
    /// Errors: conflict (exists), io_failed.
    [[nodiscard]] virtual Result<void> backup(const std::filesystem::path& file) = 0;
};

struct StoreOptions {
    std::string url = "sqlite:merpati.db";
    std::filesystem::path key_file;  // Empty: the SQLite file's path with ".key" appended.
    bool create = true;              // False: a missing store is an error instead.
    bool migrate = true;             // False: an older schema is an error instead.
    /// Disk space reserved for outcomes (disk_room.hpp); 0: none, for commands that write little.
    std::uint64_t reserve_bytes = 0;
    /// Free bytes of a folder's disk. Empty: asks the system. Tests set it.
    std::function<std::optional<std::uint64_t>(const std::filesystem::path& folder)> free_bytes{};
};

/// Opens the store (creates it if it is missing and `create` is set), migrates its schema, and
/// verifies that its durability settings are in force.
/// Errors: invalid_argument (URL), not_found (no store, and `create` is false), busy (another
/// process has it open, by whatever path), refused (the file has a second name), store_failed,
/// damaged, conflict (the schema is newer than this program; the key file is missing or belongs to
/// another store: the detail names it).
[[nodiscard]] Result<std::unique_ptr<Store>> open_store(const StoreOptions& options);

enum class Depth : std::uint8_t {
    quick,  // Checks every page.
    deep,   // Also compares indexes with their tables.
};

struct Integrity {
    std::vector<std::string> damages;  // In the engine's words, the first few.
    std::vector<LedgerFault> ledger_faults;
    bool complete = true;  // False: the time was up before all was checked.
};

/// Checks a store, which may be open elsewhere, and changes nothing: its pages, then each account's
/// ledger against its balance and messages. Takes about a second for each gigabyte (quick), some
/// ten times as long (deep), and no longer than `time_max`.
/// Errors: invalid_argument (URL), store_failed.
[[nodiscard]] Result<Integrity> check_integrity(const std::string& url, Depth depth,
                                                const Clock& clock,
                                                std::chrono::milliseconds time_max);

}  // namespace merpati::store
