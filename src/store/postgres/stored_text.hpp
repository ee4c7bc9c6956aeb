// Texts with the character NUL, which PostgreSQL does not store.
#pragma once

#include <string>
#include <string_view>

namespace merpati::store::postgres {

/// Whether a text must be encoded to be stored; and whether a stored one was.
[[nodiscard]] bool must_encode(std::string_view text) noexcept;
[[nodiscard]] bool is_encoded(std::string_view stored) noexcept;

/// Replaces NUL by U+FDD0 and '0', and U+FDD0 by itself and '1'. U+FDD0 is no character of any
/// text, so that hardly a text becomes longer. Different texts stay different.
[[nodiscard]] std::string encoded(std::string_view text);
[[nodiscard]] std::string decoded(std::string_view stored);

}  // namespace merpati::store::postgres
