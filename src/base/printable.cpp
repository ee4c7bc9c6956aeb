#include "base/printable.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <fmt/format.h>

namespace merpati {
namespace {

/// The first character of a text. Not `valid`: its first byte begins no well-formed sequence.
struct Character {
    std::size_t size = 1;
    std::uint32_t number = 0;
    bool valid = false;
};

Character front_of(std::string_view text) {
    const auto byte = [&](std::size_t place) { return static_cast<unsigned char>(text[place]); };
    const unsigned first = byte(0);
    if (first < 0x80) {
        return {.number = first, .valid = true};
    }
    const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || text.size() < size) {
        return {};
    }
    std::uint32_t number = first & (0x7fU >> size);
    for (std::size_t place = 1; place < size; ++place) {
        if ((byte(place) & 0xc0U) != 0x80U) {
            return {};
        }
        number = number << 6U | (byte(place) & 0x3fU);
    }
    static constexpr std::uint32_t smallest[] = {0x80, 0x800, 0x10000};
    const bool sound =
        number >= smallest[size - 2] && number <= 0x10ffff && (number < 0xd800 || number > 0xdfff);
    return sound ? Character{.size = size, .number = number, .valid = true} : Character{};
}

bool misleads(std::uint32_t number) {
    return number < 0x20 || (number >= 0x7f && number <= 0x9f) || number == 0x061c ||
           number == 0x200e || number == 0x200f || (number >= 0x2028 && number <= 0x202e) ||
           (number >= 0x2066 && number <= 0x2069);
}

}  // namespace

std::string printable(std::string_view text) {
    if (std::ranges::all_of(text, [](char byte) { return byte >= 0x20 && byte < 0x7f; })) {
        return std::string{text};
    }
    std::string shown;
    shown.reserve(text.size());
    while (!text.empty()) {
        const auto character = front_of(text);
        if (!character.valid || misleads(character.number)) {
            shown += '?';
        } else {
            shown += text.substr(0, character.size);
        }
        text.remove_prefix(character.size);
    }
    return shown;
}

std::string printable_json(std::string_view json) {
    std::string shown;
    shown.reserve(json.size());
    while (!json.empty()) {
        const auto character = front_of(json);
        // Below 0x20 there is only white space between values; JSON escapes the rest in strings.
        if (character.valid && character.number >= 0x7f && misleads(character.number)) {
            shown += fmt::format("\\u{:04x}", character.number);
        } else {
            shown += json.substr(0, character.size);
        }
        json.remove_prefix(character.size);
    }
    return shown;
}

}  // namespace merpati
