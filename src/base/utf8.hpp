// Text as UTF-8.
#pragma once

#include <cstddef>
#include <string_view>

namespace merpati {

/// Whether `text` is well-formed UTF-8 (RFC 3629): no overlong form, no surrogate, nothing above
/// U+10FFFF.
[[nodiscard]] bool is_utf8(std::string_view text) noexcept;

/// The beginning of `text`, at most `bytes_max` bytes, cut between two characters.
[[nodiscard]] std::string_view utf8_prefix(std::string_view text, std::size_t bytes_max) noexcept;

}  // namespace merpati
