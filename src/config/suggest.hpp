// Suggests the name that was probably meant.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace merpati::config {

/// The word nearest to `given` by single edits (insert, delete, replace, swap), at most a third of
/// its length, at least 1 and at most 4; otherwise the only word that ends in ".given". Empty: no
/// word is near.
[[nodiscard]] std::optional<std::string_view> suggest(std::string_view given,
                                                      std::span<const std::string_view> words);

}  // namespace merpati::config
