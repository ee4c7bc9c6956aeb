// Names of columns, as texts and audiences compare them.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace merpati::campaign {

/// Two names are the same column if their keys are equal: without the blanks at their ends, and
/// with small letters. Letters beyond ASCII keep their case.
[[nodiscard]] std::string column_key(std::string_view name);

/// The place of the first column with this name.
[[nodiscard]] std::optional<std::size_t> find_column(std::span<const std::string> columns,
                                                     std::string_view name);

}  // namespace merpati::campaign
