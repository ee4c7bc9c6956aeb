// Dates of HTTP header fields.
#pragma once

#include <optional>
#include <string_view>

#include "base/clock.hpp"

namespace merpati {

/// "Sun, 06 Nov 1994 08:49:37 GMT", the one form that RFC 9110 lets servers write (5.6.7).
[[nodiscard]] std::optional<Timestamp> parse_http_date(std::string_view text);

}  // namespace merpati
