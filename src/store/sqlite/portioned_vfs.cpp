#include "store/sqlite/portioned_vfs.hpp"

#include <new>

#include <sqlite3.h>

#include "store/sqlite/wrapped_file.hpp"

namespace merpati::store::sqlite {
namespace {

constexpr int portion_usual = 64;
constexpr int set_portion_code = 101;  // SQLite's own are below 100.

struct DatabaseFile : WrappedFile<DatabaseFile> {
    int portion = portion_usual;
    int written = 0;  // Pages since the last sync.
};

int write_database(sqlite3_file* file, const void* data, int size, sqlite3_int64 offset) noexcept {
    auto& database = DatabaseFile::of(file);
    auto* real = database.real();
    const int code = real->pMethods->xWrite(real, data, size, offset);
    if (code != SQLITE_OK || ++database.written < database.portion) {
        return code;
    }
    database.written = 0;
    return real->pMethods->xSync(real, SQLITE_SYNC_NORMAL | SQLITE_SYNC_DATAONLY);
}

int sync_database(sqlite3_file* file, int flags) noexcept {
    DatabaseFile::of(file).written = 0;
    return DatabaseFile::passed_on.xSync(file, flags);
}

int control_database(sqlite3_file* file, int code, void* value) noexcept {
    if (code == set_portion_code) {
        DatabaseFile::of(file).portion = *static_cast<const int*>(value);
        return SQLITE_OK;
    }
    return DatabaseFile::passed_on.xFileControl(file, code, value);
}

constexpr sqlite3_io_methods database_methods = [] {
    auto methods = DatabaseFile::passed_on;
    methods.xWrite = write_database;
    methods.xSync = sync_database;
    methods.xFileControl = control_database;
    return methods;
}();

int open_portioned(sqlite3_vfs*, const char* path, sqlite3_file* file, int flags,
                   int* flags_out) noexcept {
    auto* system = system_vfs();
    if ((flags & SQLITE_OPEN_MAIN_DB) == 0) {
        return system->xOpen(system, path, file, flags, flags_out);
    }
    auto* database = new (file) DatabaseFile;
    return database->open(database_methods, system, path, flags, flags_out);
}

}  // namespace

const char* portioned_vfs() noexcept {
    static auto vfs =
        wrapping_vfs<DatabaseFile>(*system_vfs(), "merpati-portioned", open_portioned);
    static const int registered = sqlite3_vfs_register(&vfs, 0);
    return registered == SQLITE_OK ? vfs.zName : nullptr;
}

void set_portion(sqlite3* connection, int pages) noexcept {
    sqlite3_file_control(connection, "main", set_portion_code, &pages);
}

}  // namespace merpati::store::sqlite
