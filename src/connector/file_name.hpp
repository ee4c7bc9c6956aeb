// The name of a file, from the URL that it was fetched from.
#pragma once

#include <string>
#include <string_view>

namespace merpati::connector {

/// The last segment of the URL's path, decoded; without slashes and without characters that mislead
/// a reader. Empty: the URL has none, or it is longer than 255 bytes or no UTF-8.
[[nodiscard]] std::string file_name_of(std::string_view url);

}  // namespace merpati::connector
