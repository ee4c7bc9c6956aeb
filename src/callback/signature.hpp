// The signatures of callbacks (Standard Webhooks 1.0).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/encoding.hpp"

namespace merpati::callback {

/// The three header lines of one attempt: webhook-id, webhook-timestamp, and webhook-signature,
/// which is `v1,` and the base64 HMAC-SHA256 of "ID.SECONDS.BODY", once per secret (two during a
/// rotation), separated by spaces.
[[nodiscard]] std::string signature_headers(std::span<const Bytes> secrets, std::string_view id,
                                            Timestamp attempted_at, std::string_view body);

}  // namespace merpati::callback
