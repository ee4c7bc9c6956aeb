// URLs given by callers: parsed once, by the same rules that connections are made by.
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
    std::optional<boost::asio::ip::address> literal;  // If the host is an address.

    /// "https://example.org:8443", without the scheme's default port. Connections are pooled by it.
    [[nodiscard]] std::string origin() const;

    /// Strict RFC 3986. A fragment is dropped, and so is the dot at the end of a host's name. An
    /// IPv4 address must be four decimal numbers: 127.1, 0x7f.1, 0177.0.0.1 and 2130706433 are
    /// malformed. So are names that begin with an address (127.0.0.1.example.org), percent signs
    /// and non-ASCII characters in the host, and IPv6 zones. Errors: invalid_argument (malformed,
    /// user info, other scheme, control characters, too long).
    [[nodiscard]] static Result<Url> parse(std::string_view text, std::size_t bytes_max = 2048);
};

/// Which schemes a field accepts: callbacks and webhooks https, media also http.
enum class Schemes : std::uint8_t { https_only, http_and_https };

/// Parses `text` and checks all that can be checked without a look-up (decisions.md, Fields): the
/// scheme is allowed, there is no user info, at most 2048 bytes, no literal address that `policy`
/// refuses, no name that is private by definition (localhost, one label, .localhost, .local,
/// .internal, .home.arpa).
/// An `outbound.allow` that covers loopback allows `localhost`; one that opens another range allows
/// the other private names, whose addresses are checked at each use.
/// Errors: invalid_argument, refused.
[[nodiscard]] Result<Url> admit_url(std::string_view text, Schemes schemes,
                                    const AddressPolicy& policy);

}  // namespace merpati::outbound
