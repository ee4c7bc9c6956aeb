// Where a command reads from and writes to.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>

namespace merpati::cli {

struct Console {
    std::ostream& out;  // Results alone, so that they can be piped.
    std::ostream& err;  // Everything said to the person.
    std::map<std::string, std::string> environment;
    std::istream* in = nullptr;  // What the person says; null: nothing.
    /// The first line of standard input where something else than a person is at its other end, and
    /// has written one; null: nothing is.
    std::optional<std::string> (*piped_line)() = nullptr;
    /// Of the terminal that `out` is. 0: it is none, or one that knows no escape sequences.
    std::size_t columns = 0;
};

/// Exit codes of every command.
inline constexpr int exit_done = 0;
inline constexpr int exit_failed = 1;
inline constexpr int exit_usage = 2;

}  // namespace merpati::cli
