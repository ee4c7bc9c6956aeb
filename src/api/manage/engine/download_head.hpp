// Headers for the download of a file from an untrusted source.
#pragma once

#include <string>
#include <string_view>

namespace merpati::api::manage {

/// The media type to answer with: the declared type, if it is known to be harmless in a browser,
/// otherwise `application/octet-stream`. Static text.
[[nodiscard]] std::string_view download_type(std::string_view said);

/// The header lines that make a browser save the file, and neither show nor run it (RFC 6266).
/// `name` is the declared name, which may hold any bytes; empty: a name is made from the type.
[[nodiscard]] std::string download_headers(std::string_view name, std::string_view type);

}  // namespace merpati::api::manage
