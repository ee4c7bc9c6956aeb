#include "store/sqlite/fault_vfs.hpp"

#include <mutex>
#include <new>
#include <utility>

#include <sqlite3.h>

#include "base/assert.hpp"

namespace merpati::store::sqlite {
namespace {

constexpr sqlite3_int64 page_bytes = 4'096;

std::mutex mutex;
int objects = 0;
std::vector<std::pair<const Faults*, Fault>> faults;
std::vector<std::string> called;

/// SQLite allocates `szOsFile` bytes: this struct, followed by the system's file.
struct File {
    sqlite3_file base;
    const char* path;  // SQLite keeps it while the file is open.

    [[nodiscard]] sqlite3_file* real() noexcept {
        return reinterpret_cast<sqlite3_file*>(this + 1);
    }
};

File& file_of(sqlite3_file* file) noexcept {
    return *reinterpret_cast<File*>(file);
}

void note_call(std::string_view path, FileCall call) {
    const auto name =
        path.ends_with("-wal") ? path.substr(path.size() - 4) : path.substr(path.rfind('/') + 1);
    auto word = (call == FileCall::write ? "write " : "sync ") + std::string{name};
    if (called.empty() || called.back() != word) {
        called.push_back(std::move(word));
    }
}

/// The code that the call returns; SQLITE_OK: the call reaches the disk.
int judge(const File& file, FileCall call, sqlite3_int64 offset = 0) {
    const std::lock_guard lock{mutex};
    if (objects == 0 || file.path == nullptr) {
        return SQLITE_OK;
    }
    const std::string_view path = file.path;
    if (call != FileCall::read) {
        note_call(path, call);
    }
    const auto page = offset / page_bytes + 1;
    for (auto& [owner, fault] : faults) {
        if (fault.call == call && path.ends_with(fault.file) &&
            (fault.page == 0 || fault.page == page) && fault.after-- <= 0) {
            return fault.code;
        }
    }
    return SQLITE_OK;
}

int read(sqlite3_file* file, void* data, int size, sqlite3_int64 offset) {
    auto& own = file_of(file);
    const int code = judge(own, FileCall::read, offset);
    return code != SQLITE_OK ? code : own.real()->pMethods->xRead(own.real(), data, size, offset);
}

int write(sqlite3_file* file, const void* data, int size, sqlite3_int64 offset) {
    auto& own = file_of(file);
    const int code = judge(own, FileCall::write, offset);
    return code != SQLITE_OK ? code : own.real()->pMethods->xWrite(own.real(), data, size, offset);
}

int sync(sqlite3_file* file, int flags) {
    auto& own = file_of(file);
    const int code = judge(own, FileCall::sync);
    return code != SQLITE_OK ? code : own.real()->pMethods->xSync(own.real(), flags);
}

template <auto Method, class... Arguments>
auto directly(sqlite3_file* file, Arguments... arguments) {
    auto* real = file_of(file).real();
    return (real->pMethods->*Method)(real, arguments...);
}

using Methods = sqlite3_io_methods;
constexpr Methods methods{
    .iVersion = 2,  // No memory mapping of the database.
    .xClose = directly<&Methods::xClose>,
    .xRead = read,
    .xWrite = write,
    .xTruncate = directly<&Methods::xTruncate, sqlite3_int64>,
    .xSync = sync,
    .xFileSize = directly<&Methods::xFileSize, sqlite3_int64*>,
    .xLock = directly<&Methods::xLock, int>,
    .xUnlock = directly<&Methods::xUnlock, int>,
    .xCheckReservedLock = directly<&Methods::xCheckReservedLock, int*>,
    .xFileControl = directly<&Methods::xFileControl, int, void*>,
    .xSectorSize = directly<&Methods::xSectorSize>,
    .xDeviceCharacteristics = directly<&Methods::xDeviceCharacteristics>,
    .xShmMap = directly<&Methods::xShmMap, int, int, int, void volatile**>,
    .xShmLock = directly<&Methods::xShmLock, int, int, int>,
    .xShmBarrier = directly<&Methods::xShmBarrier>,
    .xShmUnmap = directly<&Methods::xShmUnmap, int>,
};

sqlite3_vfs* system_vfs = nullptr;

int open_file(sqlite3_vfs*, const char* path, sqlite3_file* file, int flags, int* flags_out) {
    auto* own = new (file) File{.base = {}, .path = path};
    const int code = system_vfs->xOpen(system_vfs, path, own->real(), flags, flags_out);
    own->base.pMethods = own->real()->pMethods == nullptr ? nullptr : &methods;
    return code;
}

/// Runs before main, because the engine asks for the default VFS only once.
[[maybe_unused]] const bool registered = [] {
    system_vfs = sqlite3_vfs_find(nullptr);
    static sqlite3_vfs vfs = *system_vfs;
    vfs.pNext = nullptr;
    vfs.zName = "merpati-faults";
    vfs.szOsFile += static_cast<int>(sizeof(File));
    vfs.xOpen = open_file;
    return sqlite3_vfs_register(&vfs, 1) == SQLITE_OK;
}();

}  // namespace

Faults::Faults() {
    const std::lock_guard lock{mutex};
    invariant(registered, "SQLite uses this VFS");
    ++objects;
}

Faults::~Faults() {
    clear();
    const std::lock_guard lock{mutex};
    --objects;
    called.clear();
}

void Faults::inject(Fault fault) {
    const std::lock_guard lock{mutex};
    faults.emplace_back(this, fault);
}

void Faults::clear() {
    const std::lock_guard lock{mutex};
    std::erase_if(faults, [this](const auto& fault) { return fault.first == this; });
}

std::vector<std::string> Faults::calls() {
    const std::lock_guard lock{mutex};
    return std::exchange(called, {});
}

}  // namespace merpati::store::sqlite
