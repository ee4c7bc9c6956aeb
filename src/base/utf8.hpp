// Text as UTF-8.
#pragma once

#include <cstddef>
#include <string_view>

namespace merpati {

/// Whether `text` is well-formed UTF-8 (RFC 3629): no overlong form, no surrogate, nothing above
/// U+10FFFF.
[[nodiscard]] bool is_utf8(std::string_view text) noexcept;

/// The beginning of `text`, at most `bytes_max` bytes, cut between two characters.
[[nodiscard]] std::string_view utf8_prefix(std::string_view text, std::size_t bytes_max) noexcept;

/// How many characters (code points) well-formed UTF-8 has.
[[nodiscard]] std::size_t utf8_characters(std::string_view text) noexcept;

/// `text` without the blanks at its ends: the characters with Unicode's property White_Space. Other
/// invisible characters, such as the zero-width space, are text.
[[nodiscard]] std::string_view trim_blanks(std::string_view text) noexcept;

[[nodiscard]] inline bool is_blank(std::string_view text) noexcept {
    return trim_blanks(text).empty();
}

}  // namespace merpati
