// A thin layer over SQLite's C API: connections, prepared statements, cursors.
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <sqlite3.h>

#include "base/clock.hpp"

namespace merpati::store::sqlite {

/// A failed call of SQLite. Thrown only inside this folder; the engine's public methods turn it
/// into an Error.
class Failure : public std::runtime_error {
public:
    Failure(int code, bool no_room, const std::string& what)
        : std::runtime_error(what), code_(code), no_room_(no_room) {}
    [[nodiscard]] int code() const noexcept { return code_; }

    /// Whether a page or a value cannot be read, because it is corrupt or the disk fails to read
    /// it. Other pages may be sound.
    [[nodiscard]] bool is_damage() const noexcept;

    /// Whether the disk failed to read a page. Failed writes and syncs are never damage.
    [[nodiscard]] bool is_read_error() const noexcept;

    /// Whether another program holds the lock for writing. Nothing was written.
    [[nodiscard]] bool is_busy() const noexcept { return (code_ & 0xff) == SQLITE_BUSY; }

    /// Whether the disk is full. The write did not happen.
    [[nodiscard]] bool is_no_room() const noexcept { return no_room_; }

private:
    int code_;
    bool no_room_;
};

/// Runs `body` and turns a Failure into an Error: damaged or store_failed.
template <class Body>
auto guarded(Body&& body) -> decltype(body()) {
    try {
        return std::forward<Body>(body)();
    } catch (const Failure& failure) {
        return fail(failure.is_damage() ? ErrorCode::damaged : ErrorCode::store_failed,
                    failure.what());
    }
}

enum class Access : std::uint8_t { read_write, read_only };

/// The log after a checkpoint.
struct LogState {
    int frames = 0;           // Pages in the log,
    int moved = 0;            // of which so many are in the database file.
    bool found_full = false;  // The disk is full.
};

/// One connection, used by one thread at a time.
class Connection {
public:
    /// Throws Failure.
    Connection(const std::string& path, Access access);
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    /// Runs SQL without results; several statements are allowed. Throws Failure.
    void execute(const char* sql);

    /// The first column of the first row, as text. Throws Failure.
    [[nodiscard]] std::string query_text(const char* sql);

    /// Rows the last statement inserted, changed or deleted.
    [[nodiscard]] std::int64_t changes() const noexcept { return sqlite3_changes64(handle_); }
    [[nodiscard]] std::int64_t last_row() const noexcept {
        return sqlite3_last_insert_rowid(handle_);
    }

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

    /// Whether a transaction is open.
    [[nodiscard]] bool in_transaction() const noexcept {
        return sqlite3_get_autocommit(handle_) == 0;
    }

    [[nodiscard]] sqlite3* handle() const noexcept { return handle_; }

private:
    sqlite3* handle_ = nullptr;
    int log_frames_ = 0;
};

class Cursor;

/// A prepared statement. Its connection must outlive it.
///
/// `run` and `query` bind their arguments in order, without copying: texts and blobs must live
/// until the call of `run`, or the cursor, ends. Arguments: integers, bool, strings, byte spans,
/// Timestamp, and optionals of them (empty binds NULL). A statement has one cursor at a time.
class Statement {
public:
    Statement(Connection& connection, std::string_view sql);
    ~Statement();
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;

    /// Executes a statement that returns no rows. Throws Failure.
    template <class... Arguments>
    void run(const Arguments&... arguments);

    /// Starts a query. Throws Failure.
    template <class... Arguments>
    [[nodiscard]] Cursor query(const Arguments&... arguments);

private:
    friend class Cursor;

