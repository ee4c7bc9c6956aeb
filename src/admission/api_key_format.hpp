// The text form of API keys (decisions.md, Keys).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/random.hpp"

namespace merpati::admission {

/// "mpt_", 32 random bytes as 43 base62 digits, and the CRC-32 of what precedes as 6 more: a
/// slip of the pen is told apart without asking the store, and scanners for leaked secrets
/// recognise a key by its look.
inline constexpr std::size_t api_key_size = 53;

/// How much of a key is kept and shown, for recognition: too little to guess the rest from.
inline constexpr std::size_t api_key_hint_size = 10;

[[nodiscard]] std::string make_api_key(Random& random);

/// Whether `text` has the form and its checksum is right. Says nothing about whether such a key
/// was ever given out.
[[nodiscard]] bool is_api_key_well_formed(std::string_view text) noexcept;

}  // namespace merpati::admission
