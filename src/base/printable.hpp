// Makes untrusted text safe to show on a terminal.
#pragma once

#include <string>
#include <string_view>

namespace merpati {

/// `text` with '?' in place of each character that controls a terminal or misleads its reader:
/// control characters (C0, DEL, C1), marks and overrides of the writing direction, line and
/// paragraph separators, and bytes that are not UTF-8, which a terminal may read as C1.
[[nodiscard]] std::string printable(std::string_view text);

/// The same for JSON, without a change of meaning: such characters are written as \uXXXX, because
/// they can occur only within strings. White space between values stays. `json` must be valid
/// UTF-8.
[[nodiscard]] std::string printable_json(std::string_view json);

}  // namespace merpati
