#include "store/sqlite/gathering_vfs.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include <sqlite3.h>

namespace merpati::store::sqlite {
namespace {

/// The system VFS writes less than 128 KiB at once.
constexpr std::size_t gathered_max = std::size_t{124} << 10;
constexpr const char* name = "merpati-gathering";

/// SQLite allocates `szOsFile` bytes: this struct, followed by the system's file.
struct LogFile {
    sqlite3_file base;
    std::byte* gathered;  // gathered_max bytes; owned.
    std::size_t size;
    sqlite3_int64 offset;  // Of the first gathered byte.

    [[nodiscard]] sqlite3_file* real() noexcept {
        return reinterpret_cast<sqlite3_file*>(this + 1);
    }
};
static_assert(sizeof(LogFile) % alignof(std::max_align_t) == 0);

LogFile& log_of(sqlite3_file* file) noexcept {
    return *reinterpret_cast<LogFile*>(file);
}

int flush(LogFile& log) noexcept {
    if (log.size == 0) {
        return SQLITE_OK;
    }
    const auto size = static_cast<int>(std::exchange(log.size, 0));
    return log.real()->pMethods->xWrite(log.real(), log.gathered, size, log.offset);
}

int write_log(sqlite3_file* file, const void* data, int size, sqlite3_int64 offset) noexcept {
    auto& log = log_of(file);
    const auto bytes = static_cast<std::size_t>(size);
    const bool follows = offset == log.offset + static_cast<sqlite3_int64>(log.size);
    if (log.size > 0 && (!follows || log.size + bytes > gathered_max)) {
        if (const int code = flush(log); code != SQLITE_OK) {
            return code;
        }
    }
    if (bytes > gathered_max) {
        return log.real()->pMethods->xWrite(log.real(), data, size, offset);
    }
    if (log.size == 0) {
        log.offset = offset;
    }
    std::memcpy(log.gathered + log.size, data, bytes);
    log.size += bytes;
    return SQLITE_OK;
}

/// For methods that depend on the content of the file.
template <auto Method, class... Arguments>
int after_flush(sqlite3_file* file, Arguments... arguments) noexcept {
    auto& log = log_of(file);
    const int code = flush(log);
    return code != SQLITE_OK ? code : (log.real()->pMethods->*Method)(log.real(), arguments...);
}

template <auto Method, class... Arguments>
int directly(sqlite3_file* file, Arguments... arguments) noexcept {
    auto* real = log_of(file).real();
    return (real->pMethods->*Method)(real, arguments...);
}

int close_log(sqlite3_file* file) noexcept {
    auto& log = log_of(file);
    const int flushed = flush(log);
    const int closed = log.real()->pMethods->xClose(log.real());
    delete[] log.gathered;
    return flushed != SQLITE_OK ? flushed : closed;
}

using Methods = sqlite3_io_methods;
constexpr Methods log_methods{
    .iVersion = 1,  // A log has neither locks nor shared memory of its own.
    .xClose = close_log,
    .xRead = after_flush<&Methods::xRead, void*, int, sqlite3_int64>,
    .xWrite = write_log,
    .xTruncate = after_flush<&Methods::xTruncate, sqlite3_int64>,
    .xSync = after_flush<&Methods::xSync, int>,
    .xFileSize = after_flush<&Methods::xFileSize, sqlite3_int64*>,
    .xLock = directly<&Methods::xLock, int>,
    .xUnlock = directly<&Methods::xUnlock, int>,
    .xCheckReservedLock = directly<&Methods::xCheckReservedLock, int*>,
    .xFileControl = directly<&Methods::xFileControl, int, void*>,
    .xSectorSize = directly<&Methods::xSectorSize>,
    .xDeviceCharacteristics = directly<&Methods::xDeviceCharacteristics>,
};

sqlite3_vfs* system_vfs() noexcept {
    static sqlite3_vfs* const found = sqlite3_vfs_find(nullptr);
    return found;
}

int open_file(sqlite3_vfs*, const char* path, sqlite3_file* file, int flags,
              int* flags_out) noexcept {
    auto* system = system_vfs();
    if ((flags & SQLITE_OPEN_WAL) == 0) {
        return system->xOpen(system, path, file, flags, flags_out);
    }
    file->pMethods = nullptr;  // While it is null, SQLite does not close the file.
    auto* gathered = new (std::nothrow) std::byte[gathered_max];
    if (gathered == nullptr) {
        return SQLITE_NOMEM;
    }
    auto* log = new (file) LogFile{.base = {}, .gathered = gathered, .size = 0, .offset = 0};
    const int code = system->xOpen(system, path, log->real(), flags, flags_out);
    if (code != SQLITE_OK) {
        delete[] gathered;
        return code;
    }
    log->base.pMethods = &log_methods;
    return SQLITE_OK;
}

}  // namespace

const char* gathering_vfs() noexcept {
    static sqlite3_vfs vfs = [] {
        auto copy = *system_vfs();  // Paths, randomness and time stay the system's.
        copy.pNext = nullptr;
        copy.zName = name;
        copy.szOsFile += static_cast<int>(sizeof(LogFile));
        copy.xOpen = open_file;
        return copy;
    }();
    static const int registered = sqlite3_vfs_register(&vfs, 0);
    return registered == SQLITE_OK ? name : nullptr;
}

}  // namespace merpati::store::sqlite
