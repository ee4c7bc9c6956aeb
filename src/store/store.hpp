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
#include "base/error.hpp"
#include "store/condition.hpp"
#include "store/fingerprints.hpp"
#include "store/ledger.hpp"
#include "store/reader.hpp"
#include "store/reader_source.hpp"
#include "store/tables.hpp"
#include "store/write_batch.hpp"

namespace merpati::store {

class Nodes;
class RowJournal;

/// A store, open in one process at a time (open_store refuses a second one).
///
/// Threads: only the committer's thread calls `write`, `maintain`, `checkpoint` and `look_at_disk`;
/// any thread may call the rest.
class Store : public ReaderSource, public Fingerprints {
public:
    /// Writes the batch as one transaction, and makes it durable (fsync) before it returns. Each
    /// element then holds its result. An empty batch only finds out whether the database is there.
    ///
    /// Damage: an element that meets damage is not written, nor are others that would meet the same
    /// damage (outcomes of its lane, accepts of its device); their results say so. All others are
    /// written, with two exceptions: changes without `lasting` are refused as busy, and accepts
    /// that had been refused for what they read (credit, idempotency key) report `damaged`.
    ///
    /// Errors: busy: the disk is full, or another program has locked the store for some seconds,
    /// and nothing of the batch was written. Accepts, and changes without `lasting`, are refused in
    /// their results; the caller may write all other elements again. unavailable: the database is
    /// away, and nothing was written (but see WriteBatch::undecided); the elements have no results,
    /// and the caller may write them again. fenced: another node has taken over what this one
    /// owned; nothing was written or ever will be, and the process must stop. store_failed,
    /// damaged: the state on disk is unknown, so no caller may be answered and the process must
    /// stop.
    [[nodiscard]] virtual Result<void> write(WriteBatch& batch) = 0;

    /// Moves committed pages from the log into the database file, on a thread of its own if there
    /// are many. Called after the results of each batch were reported, and with `is_idle` when no
    /// work waits. Pages that a reader still needs stay in the log, and all pages do if the disk is
    /// full. Errors: store_failed, damaged, as for `write`, also of the other thread.
    [[nodiscard]] virtual Result<void> maintain(bool is_idle) = 0;

    /// Moves all committed pages before it returns; for the end of a process. Errors: as
    /// `maintain`.
    [[nodiscard]] virtual Result<void> checkpoint() = 0;

    /// Updates the condition with the free space of the disk; called while nothing is written.
    virtual void look_at_disk() = 0;

    /// Null: no other process can share the store, and this one owns every account.
    [[nodiscard]] virtual Nodes* nodes() noexcept { return nullptr; }
    /// Null: the same.
    [[nodiscard]] virtual RowJournal* row_journal() noexcept { return nullptr; }

    /// Free disk space, and the damage found so far.
    [[nodiscard]] virtual const Condition& condition() const noexcept = 0;

    /// The store's size on its disk, log included; 0: unknown.
    [[nodiscard]] virtual std::uint64_t bytes_on_disk() const = 0;

    /// Writes a consistent copy to `file`, which must not exist, while the store is in use.
    /// Errors: conflict (exists), io_failed, store_failed (also if the disk of the copy is full),
    /// damaged.
    [[nodiscard]] virtual Result<void> backup(const std::filesystem::path& file) = 0;
};

struct StoreOptions {
    std::string url = "sqlite:merpati.db";
    std::filesystem::path key_file;  // Empty: the SQLite file's path with ".key" appended.
    /// With PostgreSQL: one process of this machine at a time has this file and the store. Empty:
    /// any number may open it. An SQLite file has a lock of its own.
    std::filesystem::path lock_file{};
    bool create = true;   // False: a missing store is an error.
    bool migrate = true;  // False: an older schema is an error.
    /// Disk space reserved for outcomes (disk_room.hpp); 0: none, for commands that write little.
    std::uint64_t reserve_bytes = 0;
    Condition::OnDamage on_damage{};  // For the operator's log; may be empty.
    /// False: PostgreSQL may run without syncing (fsync), for tests.
    bool must_sync = true;
    /// How long a write waits while another program has locked the store.
    std::chrono::milliseconds lock_wait{5'000};
    /// Free bytes of a folder's disk. Empty: asks the system. Tests set it.
    std::function<std::optional<std::uint64_t>(const std::filesystem::path& folder)> free_bytes{};
};

/// Opens the store (creates it if it is missing and `create` is set), migrates its schema, and
/// verifies that its durability settings are in force.
/// Errors: invalid_argument (URL), not_found (no store, and `create` is false), busy (another
/// process has it open, under any path), unavailable (the database cannot be reached), refused (the
/// file has a second hard link), io_failed (a file cannot be opened or created), store_failed,
/// damaged, conflict (the schema is newer than this program, or older and `migrate` is false; the
/// file is another program's database; the key file is missing, malformed or another store's: the
/// detail names it).
[[nodiscard]] Result<std::unique_ptr<Store>> open_store(const StoreOptions& options);

enum class Depth : std::uint8_t {
    quick,  // Checks every page.
    deep,   // Also compares indexes with their tables.
};

/// A campaign whose counts do not agree with its recipients.
struct CampaignFault {
    model::CampaignId campaign;
    std::string what;  // For operators.
};

struct Integrity {
    std::vector<std::string> damages;  // In the engine's words, the first few.
    std::vector<LedgerFault> ledger_faults;
    std::vector<CampaignFault> campaign_faults;
    bool complete = true;  // False: `time_max` passed before everything was checked.
};

/// Checks a store, which may be open elsewhere, and changes nothing: first its pages, then, if they
/// are sound, each account's ledger against its balance, messages and campaigns, and the counts of
/// campaigns against their recipients. Takes about a second for each gigabyte (quick) or ten
/// seconds (deep), at most `time_max`. Pages and indexes of PostgreSQL are not checked here: its
/// own programs do that. Errors: invalid_argument (URL), unavailable, store_failed.
[[nodiscard]] Result<Integrity> check_integrity(const std::string& url, Depth depth,
                                                const Clock& clock,
                                                std::chrono::milliseconds time_max);

}  // namespace merpati::store
