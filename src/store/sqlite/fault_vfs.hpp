// Disks that fail, for the tests of the SQLite engine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace merpati::store::sqlite {

/// A call of SQLite to a file.
enum class FileCall : std::uint8_t { read, write, sync };

struct Fault {
    std::string_view file;  // The end of its name: "-wal", "merpati.db".
    FileCall call = FileCall::write;
    int code = 0;           // SQLITE_FULL, SQLITE_IOERR_FSYNC, …
    int after = 0;          // The number of calls that succeed first.
    std::int64_t page = 0;  // Only calls for this page of a database file; 0: for all.
};

/// While an object lives, calls that match one of its faults fail. Without an object, all calls
/// reach the disk.
///
/// Every connection of the test program uses this VFS, because it becomes SQLite's default before
/// the engine asks for the default.
class Faults {
public:
    Faults();
    ~Faults();
    Faults(const Faults&) = delete;
    Faults& operator=(const Faults&) = delete;

    void inject(Fault fault);
    void clear();

    /// The writes and syncs since the last call of this function: "write -wal", "sync merpati.db".
    /// Consecutive repeats count once.
    std::vector<std::string> calls();
};

}  // namespace merpati::store::sqlite
