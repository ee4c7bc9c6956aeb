// URLs that callers give, parsed once; connections use the parsed form.
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

    /// Strict RFC 3986. Drops the fragment, and the dot at the end of a host name. An IPv4 address
    /// must be four decimal numbers: 127.1, 0x7f.1, 0177.0.0.1 and 2130706433 are malformed. Also
    /// malformed: names that begin with an address (127.0.0.1.example.org), percent signs and
    /// zones in the host, non-ASCII characters anywhere. Errors: invalid_argument (malformed, user
    /// info, other scheme, control characters, too long).
    [[nodiscard]] static Result<Url> parse(std::string_view text, std::size_t bytes_max = 2048);
};

/// Which schemes a field accepts: media both; callbacks and webhooks https only, unless
/// `outbound.allow_http_callbacks` is set.
enum class Schemes : std::uint8_t { https_only, http_and_https };

/// Parses `text` and checks what can be checked without a look-up: the rules of Url::parse, the
/// scheme, no literal address that `policy` refuses, no name that is private by definition
/// (localhost, one label, .localhost, .local, .internal, .home.arpa).
///
/// If `outbound.allow` covers 127.0.0.1 or ::1, `localhost` is admitted. If it has another range,
/// the other private names are admitted, and their addresses are checked at each use.
///
/// Errors: invalid_argument (malformed, or not https), refused (a private address or name).
[[nodiscard]] Result<Url> admit_url(std::string_view text, Schemes schemes,
                                    const AddressPolicy& policy);

}  // namespace merpati::outbound
