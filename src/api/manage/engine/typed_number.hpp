// Phone numbers as people type them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "model/ids.hpp"

namespace merpati::api::manage {

/// The longest text that is read as a number.
inline constexpr std::size_t typed_number_bytes_max = 64;

/// The country of numbers with a leading 0.
inline constexpr std::string_view home_country = "62";

/// The number in international form, digits only. Takes spaces and "-", ".", "(", ")" and "/"
/// between digits; "+" or "00" before the country code; and one 0 for `country`. For 62:
/// "0812-3456-7890" and "+62 (0)812 3456 7890" are 6281234567890. Empty: it has other characters,
/// or no digits. Other digits stay as they are; whether they are a possible number is for the
/// caller to check.
[[nodiscard]] std::optional<std::string> international(std::string_view typed,
                                                       std::string_view country = home_country);

/// The number that was typed; empty: it is none (model::PhoneNumber).
[[nodiscard]] std::optional<model::PhoneNumber> parse_typed(std::string_view typed);

/// Whether the text is nothing but digits and separators: no "+" and no 0 before it says that the
/// number is whole, so it may be its end.
[[nodiscard]] bool may_be_an_end(std::string_view typed);

/// The mistake in a field that must be a whole number.
inline constexpr std::string_view number_needed =
    "must be a phone number: 8 to 15 digits that begin with a country code, or with 0 for "
    "Indonesia";

}  // namespace merpati::api::manage
