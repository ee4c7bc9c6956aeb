// Broken invariants end the process, in release builds too.
#pragma once

#include <source_location>

namespace merpati {

/// Prints the broken invariant and aborts. The next start recovers the messages in flight.
[[noreturn]] void invariant_broken(
    const char* what, std::source_location where = std::source_location::current()) noexcept;

/// Asserts an invariant, which only a defect of this program can make false. A failure that input
/// or the environment can cause is an Error instead.
inline void invariant(bool holds, const char* what,
                      std::source_location where = std::source_location::current()) noexcept {
    if (!holds) [[unlikely]] {
        invariant_broken(what, where);
    }
}

}  // namespace merpati
