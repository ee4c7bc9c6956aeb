// The character classes of RFC 9110, independent of any locale.
#pragma once

#include <algorithm>
#include <string_view>

namespace merpati::http {

[[nodiscard]] constexpr bool is_digit(char c) noexcept {
    return c >= '0' && c <= '9';
}

[[nodiscard]] constexpr char to_lower(char c) noexcept {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

[[nodiscard]] constexpr bool is_letter(char c) noexcept {
    return to_lower(c) >= 'a' && to_lower(c) <= 'z';
}

/// A character of a token (RFC 9110 section 5.6.2): methods and field names are made of these.
[[nodiscard]] constexpr bool is_token_char(char c) noexcept {
    return is_letter(c) || is_digit(c) ||
           std::string_view{"!#$%&'*+-.^_`|~"}.find(c) != std::string_view::npos;
}

/// What a field value may hold besides visible characters: space, tab and bytes above 127.
[[nodiscard]] constexpr bool is_value_char(char c) noexcept {
    const auto byte = static_cast<unsigned char>(c);
    return c == '\t' || (byte >= 0x20 && byte != 0x7f);
}

[[nodiscard]] constexpr bool equals_ignoring_case(std::string_view left,
                                                  std::string_view right) noexcept {
    return left.size() == right.size() &&
           std::equal(left.begin(), left.end(), right.begin(),
                      [](char a, char b) { return to_lower(a) == to_lower(b); });
}

}  // namespace merpati::http
