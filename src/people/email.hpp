// E-mail addresses, by which people sign in.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace merpati::people {

inline constexpr std::size_t email_bytes_max = 254;

/// The address as it is stored and compared: without white space around it, in lower case. Empty if
/// it is not valid (HTML standard, "valid email address"): ASCII, at most 64 bytes before the '@'
/// and 254 in all. Domains in other scripts must be given in their ASCII form (RFC 3492, xn--…).
[[nodiscard]] std::optional<std::string> normalised_email(std::string_view text);

}  // namespace merpati::people
