// How a fuzz target says that something is not so.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <source_location>

namespace merpati::fuzz {

/// Ends the process, which libFuzzer reports together with the input. `rule` is the sentence that
/// did not hold.
inline void check(bool holds, const char* rule,
                  std::source_location where = std::source_location::current()) {
    if (!holds) {
        std::fprintf(stderr, "%s:%u: does not hold: %s\n", where.file_name(), where.line(), rule);
        std::abort();
    }
}

}  // namespace merpati::fuzz
