// Files of an SQLite VFS that lets the system do most of the work.
#pragma once

#include <cstddef>

#include <sqlite3.h>

namespace merpati::store::sqlite {

/// A file of one's own before the system's file. SQLite allocates both as one, and gives its
/// address to the methods of the file.
///
/// Operation: `File` derives from this, and may add members. The VFS is a `wrapping_vfs<File>`,
/// whose xOpen constructs a File in the memory that it gets, and calls `open`. The methods of the
/// file are `passed_on`, but for those that differ.
template <class File>
struct WrappedFile {
    using Methods = sqlite3_io_methods;

    sqlite3_file base{};  // While its methods are null, SQLite does not close the file.

    [[nodiscard]] static File& of(sqlite3_file* file) noexcept {
        return static_cast<File&>(*reinterpret_cast<WrappedFile*>(file));
    }

    /// The system's file.
    [[nodiscard]] sqlite3_file* real() noexcept {
        return reinterpret_cast<sqlite3_file*>(static_cast<File*>(this) + 1);
    }

    /// Opens the system's file. SQLite uses `methods` from then on.
    int open(const Methods& methods, sqlite3_vfs* system, const char* path, int flags,
             int* flags_out) noexcept {
        const int code = system->xOpen(system, path, real(), flags, flags_out);
        base.pMethods = code == SQLITE_OK ? &methods : nullptr;
        return code;
    }

    /// A method that is the system's.
    template <auto Method, class... Arguments>
    static auto pass_on(sqlite3_file* file, Arguments... arguments) noexcept {
        auto* system = of(file).real();
        return (system->pMethods->*Method)(system, arguments...);
    }

    /// All of them, without memory-mapped pages.
    static constexpr Methods passed_on{
        .iVersion = 2,
        .xClose = pass_on<&Methods::xClose>,
        .xRead = pass_on<&Methods::xRead, void*, int, sqlite3_int64>,
        .xWrite = pass_on<&Methods::xWrite, const void*, int, sqlite3_int64>,
        .xTruncate = pass_on<&Methods::xTruncate, sqlite3_int64>,
        .xSync = pass_on<&Methods::xSync, int>,
        .xFileSize = pass_on<&Methods::xFileSize, sqlite3_int64*>,
        .xLock = pass_on<&Methods::xLock, int>,
        .xUnlock = pass_on<&Methods::xUnlock, int>,
        .xCheckReservedLock = pass_on<&Methods::xCheckReservedLock, int*>,
        .xFileControl = pass_on<&Methods::xFileControl, int, void*>,
        .xSectorSize = pass_on<&Methods::xSectorSize>,
        .xDeviceCharacteristics = pass_on<&Methods::xDeviceCharacteristics>,
        .xShmMap = pass_on<&Methods::xShmMap, int, int, int, void volatile**>,
        .xShmLock = pass_on<&Methods::xShmLock, int, int, int>,
        .xShmBarrier = pass_on<&Methods::xShmBarrier>,
        .xShmUnmap = pass_on<&Methods::xShmUnmap, int>,
    };
};

/// `system` with files of this type. Paths, randomness and time stay the system's.
template <class File>
sqlite3_vfs wrapping_vfs(const sqlite3_vfs& system, const char* name,
                         decltype(sqlite3_vfs::xOpen) open) noexcept {
    static_assert(sizeof(File) % alignof(std::max_align_t) == 0);  // The system's file follows.
    auto copy = system;
    copy.pNext = nullptr;
    copy.zName = name;
    copy.szOsFile += static_cast<int>(sizeof(File));
    copy.xOpen = open;
    return copy;
}

/// The VFS that was SQLite's default at the first call.
inline sqlite3_vfs* system_vfs() noexcept {
    static sqlite3_vfs* const found = sqlite3_vfs_find(nullptr);
    return found;
}

}  // namespace merpati::store::sqlite
