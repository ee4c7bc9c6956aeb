#include "store/sqlite/copied_file.hpp"

#include <cerrno>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "store/sqlite/connection.hpp"
#include "store/sqlite/schema.hpp"
#include "store/sqlite/store_lock.hpp"
#include "store/sqlite/writer_settings.hpp"
#include "store/sync_directory.hpp"

namespace merpati::store::sqlite {
namespace {

/// Moves into the file when the log has so many pages, 32 MB.
constexpr int copied_frames_max = 8'192;

/// "INSERT INTO lane(device,…) VALUES(?,…)"
std::string inserting(const sql::CopiedTable& table) {
    std::string marks{"?"};
    for (std::size_t count = 1; count < table.columns.size(); ++count) {
        marks += ",?";
    }
    return fmt::format("INSERT INTO {}({}) VALUES({})", table.name, table.column_list(), marks);
}

class FileInserter final : public sql::RowInserter {
public:
    FileInserter(Connection& connection, const sql::CopiedTable& table)
        : table_(table), insert_(connection, inserting(table)) {}

    std::size_t add(const Cursor& row) override {
        constexpr std::size_t integer_bytes = 8;
        std::size_t bytes = 0;
        int column = 0;
        for (const auto& [name, kind] : table_.columns) {
            if (row.null(column)) {
                insert_.bind_after(column, std::optional<std::int64_t>{});
            } else if (kind == sql::ValueKind::integer) {
                insert_.bind_after(column, row.integer(column));
                bytes += integer_bytes;
            } else if (kind == sql::ValueKind::text) {
                const auto text = row.text(column);
                insert_.bind_after(column, text);
                bytes += text.size();
            } else {
                const auto blob = row.blob(column);
                insert_.bind_after(column, blob);
                bytes += blob.size();
            }
            ++column;
        }
        insert_.run();
        return bytes;
    }

    void finish() override {}

private:
    const sql::CopiedTable& table_;
    Statement insert_;
};

class CopiedFile final : public sql::CopySide {
public:
    CopiedFile(StoreLock lock, std::unique_ptr<Connection> connection)
        : lock_(std::move(lock)), connection_(std::move(connection)) {
        connection_->watch_log();
    }

    sql::Connection& connection() noexcept override { return *connection_; }
    Result<void> check_unused() override { return {}; }  // It is locked.
    Result<void> hold(const std::string& /*id*/) override {
        connection_->begin_snapshot();
        return {};
    }

    void begin() override { connection_->begin(); }
    void commit() override {
        connection_->commit();
        if (connection_->log_frames() > copied_frames_max) {
            (void)connection_->checkpoint();  // On a full disk the next commit fails.
        }
    }
    std::unique_ptr<sql::RowInserter> inserter(const sql::CopiedTable& table) override {
        return std::make_unique<FileInserter>(*connection_, table);
    }
    void set_last_assigned(const sql::CopiedTable& table, std::int64_t id) override {
        if (table.ids != sql::Ids::never_reused) {
            return;  // The next id follows the highest one that is there.
        }
        Statement update{*connection_, "UPDATE sqlite_sequence SET seq = ? WHERE name = ?"};
        update.run(id, table.name);
        if (connection_->changes() == 0) {
            Statement insert{*connection_, "INSERT INTO sqlite_sequence(name, seq) VALUES(?, ?)"};
            insert.run(table.name, id);
        }
    }

private:
    StoreLock lock_;  // Destroyed after the connection.
    std::unique_ptr<Connection> connection_;
};

}  // namespace

Result<std::unique_ptr<sql::CopySide>> open_to_copy(const std::filesystem::path& path,
                                                    sql::CopyRole role) {
    const bool is_target = role == sql::CopyRole::target;
    auto lock = StoreLock::take(path, is_target);
    if (!lock) {
        return pass(lock);
    }
    auto connection = std::make_unique<Connection>(path.string(), Access::read_write);
    if (auto prepared = prepare_writer(*connection); !prepared) {
        return pass(prepared);
    }
    if (auto migrated = migrate(*connection, false); !migrated) {
        return pass(migrated);
    }
    if (is_target && !sync_directory_of(path)) {
        return fail(ErrorCode::io_failed,
                    fmt::format("cannot sync the folder of {}: {}", path.string(),
                                std::generic_category().message(errno)));
    }
    return std::make_unique<CopiedFile>(*std::move(lock), std::move(connection));
}

}  // namespace merpati::store::sqlite
