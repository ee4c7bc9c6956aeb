// Whether what a store holds can be read, looked at as a whole.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"

namespace merpati::store {

enum class Depth : std::uint8_t {
    quick,  // Every page is what it should be.
    deep,   // And indexes and tables say the same.
};

struct Integrity {
    std::vector<std::string> damages;  // In the engine's words, the first few.
    bool complete = true;              // False: the time was up first.
};

/// Reads the store that is open elsewhere, and changes nothing. Takes about a second a gigabyte
/// (quick), some ten times as long (deep), and no longer than `longest`.
/// Errors: invalid_argument (URL), store_failed.
[[nodiscard]] Result<Integrity> check_integrity(const std::string& url, Depth depth,
                                                const Clock& clock,
                                                std::chrono::milliseconds longest);

}  // namespace merpati::store
