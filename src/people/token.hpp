// Secrets that are drawn: what opens a session, a sign-in link, an account without its second
// factor.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.hpp"
#include "base/random.hpp"

namespace merpati::people {

/// 256 bits in base62, 43 characters: a session's, or a link's.
[[nodiscard]] std::string make_token(Random& random);

/// What is stored of a token, and found by. A digest without a salt is enough, because nobody can
/// guess a token. Empty for what cannot be one.
[[nodiscard]] std::optional<Sha256> token_digest(std::string_view token);

/// Letters and digits that are not taken for one another, in groups with '-' between them. Each is
/// 5 bits.
[[nodiscard]] std::string make_grouped_code(Random& random, std::size_t groups, std::size_t size);

inline constexpr std::size_t recovery_codes_count = 10;
/// 80 bits each: nobody can guess one from its digest either.
[[nodiscard]] std::vector<std::string> make_recovery_codes(Random& random);

/// Of a recovery code in either case, with or without its '-' and spaces; empty for what cannot be
/// one.
[[nodiscard]] std::optional<Sha256> recovery_digest(std::string_view code);

}  // namespace merpati::people
