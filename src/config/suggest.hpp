// Near misses: what somebody probably meant.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace merpati::config {

/// The word nearest to `given`: by single edits (insert, delete, replace, swap), at most a third of
/// its length, or the only one that ends in ".given". Empty when nothing is near.
[[nodiscard]] std::optional<std::string_view> suggest(std::string_view given,
                                                      std::span<const std::string_view> words);

}  // namespace merpati::config
