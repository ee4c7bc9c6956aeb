// Dates of HTTP header fields.
#pragma once

#include <optional>
#include <string_view>

#include "base/clock.hpp"

namespace merpati {

/// Parses "Sun, 06 Nov 1994 08:49:37 GMT", the only form that senders may write (RFC 9110, 5.6.7).
/// Empty if `text` has another form or names no real time. The name of the day is not checked.
[[nodiscard]] std::optional<Timestamp> parse_http_date(std::string_view text);

}  // namespace merpati
