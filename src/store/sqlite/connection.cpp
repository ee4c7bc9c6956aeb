#include "store/sqlite/connection.hpp"

#include <cerrno>
#include <string>

#include <fmt/format.h>

#include "store/sqlite/gathering_vfs.hpp"
#include "store/sqlite/portioned_vfs.hpp"

namespace merpati::store::sqlite {
namespace {

/// Turns SQLite's memory statistics off before its first use: they are not used, and take a global
/// lock for each allocation.
bool configure_library() {
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    return sqlite3_initialize() == SQLITE_OK;
}

/// Whether a write found the disk full. A sync that fails on a full disk does not count: it is
/// unknown which pages were lost.
bool is_no_room(sqlite3* connection, int code) {
    const int error = sqlite3_system_errno(connection);
    return code == SQLITE_FULL ||
           (code == SQLITE_IOERR_WRITE && (error == ENOSPC || error == EDQUOT));
}

SqliteFailure failure_of(sqlite3* connection, int code) {
    return {code, is_no_room(connection, code),
            fmt::format("sqlite: {} ({})", sqlite3_errmsg(connection), code)};
}

[[noreturn]] void raise(sqlite3* connection, int code) {
    throw failure_of(connection, code);
}

Failure::Kind kind_of(int code) {
    switch (code) {
        case SQLITE_NOTADB:
            return Failure::Kind::damage;
        case SQLITE_IOERR_READ:
        case SQLITE_IOERR_SHORT_READ:
        case SQLITE_IOERR_DATA:
        case SQLITE_IOERR_CORRUPTFS:
            return Failure::Kind::read_error;
        default:
            break;
    }
    switch (code & 0xff) {
        case SQLITE_CORRUPT:
            return Failure::Kind::damage;
        case SQLITE_CONSTRAINT:
            return Failure::Kind::constraint;
        case SQLITE_BUSY:
            return Failure::Kind::busy;
        default:
            return Failure::Kind::failed;
    }
}

class SqliteStatement final : public sql::DriverStatement {
public:
    SqliteStatement(sqlite3* connection, PreparedStatements& prepared, std::string_view sql)
        : connection_(connection), prepared_(prepared), handle_(prepared.take(sql)) {
        if (handle_ == nullptr) {
            check(sqlite3_prepare_v3(connection_, sql.data(), static_cast<int>(sql.size()),
                                     SQLITE_PREPARE_PERSISTENT, &handle_, nullptr));
        }
    }
    ~SqliteStatement() override { prepared_.keep(handle_); }
    SqliteStatement(const SqliteStatement&) = delete;
    SqliteStatement& operator=(const SqliteStatement&) = delete;

    void bind_null(int place, sql::ValueKind) override { check(sqlite3_bind_null(handle_, place)); }
    void bind_integer(int place, std::int64_t value) override {
        check(sqlite3_bind_int64(handle_, place, value));
    }
    void bind_text(int place, std::string_view text) override {
        check(sqlite3_bind_text64(handle_, place, text.data() == nullptr ? "" : text.data(),
                                  text.size(), SQLITE_STATIC, SQLITE_UTF8));
    }
    void bind_bytes(int place, std::span<const std::byte> bytes) override {
        const void* data = bytes.data();
        check(sqlite3_bind_blob64(handle_, place, data == nullptr ? "" : data, bytes.size(),
                                  SQLITE_STATIC));
    }

    void run() override {
        int code = SQLITE_ROW;
        while (code == SQLITE_ROW) {
            code = sqlite3_step(handle_);
        }
        if (code != SQLITE_DONE) {
            fail_by(code);
        }
        sqlite3_reset(handle_);
    }
    bool step() override {
        const int code = sqlite3_step(handle_);
        if (code != SQLITE_ROW && code != SQLITE_DONE) {
            fail_by(code);
        }
        return code == SQLITE_ROW;
    }
    void reset() noexcept override { sqlite3_reset(handle_); }

    bool is_null(int column) const override {
        return sqlite3_column_type(handle_, column) == SQLITE_NULL;
    }
    std::int64_t integer(int column) const override {
        return sqlite3_column_int64(handle_, column);
    }
    std::string_view text(int column) const override {
        const auto* data = sqlite3_column_text(handle_, column);
        const auto size = static_cast<std::size_t>(sqlite3_column_bytes(handle_, column));
        return {reinterpret_cast<const char*>(data), data == nullptr ? 0 : size};
    }
    std::span<const std::byte> bytes(int column) const override {
        const auto* data = static_cast<const std::byte*>(sqlite3_column_blob(handle_, column));
        const auto size = static_cast<std::size_t>(sqlite3_column_bytes(handle_, column));
        return {data, data == nullptr ? 0 : size};
    }
    std::string name_of(int column) const override {
        const auto* name = sqlite3_column_name(handle_, column);
        return name == nullptr ? "?" : name;
    }

private:
    void check(int code) const {
        if (code != SQLITE_OK) {
            raise(connection_, code);
        }
    }
    [[noreturn]] void fail_by(int code) {
        const SqliteFailure failure = failure_of(connection_, code);
        sqlite3_reset(handle_);
        throw failure;
    }

