#include "store/sqlite/connection.hpp"

#include <cerrno>
#include <string>

#include <fmt/format.h>

#include "base/utf8.hpp"
#include "store/sqlite/gathering_vfs.hpp"

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

[[noreturn]] void raise(sqlite3* connection, int code) {
    throw Failure{code, is_no_room(connection, code),
                  fmt::format("sqlite: {} ({})", sqlite3_errmsg(connection), code)};
}

}  // namespace

bool Failure::is_damage() const noexcept {
    return (code_ & 0xff) == SQLITE_CORRUPT || code_ == SQLITE_NOTADB || is_read_error();
}

bool Failure::is_read_error() const noexcept {
    return code_ == SQLITE_IOERR_READ || code_ == SQLITE_IOERR_SHORT_READ ||
           code_ == SQLITE_IOERR_DATA || code_ == SQLITE_IOERR_CORRUPTFS;
}

Connection::Connection(const std::string& path, Access access) {
    static const bool configured = configure_library();
    const int flags = SQLITE_OPEN_NOMUTEX |
                      (access == Access::read_write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
                                                    : SQLITE_OPEN_READONLY);
    const char* vfs = access == Access::read_write ? gathering_vfs() : nullptr;
    const int code = sqlite3_open_v2(path.c_str(), &handle_, flags, vfs);
    if (!configured || code != SQLITE_OK) {
        const Failure failure{
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
    sqlite3_close_v2(handle_);
}

void Connection::execute(const char* sql) {
    if (const int code = sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr); code != SQLITE_OK) {
        raise(handle_, code);
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
            throw Failure{code, true,
                          fmt::format("sqlite: cannot extend the index of the log ({})", code)};
        }
    }
}

std::string Connection::query_text(const char* sql) {
    Statement statement{*this, sql};
    auto cursor = statement.query();
    return cursor.next() ? std::string{cursor.text(0)} : std::string{};
}

Statement::Statement(Connection& connection, std::string_view sql)
    : connection_(connection.handle()) {
    const int code = sqlite3_prepare_v3(connection_, sql.data(), static_cast<int>(sql.size()),
                                        SQLITE_PREPARE_PERSISTENT, &handle_, nullptr);
    if (code != SQLITE_OK) {
        raise(connection_, code);
    }
}

Statement::~Statement() {
    sqlite3_finalize(handle_);
}

void Statement::check(int code) const {
    if (code != SQLITE_OK) {
        raise(connection_, code);
    }
}

bool Statement::step() {
    const int code = sqlite3_step(handle_);
    if (code == SQLITE_ROW) {
        return true;
    }
    if (code != SQLITE_DONE) {
        raise(connection_, code);
    }
    return false;
}

Cursor::~Cursor() {
    if (statement_ != nullptr) {
        sqlite3_reset(statement_->handle_);
    }
}

std::int64_t Cursor::between(int column, std::int64_t lowest, std::int64_t highest) const {
    const auto value = integer(column);
    if (value < lowest || value > highest) {
        throw_damaged(column, "holds a number that nothing writes");
    }
    return value;
}

std::string_view Cursor::text(int column) const {
    const auto* data = sqlite3_column_text(statement_->handle_, column);
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_->handle_, column));
    if (data == nullptr) {
        return {};
    }
    const std::string_view text{reinterpret_cast<const char*>(data), size};
    if (!is_utf8(text)) {
        throw_damaged(column, "holds a text that is not UTF-8");
    }
    return text;
}

void Cursor::throw_damaged(int column, const char* what) const {
    const auto* name = sqlite3_column_name(statement_->handle_, column);
    throw Failure{SQLITE_CORRUPT, false,
                  std::string{"column "} + (name == nullptr ? "?" : name) + ' ' + what};
}

std::span<const std::byte> Cursor::blob(int column) const {
    const auto* data =
        static_cast<const std::byte*>(sqlite3_column_blob(statement_->handle_, column));
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_->handle_, column));
    return {data, data == nullptr ? 0 : size};
}

}  // namespace merpati::store::sqlite
