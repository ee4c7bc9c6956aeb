#include "base/utf8.hpp"

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

}  // namespace merpati
