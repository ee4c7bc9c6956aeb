// The simulator's record of every attempt, from which outside tests count losses and duplicates.
#pragma once

#include <filesystem>
#include <string>
#include <sys/types.h>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/file_descriptor.hpp"
#include "connector/connector.hpp"
#include "model/outcome.hpp"

namespace merpati::connector::simulator {

/// Appends one JSON line per attempt (operate.md, The simulator's recipients).
///
/// Operation: `add` gathers lines, `write` appends them all with one system call. The file need not
/// be a regular one (`/dev/stderr`); one that is not has nothing to read back.
///
/// Faults: a file holds whole lines only. A line torn by a crash at its end is cut off when it is
/// opened, what a failed write left behind is cut off at once: neither attempt was ever reported.
///
/// Threads: one at a time.
class AttemptLog {
public:
    /// Opens or makes the file. Errors: io_failed.
    [[nodiscard]] Result<void> open(const std::filesystem::path& file);

    [[nodiscard]] bool is_open() const noexcept { return static_cast<bool>(file_); }

    /// What the file says of messages that were sent.
    struct Sent {
        std::unordered_set<Uuid> all;
        /// Those of them that are reported when their devices connect again.
        std::vector<std::pair<model::PhoneNumber, Uuid>> reported_at_reconnect;
    };
    /// Reads all of it. Errors: io_failed.
    [[nodiscard]] Result<Sent> read_sent() const;

    /// Adds a line to the group that `write` appends.
    void add(Timestamp time, const SendRequest& request, const model::Outcome& outcome);

    /// Errors: io_failed; nothing of the group is then in the file.
    [[nodiscard]] Result<void> write();

private:
    [[nodiscard]] Result<void> cut_torn_line();

    std::filesystem::path path_;
    FileDescriptor file_;
    bool regular_ = false;
    off_t size_ = 0;  // Of a regular file: the end of its last whole line.
    std::string group_;
};

}  // namespace merpati::connector::simulator
