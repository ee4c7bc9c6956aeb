// Cursors: where a page of a list ended, as opaque text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace merpati::api::manage {

/// The cursor for a position in the list. It holds a checksum over list and position, so that a
/// cursor that was cut, changed or taken from another list is detected. It is not a secret: a
/// forged cursor gives access to nothing more.
[[nodiscard]] std::string cursor_text(std::string_view list, std::string_view position);

/// The position; empty: the text is not a cursor of this list.
[[nodiscard]] std::optional<std::string> cursor_position(std::string_view list,
                                                         std::string_view text);

}  // namespace merpati::api::manage
