// How long later messages may use a fetched file (RFC 9111).
#pragma once

#include "base/clock.hpp"
#include "outbound/response.hpp"

namespace merpati::media {

/// By Cache-Control's no-store, no-cache and max-age (minus Age), else by Expires, else
/// `otherwise`. At most a day.
[[nodiscard]] Millis freshness_of(const outbound::Response& head, Timestamp now, Millis otherwise);

}  // namespace merpati::media
