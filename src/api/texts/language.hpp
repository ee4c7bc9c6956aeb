// The languages in which the API answers texts for people.
#pragma once

#include <cstdint>
#include <string_view>

namespace merpati::api {

enum class Language : std::uint8_t { english, indonesian };

/// "en", "id", as in Content-Language.
[[nodiscard]] std::string_view to_string(Language language) noexcept;

/// The language that an `Accept-Language` prefers (RFC 9110 section 12.5.4), of those that there
/// are; English if it names none of them. Reads at most its first 1,000 bytes.
[[nodiscard]] Language language_of(std::string_view accept_language) noexcept;

}  // namespace merpati::api
