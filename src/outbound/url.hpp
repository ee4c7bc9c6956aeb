// URLs that callers give us: taken apart once, by the same rules that dial them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/ip/address.hpp>

#include "base/error.hpp"
#include "outbound/address_policy.hpp"

namespace merpati::outbound {

/// `target` is path and query, at least "/". `host` is lower case, without the brackets of an IPv6
/// literal.
struct Url {
    std::string scheme;  // "http" or "https"
    std::string host;
    std::uint16_t port = 443;
    std::string target;
    std::optional<boost::asio::ip::address> literal;  // Where the host is an address.

    /// "https://example.org:8443": what connections and breakers are keyed by.
    [[nodiscard]] std::string origin() const;

    /// Strict RFC 3986. A fragment is dropped, and so is the dot that ends a host's name. An IPv4
    /// address is taken as four decimal numbers only: 127.1, 0x7f.1, 0177.0.0.1 and 2130706433 are
    /// malformed. So are names that begin with an address (127.0.0.1.example.org), percent signs
    /// and non-ASCII characters in the host, and zones. Errors: invalid_argument (malformed, user
    /// info, other scheme, control characters, too long).
    [[nodiscard]] static Result<Url> parse(std::string_view text, std::size_t bytes_max = 2048);
};

/// Which schemes a field takes: callbacks and webhooks https, media also http.
enum class Schemes : std::uint8_t { https_only, http_and_https };

/// Whether `text` is a URL that may be used as far as can be said without a look-up (decisions.md,
/// Fields): right scheme, no user info, at most 2048 bytes, no literal address that `policy`
/// refuses, no name that is private by definition (localhost, one label, .localhost, .local,
/// .internal, .home.arpa).
/// An `outbound.allow` that covers loopback lets `localhost` in; one that opens a range of the
/// inner network lets the other private names in, which are then judged when they are used.
/// Errors: invalid_argument, refused.
[[nodiscard]] Result<Url> admit_url(std::string_view text, Schemes schemes,
                                    const AddressPolicy& policy);

}  // namespace merpati::outbound
