// The text form of API keys (decisions.md, Keys).
#pragma once

#include <cstddef>
#include <string>

#include "base/random.hpp"

namespace merpati::admission {

/// "mpt_", 32 random bytes as 43 base62 digits, and the CRC-32 of what precedes as 6 more: scanners
/// for leaked secrets recognise a key by its look, and know a slip of the pen from a real one.
/// Admission does not look at it: it would cost every caller, and keep out nobody who can count.
inline constexpr std::size_t api_key_size = 53;

/// How much of a key is kept and shown, for recognition: too little to guess the rest from.
inline constexpr std::size_t api_key_hint_size = 10;

[[nodiscard]] std::string make_api_key(Random& random);

}  // namespace merpati::admission
