// The head of an answer that is a file of a stranger's making.
#pragma once

#include <string>
#include <string_view>

namespace merpati::api::manage {

/// The media type to answer with: that which was said of the file, if it is one that no browser
/// runs; `application/octet-stream` for all others. Static text.
[[nodiscard]] std::string_view download_type(std::string_view said);

/// The header lines by which a browser saves the file, and neither shows nor runs it. `name` is
/// what was said of the file, any bytes; empty: one is made up by the type. RFC 6266.
[[nodiscard]] std::string download_headers(std::string_view name, std::string_view type);

}  // namespace merpati::api::manage
