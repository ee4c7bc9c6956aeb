#include "campaign/audience/number_text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "admission/checks.hpp"
#include "base/ascii.hpp"
#include "campaign/audience/characters.hpp"
#include "campaign/audience/csv_reader.hpp"

namespace merpati::campaign {
namespace {

/// Longer texts are no numbers, however they are written.
constexpr std::size_t digits_max = 32;

struct Range {
    std::uint32_t first;
    std::uint32_t last;
};

/// Characters that are removed, in order.
constexpr std::array removed{
    Range{0x09, 0x0A},     Range{0x0D, 0x0D},     Range{' ', ' '},   Range{'(', ')'},
    Range{'+', '+'},       Range{'-', '-'},       Range{'[', '['},   Range{']', ']'},
    Range{'{', '{'},       Range{'}', '}'},       Range{0xA0, 0xA0},  // No-break space.
    Range{0xAD, 0xAD},                                                // Soft hyphen.
    Range{0x061C, 0x061C},                                            // Arabic letter mark.
    Range{0x1680, 0x1680},                                            // Ogham space mark.
    Range{0x2000, 0x2015},                         // Spaces, joiners, direction marks, dashes.
    Range{0x2028, 0x202F},                         // Separators, embeddings, narrow space.
    Range{0x205F, 0x2060},                         // Mathematical space, word joiner.
    Range{0x2066, 0x2069},                         // Isolates.
    Range{0x2212, 0x2212},                         // Minus.
    Range{0x3000, 0x3000},                         // Ideographic space.
    Range{0xFE58, 0xFE58}, Range{0xFE63, 0xFE63},  // Small dashes.
    Range{0xFEFF, 0xFEFF},                         // Byte-order mark within the text.
    Range{0xFF08, 0xFF09}, Range{0xFF0B, 0xFF0B},  // Full-width brackets, plus
    Range{0xFF0D, 0xFF0D},                         // and hyphen.
};
static_assert(std::ranges::is_sorted(removed, {}, &Range::last));

constexpr std::uint32_t full_width_plus = 0xFF0B;

bool is_removed(std::uint32_t number) {
    const auto* range = std::ranges::lower_bound(removed, number, {}, &Range::last);
    return range != removed.end() && range->first <= number;
}

/// "6.28E+12", "6,28123E12".
bool looks_rounded(std::string_view text) {
    text = without_blanks(text);
    const auto exponent = text.find_first_of("eE");
    if (exponent == 0 || exponent == std::string_view::npos) {
        return false;
    }
    auto mantissa = text.substr(0, exponent);
    auto power = text.substr(exponent + 1);
    if (power.starts_with('+')) {
        power.remove_prefix(1);
    }
    const auto is_part = [](char c) { return is_digit(c) || c == '.' || c == ','; };
    return is_digit(mantissa.front()) && std::ranges::all_of(mantissa, is_part) && !power.empty() &&
           power.size() <= 2 && std::ranges::all_of(power, is_digit);
}

}  // namespace

NumberText read_number(std::string_view text, std::string_view country) {
    NumberText read;
    std::string digits;
    bool has_plus = false;
    bool has_other = false;
    for (auto rest = text; !rest.empty();) {
        const auto character = first_character(rest);
        rest.remove_prefix(std::min(character.bytes, rest.size()));
        if (character.number >= '0' && character.number <= '9') {
            ++read.digits;
            if (digits.size() < digits_max) {
                digits += static_cast<char>(character.number);
            }
        } else if (character.number == '+' || character.number == full_width_plus) {
            has_plus = has_plus || digits.empty();
        } else {
            has_other = has_other || !is_removed(character.number);
        }
    }
    if (has_other) {
        read.is_rounded = looks_rounded(text);
        return read;
    }
    const bool has_zero = digits.starts_with('0');
    if (digits.starts_with("00")) {
        digits.erase(0, 2);
    } else if (has_zero) {
        digits.replace(0, 1, country);
    }
    // No number of Indonesia begins with 0 behind the country's code.
    if (digits.starts_with("620")) {
        digits.erase(2, 1);
    }
    if (admission::recipient_possible(digits)) {
        read.number = model::PhoneNumber::parse(digits);
        read.is_typical = has_plus || has_zero || digits.starts_with(country);
    }
    return read;
}

}  // namespace merpati::campaign
