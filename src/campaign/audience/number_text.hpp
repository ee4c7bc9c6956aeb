// Phone numbers as lists of people have them.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "model/ids.hpp"

namespace merpati::campaign {

/// What a cell holds, read as a phone number.
struct NumberText {
    std::optional<model::PhoneNumber> number;  // Empty: it is none.
    std::size_t digits = 0;
    /// A spreadsheet's short form of a long number, such as "6.28E+12": its last digits are lost.
    bool is_rounded = false;
    /// The number is possible and written as one: with "+" or 0 before it, or with the country's
    /// code. Dates and amounts of money can be possible numbers, too.
    bool is_typical = false;
};

/// Removes "+", blanks, dashes, brackets and marks of the writing direction, also Unicode's, and
/// characters that nobody sees. Then 00 before a country code goes, a single leading 0 becomes
/// `country`, and so does the 0 of "+62 (0)812…". What remains must be a possible number of ASCII
/// digits (admission::recipient_possible). Anything else makes the cell invalid: letters, dots,
/// digits of other scripts, also the apostrophe by which spreadsheets mark a text.
///
/// `text`: UTF-8. `country`: digits.
[[nodiscard]] NumberText read_number(std::string_view text, std::string_view country);

}  // namespace merpati::campaign
