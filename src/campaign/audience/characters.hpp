// Single characters of UTF-8 text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace merpati::campaign {

inline constexpr std::string_view replacement_character = "\xEF\xBF\xBD";  // U+FFFD

struct CodePoint {
    std::uint32_t number = 0;
    std::size_t bytes = 1;
};

/// The first character of well-formed, non-empty UTF-8.
[[nodiscard]] constexpr CodePoint first_character(std::string_view text) noexcept {
    const auto byte = [text](std::size_t at) { return static_cast<std::uint8_t>(text[at]); };
    const std::uint32_t first = byte(0);
    if (first < 0x80) {
        return {first, 1};
    }
    const std::size_t bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    std::uint32_t number = first & (0x7FU >> bytes);
    for (std::size_t at = 1; at < bytes && at < text.size(); ++at) {
        number = number << 6U | (byte(at) & 0x3FU);
    }
    return {number, bytes};
}

/// A control character of ASCII or of Latin-1.
[[nodiscard]] constexpr bool is_control(std::uint32_t number) noexcept {
    return number < 0x20 || (number >= 0x7F && number <= 0x9F);
}

}  // namespace merpati::campaign
