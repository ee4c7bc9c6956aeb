// E-mail addresses, which are the names that people sign in with.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace merpati::people {

inline constexpr std::size_t email_bytes_max = 254;

/// The address as it is stored and compared: without the spaces around it, in lower case. Empty
/// where it has not the form of an address (the HTML standard's, "valid email address"): ASCII, at
/// most 64 bytes before the '@' and 254 in all. Names of other scripts are given as RFC 3492 writes
/// them (xn--…).
[[nodiscard]] std::optional<std::string> normalised_email(std::string_view text);

}  // namespace merpati::people
