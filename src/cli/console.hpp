// Where a command reads from and writes to.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <map>
#include <string>

namespace merpati::cli {

struct Console {
    std::ostream& out;  // Results alone, so that they can be piped.
    std::ostream& err;  // Everything said to the person.
    std::map<std::string, std::string> environment;
    std::istream* in = nullptr;  // What the person says; null: nothing.
    /// Of the terminal that `out` is. 0: it is none, or one that knows no escape sequences.
    std::size_t columns = 0;
};

/// Exit codes of every command.
inline constexpr int exit_done = 0;
inline constexpr int exit_failed = 1;
inline constexpr int exit_usage = 2;

}  // namespace merpati::cli
