// Whether bytes are text.
#pragma once

#include <string_view>

namespace merpati {

/// Whether `text` is well-formed UTF-8 (RFC 3629): no overlong form, no surrogate, nothing above
/// U+10FFFF.
[[nodiscard]] bool is_utf8(std::string_view text) noexcept;

}  // namespace merpati
