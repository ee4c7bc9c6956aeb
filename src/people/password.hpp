// Which passwords are taken, and how one is made.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/random.hpp"

namespace merpati::people {

inline constexpr std::size_t password_characters_min = 12;
/// Bounds the work of hashing one.
inline constexpr std::size_t password_bytes_max = 256;

/// Errors: invalid_argument: too short, too long, not UTF-8, a control character, or one that is
/// guessed first: a common one, the person's own address, or nearly one character only. The detail
/// is a sentence for the person.
[[nodiscard]] Result<void> check_password(std::string_view password, std::string_view email);

/// Twenty letters and digits in groups of five, 100 bits.
[[nodiscard]] std::string make_password(Random& random);

}  // namespace merpati::people
