// The character classes of RFC 9110.
#pragma once

#include <string_view>

#include "base/ascii.hpp"

namespace merpati::http {

/// A character of a token (RFC 9110 section 5.6.2): methods and field names are made of these.
[[nodiscard]] constexpr bool is_token_char(char c) noexcept {
    return is_letter(c) || is_digit(c) ||
           std::string_view{"!#$%&'*+-.^_`|~"}.find(c) != std::string_view::npos;
}

/// A character of a field value (RFC 9110 section 5.5): visible, a space, a tab, or a byte above
/// 127.
[[nodiscard]] constexpr bool is_value_char(char c) noexcept {
    const auto byte = static_cast<unsigned char>(c);
    return c == '\t' || (byte >= 0x20 && byte != 0x7f);
}

}  // namespace merpati::http
