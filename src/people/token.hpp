// Random secrets: tokens of sessions and sign-in links, and recovery codes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.hpp"
#include "base/random.hpp"

namespace merpati::people {

/// 256 bits in base62, 43 characters, for a session or a sign-in link.
[[nodiscard]] std::string make_token(Random& random);

/// The digest by which a token is stored and found. It needs no salt, because nobody can guess a
/// token. Empty if `token` does not have the form of one.
[[nodiscard]] std::optional<Sha256> token_digest(std::string_view token);

/// Letters and digits that are not easily confused, in groups with '-' between them. Each holds 5
/// bits.
[[nodiscard]] std::string make_grouped_code(Random& random, std::size_t groups, std::size_t size);

inline constexpr std::size_t recovery_codes_count = 10;
/// 80 bits each: too many to find a code by its digest.
[[nodiscard]] std::vector<std::string> make_recovery_codes(Random& random);

/// The digest of a recovery code, in either case, with or without '-' and spaces. Empty if `code`
/// does not have the form of one.
[[nodiscard]] std::optional<Sha256> recovery_digest(std::string_view code);

}  // namespace merpati::people
