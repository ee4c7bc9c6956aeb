// Classes and cases of ASCII characters, independent of any locale.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace merpati {

inline constexpr std::string_view hex_digits = "0123456789abcdef";

[[nodiscard]] constexpr bool is_digit(char c) noexcept {
    return c >= '0' && c <= '9';
}

[[nodiscard]] constexpr char to_lower(char c) noexcept {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

[[nodiscard]] constexpr bool is_letter(char c) noexcept {
    return to_lower(c) >= 'a' && to_lower(c) <= 'z';
}

/// The value of a hexadecimal digit in either case; -1 if `c` is not one.
[[nodiscard]] constexpr int hex_value(char c) noexcept {
    const auto place = hex_digits.find(to_lower(c));
    return place == std::string_view::npos ? -1 : static_cast<int>(place);
}

[[nodiscard]] inline std::string lower_case(std::string_view text) {
    std::string lowered{text};
    std::ranges::transform(lowered, lowered.begin(), to_lower);
    return lowered;
}

[[nodiscard]] constexpr bool equals_ignoring_case(std::string_view left,
                                                  std::string_view right) noexcept {
    return std::ranges::equal(left, right, {}, to_lower, to_lower);
}

}  // namespace merpati
