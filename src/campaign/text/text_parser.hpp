// Reads the texts that people write for campaigns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "campaign/problem.hpp"
#include "campaign/text/text_parts.hpp"

namespace merpati::campaign {

struct ParsedText {
    TextSequence parts;
    /// What stands alone between single braces, as "{name}": text, but a mistake if it is the name
    /// of a column. At most `name_bytes_max` bytes each.
    std::vector<std::string> braced_words;
    std::uint32_t choices = 0;
    std::vector<Problem> problems;

    static constexpr std::size_t name_bytes_max = 256;
};

/// Limits of one text. A text beyond them has no parts, and a problem.
inline constexpr std::size_t text_bytes_max = 16'384;
inline constexpr std::size_t text_nesting_max = 16;
inline constexpr std::uint32_t text_choices_max = 1'000;

/// Parses a text, from left to right:
///
///   {{name}}           a placeholder. The name has no braces, bar or line; its blanks at both ends
///                      do not count.
///   {{name|fallback}}  a placeholder with a fallback: everything after the first bar, blanks
///                      included. It has no braces other than escaped ones.
///   {a|b|c}            a choice: braces with at least one bar directly between them. Its options
///                      are texts, empty ones too, with placeholders and choices.
///   \{  \}  \|         a brace or a bar, everywhere.
///   everything else    text: also {words} without a bar, braces that have no partner, a bar
///                      outside a choice, and a backslash before another character.
///
/// Two braces begin a placeholder where one follows in this form, else a choice: `{{a|b}|c}` is a
/// choice between `{a|b}` and `c`, `{{{a}}|b}` one between a placeholder and `b`. A closing brace
/// ends the last open one.
///
/// Problems: an opening brace that is text, with another right after it (`unknown_column`: a
/// placeholder was meant); an opening brace with a bar and no end, and the limits (`no_message`).
///
/// `first_index`: of the first choice; they are numbered by their ends.
///
/// Takes time in proportion to the length of the text.
[[nodiscard]] ParsedText parse_text(std::string_view source, std::uint32_t first_index = 1);

}  // namespace merpati::campaign
