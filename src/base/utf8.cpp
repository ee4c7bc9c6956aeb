#include "base/utf8.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace merpati {
namespace {

/// A row of Unicode's table of well-formed sequences (The Unicode Standard, table 3-7).
struct Sequence {
    std::uint8_t first_min, first_max;
    std::uint8_t second_min, second_max;
    std::uint8_t more;  // Bytes 80 to BF after the second one.
};
constexpr std::array sequences{
    Sequence{0xC2, 0xDF, 0x80, 0xBF, 0}, Sequence{0xE0, 0xE0, 0xA0, 0xBF, 1},
    Sequence{0xE1, 0xEC, 0x80, 0xBF, 1}, Sequence{0xED, 0xED, 0x80, 0x9F, 1},
    Sequence{0xEE, 0xEF, 0x80, 0xBF, 1}, Sequence{0xF0, 0xF0, 0x90, 0xBF, 2},
    Sequence{0xF1, 0xF3, 0x80, 0xBF, 2}, Sequence{0xF4, 0xF4, 0x80, 0x8F, 2},
};

/// The length of the sequence that `text` begins with, whose first byte is not ASCII; 0: malformed.
std::size_t sequence_length(std::string_view text) noexcept {
    const auto byte = [text](std::size_t at) { return static_cast<std::uint8_t>(text[at]); };
    for (const auto& row : sequences) {
        if (byte(0) < row.first_min || byte(0) > row.first_max) {
            continue;
        }
        const std::size_t length = 2U + row.more;
        if (text.size() < length || byte(1) < row.second_min || byte(1) > row.second_max) {
            return 0;
        }
        for (std::size_t at = 2; at < length; ++at) {
            if ((byte(at) & 0xC0U) != 0x80U) {
                return 0;
            }
        }
        return length;
    }
    return 0;
}

/// UTF-8 of the characters with Unicode's property White_Space.
constexpr auto blanks = std::to_array<std::string_view>(
    {" ",      "\t",     "\n",     "\v",     "\f",     "\r",     "\u0085", "\u00a0", "\u1680",
     "\u2000", "\u2001", "\u2002", "\u2003", "\u2004", "\u2005", "\u2006", "\u2007", "\u2008",
     "\u2009", "\u200a", "\u2028", "\u2029", "\u202f", "\u205f", "\u3000"});

}  // namespace

bool is_utf8(std::string_view text) noexcept {
    while (!text.empty()) {
        // Most text is ASCII: eight bytes at a time.
        std::uint64_t word = 0;
        if (text.size() >= sizeof word) {
            std::memcpy(&word, text.data(), sizeof word);
            if ((word & 0x8080'8080'8080'8080U) == 0) {
                text.remove_prefix(sizeof word);
                continue;
            }
        }
        const bool is_ascii = (static_cast<std::uint8_t>(text.front()) & 0x80U) == 0;
        const auto length = is_ascii ? 1 : sequence_length(text);
        if (length == 0) {
            return false;
        }
        text.remove_prefix(length);
    }
    return true;
}

std::string_view utf8_prefix(std::string_view text, std::size_t bytes_max) noexcept {
    if (text.size() <= bytes_max) {
        return text;
    }
    auto end = bytes_max;
    while (end > 0 && (static_cast<std::uint8_t>(text[end]) & 0xC0U) == 0x80U) {
        --end;
    }
    return text.substr(0, end);
}

std::size_t utf8_characters(std::string_view text) noexcept {
    return static_cast<std::size_t>(std::ranges::count_if(
        text, [](char c) { return (static_cast<std::uint8_t>(c) & 0xC0U) != 0x80U; }));
}

std::string_view trim_blanks(std::string_view text) noexcept {
    // Most ends are visible ASCII.
    const auto may_be_blank = [](char c) {
        return c <= ' ' || (static_cast<std::uint8_t>(c) & 0x80U) != 0;
    };
    const auto size_of = [](auto matches) {
        const auto* found = std::ranges::find_if(blanks, matches);
        return found == blanks.end() ? 0 : found->size();
    };
    while (!text.empty() && may_be_blank(text.front())) {
        const auto size = size_of([&](std::string_view one) { return text.starts_with(one); });
        if (size == 0) {
            break;
        }
        text.remove_prefix(size);
    }
    while (!text.empty() && may_be_blank(text.back())) {
        const auto size = size_of([&](std::string_view one) { return text.ends_with(one); });
        if (size == 0) {
            break;
        }
        text.remove_suffix(size);
    }
    return text;
}

}  // namespace merpati