    template <class Value>
    void bind(int place, const std::optional<Value>& value) {
        if (value) {
            bind(place, *value);
        } else {
            check(sqlite3_bind_null(handle_, place));
        }
    }
    template <std::integral Value>
    void bind(int place, Value value) {
        check(sqlite3_bind_int64(handle_, place, static_cast<sqlite3_int64>(value)));
    }
    void bind(int place, Timestamp time) { bind(place, to_unix_millis(time)); }
    void bind(int place, std::string_view text) {
        check(sqlite3_bind_text64(handle_, place, text.data() == nullptr ? "" : text.data(),
                                  text.size(), SQLITE_STATIC, SQLITE_UTF8));
    }
    void bind(int place, const std::string& text) { bind(place, std::string_view{text}); }
    void bind(int place, const char* text) { bind(place, std::string_view{text}); }
    void bind(int place, std::span<const std::byte> bytes) {
        check(sqlite3_bind_blob64(handle_, place, bytes.data(), bytes.size(), SQLITE_STATIC));
    }

    void check(int code) const;
    [[nodiscard]] bool step();

    sqlite3* connection_;
    sqlite3_stmt* handle_ = nullptr;
};

/// The rows of one query. Its destructor resets the statement.
///
/// A value that no version of this program writes (a number or time out of bounds, a text that is
/// not UTF-8) is damage, like a page that cannot be read: its getter throws Failure, so callers
/// need no further checks. `integer` and `blob` do not check.
class Cursor {
public:
    explicit Cursor(Statement& statement) : statement_(&statement) {}
    Cursor(Cursor&& other) noexcept : statement_(std::exchange(other.statement_, nullptr)) {}
    Cursor(const Cursor&) = delete;
    Cursor& operator=(const Cursor&) = delete;
    Cursor& operator=(Cursor&&) = delete;
    ~Cursor();

    /// Moves to the next row; false after the last. Throws Failure.
    [[nodiscard]] bool next() { return statement_->step(); }

    [[nodiscard]] std::int64_t integer(int column) const {
        return sqlite3_column_int64(statement_->handle_, column);
    }
    /// An integer from `lowest` to `highest`.
    [[nodiscard]] std::int64_t between(int column, std::int64_t lowest, std::int64_t highest) const;
    template <std::unsigned_integral Number>
    [[nodiscard]] Number number(int column) const {
        return static_cast<Number>(between(column, 0, std::numeric_limits<Number>::max()));
    }
    /// A value of an enumeration without gaps that ends with `last`.
    template <class Enum>
    [[nodiscard]] Enum enumerator(int column, Enum last) const {
        return static_cast<Enum>(between(column, 0, static_cast<std::int64_t>(last)));
    }
    [[nodiscard]] bool null(int column) const {
        return sqlite3_column_type(statement_->handle_, column) == SQLITE_NULL;
    }
    /// A time in the years 1 to 9999, which every format can represent.
    [[nodiscard]] Timestamp time(int column) const {
        return from_unix_millis(between(column, -62'135'596'800'000, 253'402'300'799'999));
    }
    /// A duration of up to a hundred years.
    [[nodiscard]] Millis span(int column) const {
        return Millis{between(column, 0, 3'155'760'000'000)};
    }
    [[nodiscard]] std::optional<Timestamp> optional_time(int column) const {
        return null(column) ? std::nullopt : std::optional{time(column)};
    }
    /// "" for NULL. Valid until the next row.
    [[nodiscard]] std::string_view text(int column) const;
    /// What was parsed from the column; empty is damage.
    template <class Value>
    [[nodiscard]] Value parsed(int column, std::optional<Value> value) const {
        if (!value) {
            throw_damaged(column, "holds a value that nothing writes");
        }
        return *std::move(value);
    }
    [[nodiscard]] std::span<const std::byte> blob(int column) const;

private:
    [[noreturn]] void throw_damaged(int column, const char* what) const;

    Statement* statement_;
};

template <class... Arguments>
void Statement::run(const Arguments&... arguments) {
    const auto cursor = query(arguments...);
    while (step()) {
    }
}

template <class... Arguments>
Cursor Statement::query(const Arguments&... arguments) {
    int place = 0;
    (bind(++place, arguments), ...);
    return Cursor{*this};
}

}  // namespace merpati::store::sqlite