    sqlite3* connection_;
    PreparedStatements& prepared_;
    sqlite3_stmt* handle_ = nullptr;
};

}  // namespace

SqliteFailure::SqliteFailure(int code, bool no_room, const std::string& what)
    : Failure(no_room ? Kind::no_room : kind_of(code), what), code_(code) {}

Connection::Connection(const std::string& path, Access access) {
    static const bool configured = configure_library();
    const int flags = SQLITE_OPEN_NOMUTEX |
                      (access == Access::read_only ? SQLITE_OPEN_READONLY
                                                   : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    const char* vfs = access == Access::read_write  ? gathering_vfs()
                      : access == Access::moves_log ? portioned_vfs()
                                                    : nullptr;
    const int code = sqlite3_open_v2(path.c_str(), &handle_, flags, vfs);
    if (!configured || code != SQLITE_OK) {
        const SqliteFailure failure{
            code, false, fmt::format("sqlite: cannot open {}: {}", path, sqlite3_errmsg(handle_))};
        sqlite3_close(handle_);
        throw failure;
    }
    sqlite3_extended_result_codes(handle_, 1);
    sqlite3_busy_timeout(handle_, 5'000);
    if (access == Access::read_only) {
        sqlite3_db_config(handle_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    }
}

Connection::~Connection() {
    prepared_.clear();
    sqlite3_close_v2(handle_);
}

void Connection::execute(const char* sql) {
    if (const int code = sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr); code != SQLITE_OK) {
        raise(handle_, code);
    }
}

std::unique_ptr<sql::DriverStatement> Connection::prepare(std::string_view sql, sql::Rows) {
    return std::make_unique<SqliteStatement>(handle_, prepared_, sql);
}

void Connection::roll_back() noexcept {
    if (in_transaction()) {
        sqlite3_exec(handle_, "ROLLBACK", nullptr, nullptr, nullptr);
    }
}

LogState Connection::checkpoint() {
    LogState state;
    const int code = sqlite3_wal_checkpoint_v2(handle_, nullptr, SQLITE_CHECKPOINT_PASSIVE,
                                               &state.frames, &state.moved);
    if (code == SQLITE_OK || (code & 0xff) == SQLITE_BUSY || (code & 0xff) == SQLITE_LOCKED) {
        return state;  // A reader may need the log; a later checkpoint gets further.
    }
    state.found_full = is_no_room(handle_, code);
    if (!state.found_full) {
        raise(handle_, code);
    }
    return state;
}

void Connection::set_portion(int pages) noexcept {
    sqlite::set_portion(handle_, pages);
}

void Connection::wait_for_lock(std::chrono::milliseconds longest) noexcept {
    sqlite3_busy_timeout(handle_, static_cast<int>(longest.count()));
}

void Connection::watch_log() {
    const auto note = [](void* own, sqlite3*, const char*, int frames) {
        static_cast<Connection*>(own)->log_frames_ = frames;
        return SQLITE_OK;
    };
    sqlite3_wal_hook(handle_, note, this);
}

std::uint64_t Connection::reusable_bytes() {
    return std::stoull(query_text("PRAGMA freelist_count")) *
           std::stoull(query_text("PRAGMA page_size"));
}

void Connection::reserve_log_index(int frames) {
    constexpr int region_bytes = 32'768;
    constexpr int region_frames = 4'096;
    sqlite3_file* file = nullptr;
    if (sqlite3_file_control(handle_, "main", SQLITE_FCNTL_FILE_POINTER,
                             static_cast<void*>(&file)) != SQLITE_OK ||
        file == nullptr || file->pMethods == nullptr || file->pMethods->iVersion < 2) {
        return;
    }
    for (int region = 0; region * region_frames < frames; ++region) {
        void volatile* mapped = nullptr;
        if (const int code = file->pMethods->xShmMap(file, region, region_bytes, 1, &mapped);
            code != SQLITE_OK) {
            throw SqliteFailure{
                code, true, fmt::format("sqlite: cannot extend the index of the log ({})", code)};
        }
    }
}

std::int64_t Connection::last_assigned(std::string_view table) {
    Statement find{*this, "SELECT seq FROM sqlite_sequence WHERE name = ?"};
    return sql::first_integer(find.query(table));
}

}  // namespace merpati::store::sqlite
