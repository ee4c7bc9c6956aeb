// The simulator's log of every attempt, from which outside tests count losses and duplicates.
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

/// Appends one JSON line for each attempt (setting simulator.log).
///
/// Operation: `add` gathers lines, `write` appends them together. The file may be a pipe or a
/// device (`/dev/stderr`); then nothing can be read back.
///
/// Faults: a regular file holds whole lines only. `open` cuts off a last line that a crash left
/// incomplete; a failed `write` cuts off what it wrote. The outcomes of these lines were not
/// reported.
///
/// Threads: one at a time.
class AttemptLog {
public:
    /// Opens the file, and creates it if it is missing. Errors: io_failed.
    [[nodiscard]] Result<void> open(const std::filesystem::path& file);

    [[nodiscard]] bool is_open() const noexcept { return static_cast<bool>(file_); }

    /// The messages that the file says were sent.
    struct Sent {
        std::unordered_set<Uuid> all;
        /// Those whose status is reported when their device connects again.
        std::vector<std::pair<model::PhoneNumber, Uuid>> reported_at_reconnect;
    };
    /// Reads the whole file. Errors: io_failed.
    [[nodiscard]] Result<Sent> read_sent() const;

    /// Adds a line to the group that `write` appends.
    void add(Timestamp time, const SendRequest& request, const model::Outcome& outcome);

    /// Appends the group, and empties it in any case. Errors: io_failed; a regular file then holds
    /// no line of the group, unless cutting it off failed too (the error says so).
    [[nodiscard]] Result<void> write();

private:
    [[nodiscard]] Result<void> cut_torn_line();

    std::filesystem::path path_;
    FileDescriptor file_;
    bool regular_ = false;
    off_t size_ = 0;  // Of a regular file: where its last whole line ends.
    std::string group_;
};

}  // namespace merpati::connector::simulator
