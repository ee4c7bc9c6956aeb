#include "store/sqlite/fault_vfs.hpp"

#include <mutex>
#include <new>
#include <utility>

#include <sqlite3.h>

#include "base/assert.hpp"
#include "store/sqlite/wrapped_file.hpp"

namespace merpati::store::sqlite {
namespace {

constexpr sqlite3_int64 page_bytes = 4'096;

std::mutex mutex;
int objects = 0;
std::vector<std::pair<const Faults*, Fault>> faults;
std::vector<std::string> called;

struct File : WrappedFile<File> {
    const char* path = nullptr;  // SQLite keeps it while the file is open.
};

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
    const int code = judge(File::of(file), FileCall::read, offset);
    return code != SQLITE_OK ? code : File::passed_on.xRead(file, data, size, offset);
}

int write(sqlite3_file* file, const void* data, int size, sqlite3_int64 offset) {
    const int code = judge(File::of(file), FileCall::write, offset);
    return code != SQLITE_OK ? code : File::passed_on.xWrite(file, data, size, offset);
}

int sync(sqlite3_file* file, int flags) {
    const int code = judge(File::of(file), FileCall::sync);
    return code != SQLITE_OK ? code : File::passed_on.xSync(file, flags);
}

constexpr sqlite3_io_methods methods = [] {
    auto own = File::passed_on;
    own.xRead = read;
    own.xWrite = write;
    own.xSync = sync;
    return own;
}();

sqlite3_vfs* disk_vfs = nullptr;  // The default before this one.

int open_file(sqlite3_vfs*, const char* path, sqlite3_file* file, int flags, int* flags_out) {
    auto* own = new (file) File;
    own->path = path;
    return own->open(methods, disk_vfs, path, flags, flags_out);
}

/// Runs before main, because the engine asks for the default VFS only once.
[[maybe_unused]] const bool registered = [] {
    disk_vfs = sqlite3_vfs_find(nullptr);
    static auto vfs = wrapping_vfs<File>(*disk_vfs, "merpati-faults", open_file);
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
