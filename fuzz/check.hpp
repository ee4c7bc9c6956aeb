// How a fuzz target reports a violated rule.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <source_location>

namespace merpati::fuzz {

/// Aborts the process if `holds` is false; libFuzzer then saves the input. `rule` is the sentence
/// that must hold.
inline void check(bool holds, const char* rule,
                  std::source_location where = std::source_location::current()) {
    if (!holds) {
        std::fprintf(stderr, "%s:%u: does not hold: %s\n", where.file_name(), where.line(), rule);
        std::abort();
    }
}

}  // namespace merpati::fuzz
