// Disks that fail, for the tests of the SQLite engine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace merpati::store::sqlite {

/// A call of SQLite to a file.
enum class FileCall : std::uint8_t { write, sync };

struct Fault {
    std::string_view file;  // The end of its name: "-wal", "merpati.db".
    FileCall call = FileCall::write;
    int code = 0;   // SQLITE_FULL, SQLITE_IOERR_FSYNC, …
    int after = 0;  // So many calls succeed first.
};

/// While an object lives, calls that fit a fault fail; without one all reach the disk. One at a
/// time. Every connection of the test program goes through it, because it is made SQLite's default
/// before the engine asks for that.
class Faults {
public:
    Faults();
    ~Faults();
    Faults(const Faults&) = delete;
    Faults& operator=(const Faults&) = delete;

    void inject(Fault fault);
    void clear();

    /// What was called since the last question: "write -wal", "sync merpati.db"; repeats of a call
    /// in a row are one.
    std::vector<std::string> calls();
};

}  // namespace merpati::store::sqlite
