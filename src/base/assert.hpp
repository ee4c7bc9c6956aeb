// Broken invariants end the process, in release builds too.
#pragma once

#include <source_location>

namespace merpati {

/// Prints the broken invariant and aborts. Recovery at the next start repairs what was in flight.
[[noreturn]] void invariant_broken(
    const char* what, std::source_location where = std::source_location::current()) noexcept;

/// Asserts an invariant: something only a mistake in this program could make false. What the
/// outside can cause is an Error instead.
inline void invariant(bool holds, const char* what,
                      std::source_location where = std::source_location::current()) noexcept {
    if (!holds) [[unlikely]] {
        invariant_broken(what, where);
    }
}

}  // namespace merpati
