// The text form of API keys.
#pragma once

#include <cstddef>
#include <string>

#include "base/random.hpp"

namespace merpati::admission {

/// "mpt_", 32 random bytes as 43 base62 digits, and the CRC-32 of all that as 6 more. Scanners for
/// leaked secrets recognise a key by this form, and confirm it by the checksum. Authentication
/// ignores the checksum: a check would cost every caller, and anybody can compute one.
inline constexpr std::size_t api_key_size = 53;

/// How much of a key is kept and shown, for recognition: too little to guess the rest from.
inline constexpr std::size_t api_key_hint_size = 10;

[[nodiscard]] std::string make_api_key(Random& random);

}  // namespace merpati::admission
