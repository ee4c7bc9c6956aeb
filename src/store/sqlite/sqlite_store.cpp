#include "store/sqlite/sqlite_store.hpp"

#include <fcntl.h>
#include <optional>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include "base/file_descriptor.hpp"
#include "store/secret_box.hpp"
#include "store/sqlite/disk_room.hpp"
#include "store/sqlite/message_writer.hpp"
#include "store/sqlite/schema.hpp"
#include "store/sqlite/sqlite_reader.hpp"
#include "store/sqlite/sqlite_tables.hpp"
#include "store/sqlite/store_lock.hpp"
#include "store/sqlite/transaction.hpp"
#include "store/sync_directory.hpp"

namespace merpati::store::sqlite {
namespace {

/// The log is checkpointed when it holds this many pages (32 MiB).
constexpr int log_frames_max = 8'000;

/// The log's index has room for this many pages, because the log grows while a reader, such as a
/// backup, needs it.
constexpr int log_index_frames = 4 * log_frames_max;

/// Sets up the writing connection. Durability settings are read back, because a build or file
/// system that does not provide them must not be trusted with messages.
Result<void> prepare_writer(Connection& connection) {
    connection.execute(
        "PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY;"
        "PRAGMA trusted_schema = OFF; PRAGMA journal_size_limit = 67108864;"
        // Overwrites deleted content if that needs no extra write. Debian's default writes every
        // page that becomes free.
        "PRAGMA secure_delete = FAST");
    const auto journal = connection.query_text("PRAGMA journal_mode = WAL");
    // Checkpoints are explicit, because SQLite does not report failures of automatic checkpoints.
    connection.execute("PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0");
    const auto synchronous = connection.query_text("PRAGMA synchronous");
    if (journal != "wal" || synchronous != "2") {
        return fail(ErrorCode::store_failed,
                    fmt::format("the store cannot be made durable here: journal_mode is '{}' and "
                                "synchronous '{}' (network file systems cannot hold a store)",
                                journal, synchronous));
    }
    return {};
}

constexpr std::string_view check_word = "merpati";

/// Opens the key file, or creates it for a new store. A store opens only with its own key.
Result<SecretBox> open_secrets(Connection& connection, const std::filesystem::path& key_file) {
    std::optional<Bytes> check;
    {
        Statement find{connection, "SELECT value FROM meta WHERE name = 'key_check'"};
        if (auto row = find.query(); row.next()) {
            const auto blob = row.blob(0);
            check.emplace(blob.begin(), blob.end());
        }
    }
    if (!check) {
        auto secrets = SecretBox::open(key_file);
        if (!secrets && secrets.error().code == ErrorCode::not_found) {
            secrets = SecretBox::create(key_file);
        }
        if (secrets) {
            const auto sealed = secrets->seal(as_bytes(check_word));
            Statement insert{connection, "INSERT INTO meta VALUES('key_check', ?)"};
            insert.run(std::span<const std::byte>{sealed});
        }
        return secrets;
    }
    auto secrets = SecretBox::open(key_file);
    if (!secrets && secrets.error().code == ErrorCode::not_found) {
        return fail(ErrorCode::conflict, secrets.error().detail);  // The store itself is there.
    }
    if (!secrets) {
        return secrets;
    }
    if (!secrets->unseal(*check)) {
        return fail(ErrorCode::conflict,
                    fmt::format("{} is not the key file of this store: name the right one with "
                                "store.key_file",
                                key_file.string()));
    }
    return secrets;
}

class SqliteStore final : public Store {
public:
    /// Throws Failure.
    SqliteStore(std::filesystem::path path, std::unique_ptr<Connection> connection,
                const SecretBox& secrets, const StoreOptions& options)
        : path_(std::move(path)),
          connection_(std::move(connection)),
          secrets_(secrets),
          room_(path_, options.reserve_bytes, options.free_bytes, condition_),
          writer_(*connection_),
          tables_(*connection_, writer_, secrets_, condition_),
          transaction_(*connection_, writer_, tables_, condition_) {
        connection_->watch_log();
        look_at_disk();
    }

    /// Not taken by the constructor, which may throw: its caller then tries again under the lock.
    void keep(StoreLock lock) noexcept { lock_.emplace(std::move(lock)); }

    Result<void> write(WriteBatch& batch) override {
        if (failed_) {
            return fail(ErrorCode::store_failed,
                        "the store failed before and must be opened anew: what is on disk decides");
        }
        if (!batch.accepts.empty()) {
            look_at_disk();
        }
        if (!condition_.accepts()) {
            refuse(batch.accepts);
        }
        transaction_.start();
        auto failure = attempt([&] { transaction_.run(batch); });
        while (failure && failure->is_damage()) {
            bool others = false;
            auto left_out = attempt([&] { others = transaction_.leave_out(batch); });
            if (left_out) {
                failure = std::move(left_out);
            }
            if (!others) {
                break;
            }
            failure = attempt([&] { transaction_.run(batch); });
        }
        if (!failure) {
            return connection_->log_frames() < log_frames_max ? Result<void>{} : checkpoint();
        }
        if (failure->is_no_room()) {
            room_.met_full();
            refuse(batch.accepts);
            refuse(batch.changes);
            return fail(ErrorCode::busy, "the store's disk is full");
        }
        failed_ = true;
        return fail(failure->is_damage() ? ErrorCode::damaged : ErrorCode::store_failed,
                    failure->what());
    }

