#include "store/sqlite/sqlite_store.hpp"

#include <fcntl.h>
#include <optional>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include "store/secret_box.hpp"
#include "store/sqlite/guard.hpp"
#include "store/sqlite/message_writer.hpp"
#include "store/sqlite/schema.hpp"
#include "store/sqlite/sqlite_reader.hpp"
#include "store/sqlite/sqlite_tables.hpp"
#include "store/sqlite/store_lock.hpp"
#include "store/sync_directory.hpp"

namespace merpati::store::sqlite {
namespace {

/// Settings of the writing connection. Durability is read back: a build or file system that does
/// not give it must not be trusted with a message.
Result<void> prepare_writer(Connection& connection) {
    connection.execute(
        "PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY;"
        "PRAGMA trusted_schema = OFF; PRAGMA journal_size_limit = 67108864;"
        // What is removed is overwritten where that costs no extra write; Debian's default would
        // write every page that becomes free.
        "PRAGMA secure_delete = FAST");
    const auto journal = connection.query_text("PRAGMA journal_mode = WAL");
    connection.execute("PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 8000");
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

/// Opens the key file, or makes it for a new store. A store that has seen a key wants that one.
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
        auto secrets = std::filesystem::exists(key_file) ? SecretBox::open(key_file)
                                                         : SecretBox::create(key_file);
        if (secrets) {
            const auto sealed = secrets->seal(as_bytes(check_word));
            Statement insert{connection, "INSERT INTO meta VALUES('key_check', ?)"};
            insert.run(std::span<const std::byte>{sealed});
        }
        return secrets;
    }
    auto secrets = SecretBox::open(key_file);
    if (!secrets) {
        return fail(ErrorCode::conflict, secrets.error().detail);
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
    SqliteStore(std::filesystem::path path, StoreLock lock, std::unique_ptr<Connection> connection,
                const SecretBox& secrets)
        : path_(std::move(path)),
          lock_(std::move(lock)),
          connection_(std::move(connection)),
          secrets_(secrets),
          writer_(*connection_),
          tables_(*connection_, writer_, secrets_),
          begin_(*connection_, "BEGIN IMMEDIATE"),
          commit_(*connection_, "COMMIT") {}

    Result<void> write(WriteBatch& batch) override {
        if (failed_) {
            return fail(ErrorCode::store_failed,
                        "the store failed before and must be opened anew: what is on disk decides");
        }
        auto written = guarded([&]() -> Result<void> {
            begin_.run();
            for (auto& finish : batch.finishes) {
                writer_.finish(finish);
            }
            for (auto& reschedule : batch.reschedules) {
                writer_.reschedule(reschedule);
            }
            for (const auto& intent : batch.intents) {
                writer_.record_intent(intent);
            }
            for (const auto& update : batch.callback_updates) {
                writer_.update_callback(update);
            }
            if (!batch.changes.empty()) {
                writer_.credits().flush();
                for (auto& change : batch.changes) {
                    tables_.apply(change);
                }
            }
            for (auto& accept : batch.accepts) {
                writer_.accept(accept);
            }
            writer_.credits().flush();
            commit_.run();
            return {};
        });
        failed_ = !written;
        return written;
    }

    Result<std::unique_ptr<Reader>> open_reader() override {
        return guarded([&]() -> Result<std::unique_ptr<Reader>> {
            return std::make_unique<SqliteReader>(path_.string(), secrets_);
        });
    }

    void rest() override {
        sqlite3_wal_checkpoint_v2(connection_->handle(), nullptr, SQLITE_CHECKPOINT_PASSIVE,
                                  nullptr, nullptr);
    }

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
        // SQLite writes into an empty file; ours is made first so that nobody else can read it.
        const int made = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (made < 0) {
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
        if (written && (::fsync(made) != 0 || !sync_directory_of(file))) {
            written = fail(
                ErrorCode::io_failed,
                fmt::format("cannot sync the backup: {}", std::generic_category().message(errno)));
        }
        ::close(made);
        if (!written) {
            std::error_code ignored;
            std::filesystem::remove(file, ignored);
        }
        return written;
    }

private:
    const std::filesystem::path path_;
    StoreLock lock_;  // Let go of after the connection.
    std::unique_ptr<Connection> connection_;
    const SecretBox secrets_;
    MessageWriter writer_;
    SqliteTables tables_;
    Statement begin_;
    Statement commit_;
    bool failed_ = false;  // A failed sync is never tried again: the kernel may have dropped pages.
};

}  // namespace

Result<std::unique_ptr<Store>> open(const std::filesystem::path& path,
                                    const StoreOptions& options) {
    return guarded([&]() -> Result<std::unique_ptr<Store>> {
        // Makes the file, so that it (and SQLite's side files, which copy its mode) is private.
        auto lock = StoreLock::take(path, options.create);
        if (!lock) {
            return pass(lock);
        }
        auto connection = std::make_unique<Connection>(path.string(), Access::read_write);
        if (auto prepared = prepare_writer(*connection); !prepared) {
            return pass(prepared);
        }
        if (auto migrated = migrate(*connection, options.migrate); !migrated) {
            return pass(migrated);
        }
        const auto key_file = options.key_file.empty()
                                  ? std::filesystem::path{path.string() + ".key"}
                                  : options.key_file;
        auto secrets = open_secrets(*connection, key_file);
        if (!secrets) {
            return pass(secrets);
        }
        return std::make_unique<SqliteStore>(path, std::move(*lock), std::move(connection),
                                             *secrets);
    });
}

}  // namespace merpati::store::sqlite
