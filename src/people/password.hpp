// The rules for passwords, and generated passwords.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/random.hpp"

namespace merpati::people {

inline constexpr std::size_t password_characters_min = 12;
/// Limits the work of hashing.
inline constexpr std::size_t password_bytes_max = 256;

/// Errors: invalid_argument: too short, too long, not UTF-8, an ASCII control character, or easy to
/// guess: a common password, the person's address or its part before the '@', or fewer than five
/// different bytes. The detail tells the person why.
[[nodiscard]] Result<void> check_password(std::string_view password, std::string_view email);

/// Twenty letters and digits in groups of five, 100 bits.
[[nodiscard]] std::string make_password(Random& random);

}  // namespace merpati::people
