// Checks the form of network addresses in settings, without look-ups.
#pragma once

#include <string>
#include <string_view>

namespace merpati::config {

/// "127.0.0.1:8080", "[::1]:8080": an address literal (IPv6 in brackets) and a port, 0 to 65535.
[[nodiscard]] bool is_listen_address(std::string_view text);

/// "10.0.0.0/8", "fd00::/8", or one address.
[[nodiscard]] bool is_cidr(std::string_view text);

/// "sqlite:PATH" or "postgresql://…".
[[nodiscard]] bool is_store_url(std::string_view text);

/// The URL as it may be shown: with "***" for the password of its user info and for every parameter
/// that is not known to be harmless. Of a URL that is not well formed only the scheme is shown. Of
/// a text without "://" nothing is shown if it has '@' or '=', unless it names an SQLite file.
[[nodiscard]] std::string mask_password(std::string_view url);

}  // namespace merpati::config
