// Whole numbers from texts.
#pragma once

#include <charconv>
#include <concepts>
#include <optional>
#include <string_view>
#include <system_error>

namespace merpati {

/// The decimal number that is the whole text: "42", "007", and "-7" if `Number` is signed. Empty if
/// it has anything else, such as blanks or a "+", or if `Number` is too small for it.
template <std::integral Number>
[[nodiscard]] std::optional<Number> parse_whole(std::string_view text) noexcept {
    Number number{};
    const auto* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    return error == std::errc{} && stop == end ? std::optional{number} : std::nullopt;
}

}  // namespace merpati
