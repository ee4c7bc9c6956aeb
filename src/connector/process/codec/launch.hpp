// The packets between the gateway and a launcher.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "connector/process/program/confinement.hpp"

namespace merpati::connector::process {

/// A launcher runs one worker, as its own user, for the gateway that connects to it
/// (docs/operations.md). The gateway first sends one `LaunchOrder`, with the protocol's socket and
/// the pipe for the worker's output. The launcher answers with `LaunchReport`s. When the gateway
/// closes its side, the launcher ends the worker. The worker does not see these packets.
struct LaunchOrder {
    enum class Kind : std::uint8_t {
        run,
        examine,  // Only report whether the worker could be run; comes without descriptors.
    };
    Kind kind = Kind::run;
    std::uint64_t memory_max = 0;      // Of the worker and all that it starts; examine: 0.
    std::uint64_t file_bytes_max = 0;  // Program::file_bytes_max.
    /// Whether the gateway knows the report `confined`; one of an earlier version does not.
    bool wants_confinement = false;
};

/// A report of any kind but `begins` and `confined` is the last of its connection.
struct LaunchReport {
    enum class Kind : std::uint8_t {
        begins,    // Sent before the program is started; the kernel adds the sender's user.
        examined,  // The worker could be run; `text` names it.
        not_run,   // `text` says why, and what to do.
        confined,  // The program has begun, with `confinement`.
        ended,     // The worker and all that it started have ended; `text` says how.
    };
    Kind kind = Kind::begins;
    std::string text;
    Confinement confinement;
    int exit_code = -1;  // Of `ended`; -1: it was ended by a signal.
};

[[nodiscard]] std::string write_order(const LaunchOrder& order);
[[nodiscard]] std::string write_report(const LaunchReport& report);

// Errors: protocol, also for a packet of another version.
[[nodiscard]] Result<LaunchOrder> read_order(std::string_view text);
[[nodiscard]] Result<LaunchReport> read_report(std::string_view text);

}  // namespace merpati::connector::process
