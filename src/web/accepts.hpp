// Reads the header fields Accept, Accept-Encoding and If-None-Match.
#pragma once

#include <string_view>

namespace merpati::web {

/// Whether a list like "gzip;q=0.8, br" names the word, in any case, with a weight above 0. A
/// wildcard names nothing: a client that sends only "*/*" is a program, not a browser.
[[nodiscard]] bool accepts(std::string_view list, std::string_view word) noexcept;

/// Whether a list of entity tags contains this one, weak or strong, or "*".
[[nodiscard]] bool names_tag(std::string_view list, std::string_view etag) noexcept;

}  // namespace merpati::web
