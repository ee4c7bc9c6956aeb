// Texts that a spreadsheet would take for a formula.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace merpati {

/// What makes a text a formula, if it comes first; also as full-width signs.
inline constexpr auto formula_begins = std::to_array<std::string_view>(
    {"=", "+", "-", "@", "\t", "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20"});

/// Whether the text begins a formula, also behind blanks and quotes, which the reader of a cell may
/// drop.
[[nodiscard]] constexpr bool is_formula(std::string_view text) noexcept {
    const auto begins = [](std::string_view from) {
        return std::ranges::any_of(formula_begins,
                                   [from](std::string_view one) { return from.starts_with(one); });
    };
    if (begins(text)) {
        return true;
    }
    text.remove_prefix(std::min(text.find_first_not_of(" \""), text.size()));
    return begins(text);
}

}  // namespace merpati
