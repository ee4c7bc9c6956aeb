// Texts in one line, with one blank between two words.
#pragma once

#include <string>
#include <string_view>

namespace merpati {

/// `text` without the blanks at its ends, and with one space for each run of blanks and line breaks
/// within it. What a blank is: trim_blanks (base/utf8.hpp).
[[nodiscard]] std::string with_single_blanks(std::string_view text);

}  // namespace merpati
