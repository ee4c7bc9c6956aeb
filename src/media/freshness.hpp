// How long a file that a host sent may be used for later messages (RFC 9111).
#pragma once

#include "base/clock.hpp"
#include "outbound/response.hpp"

namespace merpati::media {

/// Cache-Control's no-store, no-cache and max-age (less Age), else Expires, else `otherwise`; a day
/// at most.
[[nodiscard]] Millis freshness_of(const outbound::Response& head, Timestamp now, Millis otherwise);

}  // namespace merpati::media
