// The simulator's record of every attempt, from which outside tests count losses and duplicates.
#pragma once

#include <filesystem>
#include <string>
#include <unordered_set>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "connector/connector.hpp"
#include "model/outcome.hpp"

namespace merpati::connector::simulator {

/// Appends one JSON line per attempt (operate.md, The simulator's recipients).
///
/// Faults: a line torn by a crash at the end of the file is cut off when it is opened; its attempt
/// was never reported.
class AttemptLog {
public:
    AttemptLog() = default;
    ~AttemptLog();
    AttemptLog(const AttemptLog&) = delete;
    AttemptLog& operator=(const AttemptLog&) = delete;

    /// Opens or makes the file, and reads which messages it says were sent.
    /// Errors: io_failed.
    [[nodiscard]] Result<std::unordered_set<Uuid>> open(const std::filesystem::path& file);

    [[nodiscard]] bool is_open() const noexcept { return file_ >= 0; }

    /// Adds a line to the group that `write` appends with one system call.
    void add(Timestamp time, const model::Message& message, std::uint32_t attempt,
             const model::Outcome& outcome);

    /// Errors: io_failed; the group is then dropped.
    [[nodiscard]] Result<void> write();

private:
    int file_ = -1;
    std::string group_;
};

}  // namespace merpati::connector::simulator
