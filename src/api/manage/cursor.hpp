// Where a page of a list ended, as the caller is given it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace merpati::api::manage {

/// A position as opaque text, which only the same list takes back. Not a secret: a position opens
/// nothing that the caller could not ask for. The check in it is there so that a cursor that was
/// cut, changed or taken from another list is told, and not taken for another place.
[[nodiscard]] std::string cursor_text(std::string_view list, std::string_view position);

/// The position; empty where the text is not a cursor of this list.
[[nodiscard]] std::optional<std::string> cursor_position(std::string_view list,
                                                         std::string_view text);

}  // namespace merpati::api::manage
