// What the gateway and a launcher say to each other.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace merpati::connector::process {

/// A launcher runs one worker for whoever connects, as its own user (docs/operations.md). The
/// connection has packets: the gateway sends one `LaunchOrder` as the first, with the protocol's
/// socket and the pipe for what is printed; the launcher answers with `LaunchReport`s. The worker
/// ends when the gateway's side does. Neither is seen by the worker.
struct LaunchOrder {
    enum class Kind : std::uint8_t {
        run,
        examine,  // Only say whether it could be run; no descriptors are with it.
    };
    Kind kind = Kind::run;
    std::uint64_t memory_max = 0;      // Of the worker and of all that it starts; examine: 0.
    std::uint64_t file_bytes_max = 0;  // Of each file that it writes (Program).
};

/// The last one is all but `begins`.
struct LaunchReport {
    enum class Kind : std::uint8_t {
        begins,    // Sent before the program is started, so that the kernel names the sender.
        examined,  // It could be run: `text` says what.
        not_run,   // `text` says why, and what to do.
        ended,     // All processes have; `text` says how.
    };
    Kind kind = Kind::begins;
    std::string text;
    int exit_code = -1;  // With `ended`; -1: by a signal.
};

[[nodiscard]] std::string write_order(const LaunchOrder& order);
[[nodiscard]] std::string write_report(const LaunchReport& report);

/// Errors: protocol, also where the other side is of a version that says it otherwise.
[[nodiscard]] Result<LaunchOrder> read_order(std::string_view text);
[[nodiscard]] Result<LaunchReport> read_report(std::string_view text);

}  // namespace merpati::connector::process
