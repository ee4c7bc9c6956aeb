// The driver of SQLite: a thin layer over its C API.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <sqlite3.h>

#include "store/sql/connection.hpp"
#include "store/sqlite/prepared_statements.hpp"

namespace merpati::store::sqlite {

using sql::Cursor;
using sql::Failure;
using sql::guarded;
using sql::Statement;

/// A failed call of SQLite, with its extended result code.
class SqliteFailure : public Failure {
public:
    SqliteFailure(int code, bool no_room, const std::string& what);
    [[nodiscard]] int code() const noexcept { return code_; }

private:
    int code_;
};

enum class Access : std::uint8_t {
    read_write,
    read_only,
    moves_log,  // As read_write, for checkpoints: syncs the database file in portions.
};

/// The log after a checkpoint.
struct LogState {
    int frames = 0;           // Pages in the log,
    int moved = 0;            // of which so many are in the database file.
    bool found_full = false;  // The disk is full.
};

/// One connection, used by one thread at a time.
class Connection final : public sql::Connection {
public:
    /// Throws Failure.
    Connection(const std::string& path, Access access);
    ~Connection() override;
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    [[nodiscard]] std::unique_ptr<sql::DriverStatement> prepare(std::string_view sql,
                                                                sql::Rows rows) override;
    void execute(const char* sql) override;
    [[nodiscard]] std::int64_t changes() override { return sqlite3_changes64(handle_); }
    void wait() override {}
    [[nodiscard]] std::string_view or_fail() const noexcept override { return " OR FAIL"; }
    void begin() override { execute("BEGIN IMMEDIATE"); }
    void begin_snapshot() override { execute("BEGIN"); }
    void commit() override { execute("COMMIT"); }
    void roll_back() noexcept override;
    [[nodiscard]] bool in_transaction() const noexcept override {
        return sqlite3_get_autocommit(handle_) == 0;
    }
    [[nodiscard]] std::int64_t last_assigned(std::string_view table) override;

    /// Checkpoints the log, as far as readers allow. Throws Failure, but not if the disk is full.
    [[nodiscard]] LogState checkpoint();

    /// How long statements wait for the lock of another program, instead of 5 s.
    void wait_for_lock(std::chrono::milliseconds longest) noexcept;

    /// From now on `log_frames` returns the number of pages in the log after the last commit. Turns
    /// SQLite's automatic checkpoints off.
    void watch_log();
    [[nodiscard]] int log_frames() const noexcept { return log_frames_; }

    /// Bytes of free pages in the database file. Throws Failure.
    [[nodiscard]] std::uint64_t reusable_bytes();

    /// Allocates the log's index (the -shm file) for `frames` pages, so that a full disk fails a
    /// write to the log, which can be undone, and not a write to the index. Call it in WAL mode,
    /// after a first statement. Throws Failure.
    void reserve_log_index(int frames);

    /// After how many pages a checkpoint syncs (portioned_vfs.hpp). With Access::moves_log only.
    void set_portion(int pages) noexcept;
    [[nodiscard]] sqlite3* handle() const noexcept { return handle_; }

private:
    sqlite3* handle_ = nullptr;
    PreparedStatements prepared_;
    int log_frames_ = 0;
};

}  // namespace merpati::store::sqlite
