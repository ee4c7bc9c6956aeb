// Text of others as it may be shown on a terminal.
#pragma once

#include <string>
#include <string_view>

namespace merpati {

/// `text` without what a terminal obeys or is misled by: control characters (C0, DEL, C1), marks
/// and overrides of the writing direction, line and paragraph separators, and bytes that are no
/// UTF-8, which a terminal may read as C1. Each becomes '?'.
[[nodiscard]] std::string printable(std::string_view text);

/// The same for a JSON text, which keeps its meaning: such characters, which can stand in its
/// strings alone, are written as \uXXXX. `json` must be valid UTF-8.
[[nodiscard]] std::string printable_json(std::string_view json);

}  // namespace merpati
