#include "store/sqlite/portioned_vfs.hpp"

#include <cstddef>
#include <new>

#include <sqlite3.h>

namespace merpati::store::sqlite {
namespace {

constexpr int portion_usual = 64;
constexpr int set_portion_code = 101;  // SQLite's own are below 100.
constexpr const char* portioned_name = "merpati-portioned";

using Methods = sqlite3_io_methods;

/// SQLite allocates `szOsFile` bytes: this struct, followed by the system's file.
struct DatabaseFile {
    sqlite3_file base;
    int portion;
    int written;  // Pages since the last sync.

    [[nodiscard]] sqlite3_file* real() noexcept {
        return reinterpret_cast<sqlite3_file*>(this + 1);
    }
};
static_assert(sizeof(DatabaseFile) % alignof(std::max_align_t) == 0);

DatabaseFile& database_of(sqlite3_file* file) noexcept {
    return *reinterpret_cast<DatabaseFile*>(file);
}

template <auto Method, class... Arguments>
auto pass_on(sqlite3_file* file, Arguments... arguments) noexcept {
    auto* real = database_of(file).real();
    return (real->pMethods->*Method)(real, arguments...);
}

int write_database(sqlite3_file* file, const void* data, int size, sqlite3_int64 offset) noexcept {
    auto& database = database_of(file);
    auto* real = database.real();
    const int code = real->pMethods->xWrite(real, data, size, offset);
    if (code != SQLITE_OK || ++database.written < database.portion) {
        return code;
    }
    database.written = 0;
    return real->pMethods->xSync(real, SQLITE_SYNC_NORMAL | SQLITE_SYNC_DATAONLY);
}

int control_database(sqlite3_file* file, int code, void* value) noexcept {
    if (code == set_portion_code) {
        database_of(file).portion = *static_cast<const int*>(value);
        return SQLITE_OK;
    }
    return pass_on<&Methods::xFileControl>(file, code, value);
}

int sync_database(sqlite3_file* file, int flags) noexcept {
    database_of(file).written = 0;
    return pass_on<&Methods::xSync>(file, flags);
}

constexpr Methods database_methods{
    .iVersion = 2,  // Without memory-mapped pages.
    .xClose = pass_on<&Methods::xClose>,
    .xRead = pass_on<&Methods::xRead, void*, int, sqlite3_int64>,
    .xWrite = write_database,
    .xTruncate = pass_on<&Methods::xTruncate, sqlite3_int64>,
    .xSync = sync_database,
    .xFileSize = pass_on<&Methods::xFileSize, sqlite3_int64*>,
    .xLock = pass_on<&Methods::xLock, int>,
    .xUnlock = pass_on<&Methods::xUnlock, int>,
    .xCheckReservedLock = pass_on<&Methods::xCheckReservedLock, int*>,
    .xFileControl = control_database,
    .xSectorSize = pass_on<&Methods::xSectorSize>,
    .xDeviceCharacteristics = pass_on<&Methods::xDeviceCharacteristics>,
    .xShmMap = pass_on<&Methods::xShmMap, int, int, int, void volatile**>,
    .xShmLock = pass_on<&Methods::xShmLock, int, int, int>,
    .xShmBarrier = pass_on<&Methods::xShmBarrier>,
    .xShmUnmap = pass_on<&Methods::xShmUnmap, int>,
};

sqlite3_vfs* systems_vfs() noexcept {
    static sqlite3_vfs* const found = sqlite3_vfs_find(nullptr);
    return found;
}

int open_portioned(sqlite3_vfs*, const char* path, sqlite3_file* file, int flags,
                   int* flags_out) noexcept {
    auto* system = systems_vfs();
    if ((flags & SQLITE_OPEN_MAIN_DB) == 0) {
        return system->xOpen(system, path, file, flags, flags_out);
    }
    file->pMethods = nullptr;  // While it is null, SQLite does not close the file.
    auto* database = new (file) DatabaseFile{.base = {}, .portion = portion_usual, .written = 0};
    const int code = system->xOpen(system, path, database->real(), flags, flags_out);
    if (code == SQLITE_OK) {
        database->base.pMethods = &database_methods;
    }
    return code;
}

}  // namespace

const char* portioned_vfs() noexcept {
    static sqlite3_vfs vfs = [] {
        auto copy = *systems_vfs();  // Paths, randomness and time stay the system's.
        copy.pNext = nullptr;
        copy.zName = portioned_name;
        copy.szOsFile += static_cast<int>(sizeof(DatabaseFile));
        copy.xOpen = open_portioned;
        return copy;
    }();
    static const int registered = sqlite3_vfs_register(&vfs, 0);
    return registered == SQLITE_OK ? portioned_name : nullptr;
}

void set_portion(sqlite3* connection, int pages) noexcept {
    sqlite3_file_control(connection, "main", set_portion_code, &pages);
}

}  // namespace merpati::store::sqlite
