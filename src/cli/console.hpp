// Where a command reads from and writes to.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>

namespace merpati::cli {

struct Console {
    std::ostream& out;  // Only results, so that they can be piped.
    std::ostream& err;  // Messages for the person.
    std::map<std::string, std::string> environment;
    std::istream* in = nullptr;  // Answers of the person; null: none.
    /// Returns the first line of standard input if that is not a terminal and a line arrives soon.
    /// Null: there is no standard input.
    std::optional<std::string> (*piped_line)() = nullptr;
    /// Width of the terminal. 0: `out` is no terminal, or one without escape sequences.
    std::size_t columns = 0;
};

/// Exit codes of every command.
inline constexpr int exit_done = 0;
inline constexpr int exit_failed = 1;
inline constexpr int exit_usage = 2;

}  // namespace merpati::cli
