#include "store/sqlite/gathering_vfs.hpp"

#include <cstddef>
#include <cstring>
#include <new>
#include <utility>

#include <sqlite3.h>

#include "store/sqlite/wrapped_file.hpp"

namespace merpati::store::sqlite {
namespace {

/// The system VFS writes less than 128 KiB at once.
constexpr std::size_t gathered_max = std::size_t{124} << 10;

struct LogFile : WrappedFile<LogFile> {
    std::byte* gathered = nullptr;  // gathered_max bytes; owned.
    std::size_t size = 0;
    sqlite3_int64 offset = 0;  // Of the first gathered byte.
};

int flush(LogFile& log) noexcept {
    if (log.size == 0) {
        return SQLITE_OK;
    }
    const auto size = static_cast<int>(std::exchange(log.size, 0));
    return log.real()->pMethods->xWrite(log.real(), log.gathered, size, log.offset);
}

int write_log(sqlite3_file* file, const void* data, int size, sqlite3_int64 offset) noexcept {
    auto& log = LogFile::of(file);
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
    const int code = flush(LogFile::of(file));
    return code != SQLITE_OK ? code : (LogFile::passed_on.*Method)(file, arguments...);
}

int close_log(sqlite3_file* file) noexcept {
    auto& log = LogFile::of(file);
    const int flushed = flush(log);
    const int closed = LogFile::passed_on.xClose(file);
    delete[] log.gathered;
    return flushed != SQLITE_OK ? flushed : closed;
}

constexpr sqlite3_io_methods log_methods = [] {
    using Methods = LogFile::Methods;
    auto methods = LogFile::passed_on;
    methods.xClose = close_log;
    methods.xRead = after_flush<&Methods::xRead, void*, int, sqlite3_int64>;
    methods.xWrite = write_log;
    methods.xTruncate = after_flush<&Methods::xTruncate, sqlite3_int64>;
    methods.xSync = after_flush<&Methods::xSync, int>;
    methods.xFileSize = after_flush<&Methods::xFileSize, sqlite3_int64*>;
    return methods;
}();

int open_file(sqlite3_vfs*, const char* path, sqlite3_file* file, int flags,
              int* flags_out) noexcept {
    auto* system = system_vfs();
    if ((flags & SQLITE_OPEN_WAL) == 0) {
        return system->xOpen(system, path, file, flags, flags_out);
    }
    auto* log = new (file) LogFile;
    log->gathered = new (std::nothrow) std::byte[gathered_max];
    if (log->gathered == nullptr) {
        return SQLITE_NOMEM;
    }
    const int code = log->open(log_methods, system, path, flags, flags_out);
    if (code != SQLITE_OK) {
        delete[] log->gathered;
    }
    return code;
}

}  // namespace

const char* gathering_vfs() noexcept {
    static auto vfs = wrapping_vfs<LogFile>(*system_vfs(), "merpati-gathering", open_file);
    static const int registered = sqlite3_vfs_register(&vfs, 0);
    return registered == SQLITE_OK ? vfs.zName : nullptr;
}

}  // namespace merpati::store::sqlite
