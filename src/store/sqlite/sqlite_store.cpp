#include "store/sqlite/sqlite_store.hpp"

#include <algorithm>
#include <fcntl.h>
#include <optional>
#include <ranges>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include "base/file_descriptor.hpp"
#include "store/secret_box.hpp"
#include "store/sql/copy_mark.hpp"
#include "store/sql/message_writer.hpp"
#include "store/sql/store_key.hpp"
#include "store/sql/stored_reader.hpp"
#include "store/sql/stored_tables.hpp"
#include "store/sql/transaction.hpp"
#include "store/sqlite/checkpointer.hpp"
#include "store/sqlite/disk_room.hpp"
#include "store/sqlite/schema.hpp"
#include "store/sqlite/store_lock.hpp"
#include "store/sqlite/writer_settings.hpp"
#include "store/sync_directory.hpp"

namespace merpati::store::sqlite {
namespace {

/// The log's index has room for this many pages, because the log grows while a reader, such as a
/// backup, needs it.
constexpr int log_index_frames = 4 * Checkpointer::Sizes{}.frames_max;

constexpr std::uint64_t page_bytes = 4'096;  // SQLite's default.

constexpr const char* disk_is_full = "the store's disk is full: free some room";

bool accepts(const Change& change) {
    return change.accepts > 0;
}

class SqliteStore final : public Store {
public:
    /// Throws Failure.
    SqliteStore(std::filesystem::path path, std::unique_ptr<Connection> connection,
                const SecretBox& secrets, const StoreOptions& options)
        : path_(std::move(path)),
          connection_(std::move(connection)),
          condition_(options.on_damage),
          secrets_(secrets),
          room_(path_, options.reserve_bytes, options.free_bytes, condition_),
          writer_(*connection_),
          tables_(*connection_, writer_, secrets_, condition_),
          transaction_(*connection_, writer_, tables_, condition_),
          checkpointer_(path_.string(), {}) {
        connection_->watch_log();
        connection_->wait_for_lock(options.lock_wait);
        look_at_disk();
    }

    /// Not taken by the constructor, which may throw: its caller then tries again under the lock.
    void keep(StoreLock lock) noexcept { lock_.emplace(std::move(lock)); }

    /// Records damage that was met before the store was made.
    void note_damage(const std::string& place) { condition_.note_damage(place); }

    Result<void> write(WriteBatch& batch) override {
        if (failed_) {
            return fail(ErrorCode::store_failed,
                        "the store failed before and must be opened anew: what is on disk decides");
        }
        if (!batch.accepts.empty() || std::ranges::any_of(batch.changes, accepts)) {
            look_at_disk();
        }
        if (!condition_.accepts()) {
            refuse(batch.accepts, Accept::Result::no_room);
            for (auto& change : batch.changes | std::views::filter(accepts)) {
                change.result = fail(ErrorCode::busy, disk_is_full);
            }
        }
        const auto failure = transaction_.write(batch);
        condition_.set_locked(failure && failure->is_busy());
        if (!failure) {
            return {};
        }
        if (failure->is_no_room()) {
            room_.met_full();
            refuse(batch.accepts, Accept::Result::no_room);
            refuse(batch.changes, disk_is_full);
            return fail(ErrorCode::busy, "the store's disk is full");
        }
        if (failure->is_busy()) {
            refuse(batch.accepts, Accept::Result::locked);
            refuse(batch.changes, "another program has locked the store: end it");
            return fail(ErrorCode::busy, "another program has locked the store");
        }
        failed_ = true;
        // The next start may read what the disk did not read now.
        const bool damaged = failure->is_damage() && !failure->is_read_error();
        return fail(damaged ? ErrorCode::damaged : ErrorCode::store_failed, failure->what());
    }

    Result<std::unique_ptr<Reader>> open_reader() override {
        return guarded([&]() -> Result<std::unique_ptr<Reader>> {
            return std::make_unique<sql::StoredReader>(
                std::make_unique<Connection>(path_.string(), Access::read_only), secrets_,
                condition_);
        });
    }

    Result<void> maintain(bool is_idle) override {
        condition_.set_log_bytes(static_cast<std::uint64_t>(connection_->log_frames()) *
                                 page_bytes);
        return move_log([&] { checkpointer_.follow(*connection_, is_idle); });
    }

    Result<void> checkpoint() override {
        return move_log([&] { checkpointer_.run(*connection_); });
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
    template <class Move>
    Result<void> move_log(Move move) {
        auto moved = guarded([&]() -> Result<void> {
            move();
            return {};
        });
        if (checkpointer_.take_full()) {
            room_.met_full();  // The pages stay in the log.
        }
        failed_ = failed_ || !moved;
        return moved ? Result<void>{} : fail(ErrorCode::store_failed, moved.error().detail);
    }

    static void refuse(std::vector<Accept>& accepts, Accept::Result why) {
        for (auto& accept : accepts) {
            accept.result = why;
        }
    }
    static void refuse(std::vector<Change>& changes, const char* why) {
        for (auto& change : changes) {
            if (change.lasting) {
                change.result = {};  // It runs again with the next batch.
            } else {
                change.result = fail(ErrorCode::busy, why);
            }
        }
    }

    const std::filesystem::path path_;
    std::optional<StoreLock> lock_;  // Destroyed after the connection.
    std::unique_ptr<Connection> connection_;
    Condition condition_;
    const SecretBox secrets_;
    DiskRoom room_;
    sql::MessageWriter writer_;
    sql::StoredTables tables_;
    sql::Transaction transaction_;
    Checkpointer
        checkpointer_;     // Destroyed before the connection: SQLite's last one moves the log.
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
    if (auto ended = sql::end_copies(*connection); !ended) {
        return pass(ended);
    }
    const auto key_file =
        options.key_file.empty() ? std::filesystem::path{path.string() + ".key"} : options.key_file;
    auto key = sql::open_key(*connection, key_file);
    if (!key) {
        return pass(key);
    }
    connection->reserve_log_index(log_index_frames);
    auto store = std::make_unique<SqliteStore>(path, std::move(connection), key->secrets, options);
    if (key->check_damaged) {
        store->note_damage("the check of the key file");
    }
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
        } catch (const SqliteFailure& failure) {
            if (!failure.is_no_room() && failure.code() != SQLITE_IOERR_SHMSIZE) {
                throw;
            }
        }
        DiskRoom::give_up(path);  // The disk is full; without the reserve there may be room.
        return open_locked(path, options, *lock);
    });
}

}  // namespace merpati::store::sqlite
