// How long what a host sent may be used again, and how to ask whether it changed (RFC 9111, 9110).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "outbound/client.hpp"

namespace merpati::media {

struct Freshness {
    Millis lifetime{0};
    std::string etag;           // As the host wrote it; empty when there is none.
    std::string last_modified;  // Likewise.

    /// Lines of a request that is answered 304 when nothing changed; empty without validators.
    [[nodiscard]] std::string conditions() const;
};

/// Cache-Control's no-store, no-cache and max-age (less Age), else Expires, else `otherwise`; a day
/// at most. Validators that are long or hold more than they may are ignored.
[[nodiscard]] Freshness freshness_of(const outbound::Response& head, Timestamp now,
                                     Millis otherwise);

/// "Sun, 06 Nov 1994 08:49:37 GMT", the one form that RFC 9110 lets servers write.
[[nodiscard]] std::optional<Timestamp> parse_http_date(std::string_view text);

}  // namespace merpati::media