    Result<std::unique_ptr<Reader>> open_reader() override {
        return guarded([&]() -> Result<std::unique_ptr<Reader>> {
            return std::make_unique<SqliteReader>(path_.string(), secrets_, condition_);
        });
    }

    Result<void> checkpoint() override {
        auto moved = guarded([&]() -> Result<void> {
            if (!connection_->checkpoint()) {
                room_.met_full();  // The pages stay in the log.
            }
            return {};
        });
        failed_ = failed_ || !moved;
        return moved;
    }

    void look_at_disk() override {
        room_.look([this]() -> std::uint64_t {
            try {
                return connection_->reusable_bytes();
            } catch (const Failure&) {
                return 0;  // The next write reports the error.
            }
        });
    }

    Sha256 fingerprint(std::string_view text) const override { return secrets_.fingerprint(text); }

    const Condition& condition() const noexcept override { return condition_; }

    std::uint64_t bytes_on_disk() const override {
        std::uint64_t bytes = 0;
        for (const auto* suffix : {"", "-wal", "-shm"}) {
            std::error_code missing;
            const auto size = std::filesystem::file_size(path_.string() + suffix, missing);
            bytes += missing ? 0 : size;
        }
        return bytes;
    }

    Result<void> backup(const std::filesystem::path& file) override {
        // SQLite accepts an empty file. It is created here with a private mode.
        const FileDescriptor made{
            ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)};
        if (!made) {
            const auto code = errno == EEXIST ? ErrorCode::conflict : ErrorCode::io_failed;
            return fail(code, fmt::format("cannot write the backup {}: {}", file.string(),
                                          std::generic_category().message(errno)));
        }
        auto written = guarded([&]() -> Result<void> {
            Connection source{path_.string(), Access::read_only};
            Statement copy{source, "VACUUM INTO ?"};
            copy.run(file.string());
            return {};
        });
        if (written && (::fsync(made.get()) != 0 || !sync_directory_of(file))) {
            written = fail(
                ErrorCode::io_failed,
                fmt::format("cannot sync the backup: {}", std::generic_category().message(errno)));
        }
        if (!written) {
            std::error_code ignored;
            std::filesystem::remove(file, ignored);
        }
        return written;
    }

private:
    /// Runs `body`. If it throws a Failure, undoes the transaction and returns the failure.
    template <class Body>
    std::optional<Failure> attempt(Body body) {
        try {
            body();
            return std::nullopt;
        } catch (const Failure& failure) {
            transaction_.undo();
            return failure;
        }
    }

    static void refuse(std::vector<Accept>& accepts) {
        for (auto& accept : accepts) {
            accept.result = Accept::Result::no_room;
        }
    }
    static void refuse(std::vector<Change>& changes) {
        for (auto& change : changes) {
            if (change.lasting) {
                change.result = {};  // It runs again with the next batch.
            } else {
                change.result = fail(ErrorCode::busy, "the store's disk is full: free some room");
            }
        }
    }

    const std::filesystem::path path_;
    Condition condition_;
    std::optional<StoreLock> lock_;  // Destroyed after the connection.
    std::unique_ptr<Connection> connection_;
    const SecretBox secrets_;
    DiskRoom room_;
    MessageWriter writer_;
    SqliteTables tables_;
    Transaction transaction_;
    bool failed_ = false;  // Set for good: after a failed sync the kernel may have dropped pages.
};

/// Takes `lock` only if it succeeds.
Result<std::unique_ptr<Store>> open_locked(const std::filesystem::path& path,
                                           const StoreOptions& options, StoreLock& lock) {
    auto connection = std::make_unique<Connection>(path.string(), Access::read_write);
    if (auto prepared = prepare_writer(*connection); !prepared) {
        return pass(prepared);
    }
    if (auto migrated = migrate(*connection, options.migrate); !migrated) {
        return pass(migrated);
    }
    const auto key_file =
        options.key_file.empty() ? std::filesystem::path{path.string() + ".key"} : options.key_file;
    auto secrets = open_secrets(*connection, key_file);
    if (!secrets) {
        return pass(secrets);
    }
    connection->reserve_log_index(log_index_frames);
    auto store = std::make_unique<SqliteStore>(path, std::move(connection), *secrets, options);
    store->keep(std::move(lock));
    return store;
}

}  // namespace

Result<std::unique_ptr<Store>> open(const std::filesystem::path& path,
                                    const StoreOptions& options) {
    return guarded([&]() -> Result<std::unique_ptr<Store>> {
        // Creates the file with a private mode, which SQLite copies to its other files.
        auto lock = StoreLock::take(path, options.create);
        if (!lock) {
            return pass(lock);
        }
        try {
            return open_locked(path, options, *lock);
        } catch (const Failure& failure) {
            if (!failure.is_no_room() && failure.code() != SQLITE_IOERR_SHMSIZE) {
                throw;
            }
        }
        DiskRoom::give_up(path);  // The disk is full; without the reserve there may be room.
        return open_locked(path, options, *lock);
    });
}

}  // namespace merpati::store::sqlite
