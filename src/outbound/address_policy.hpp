// Which addresses the gateway may connect to: public ones, and those that the operator allows.
#pragma once

#include <shared_mutex>
#include <string_view>
#include <vector>

#include <boost/asio/ip/address.hpp>

#include "base/error.hpp"

namespace merpati::outbound {

/// A range of addresses: "10.0.0.0/8", "::1/128", or one address.
struct Cidr {
    boost::asio::ip::address network;
    unsigned prefix = 0;

    /// Bits after the prefix must be zero, so that a typing error does not open a wider range than
    /// was meant. Errors: invalid_argument.
    [[nodiscard]] static Result<Cidr> parse(std::string_view text);

    /// False for the other family (an IPv4-mapped address is IPv6) and for addresses with a zone.
    [[nodiscard]] bool contains(const boost::asio::ip::address& address) const noexcept;
};

/// Decides which addresses may be connected to. The client asks it after each resolution, and again
/// before it reuses a pooled connection.
///
/// Operation: IPv4 addresses in special-purpose ranges are refused. Of IPv6, only 2000::/3 without
/// its special ranges is permitted; addresses that embed an IPv4 address (mapped, 6to4, NAT64,
/// Teredo, ISATAP) are refused whatever the embedded address is. The ranges are in
/// special_ranges.hpp. Addresses of this machine's interfaces are refused; if the machine could
/// never list its interfaces, every address is. Addresses in `allow` are permitted nevertheless.
/// Addresses with a zone id are always refused.
///
/// Threads: all members from any thread.
class AddressPolicy {
public:
    /// `allow`: the setting `outbound.allow`. Reads the addresses of this machine's interfaces.
    explicit AddressPolicy(std::vector<Cidr> allow);

    [[nodiscard]] bool permits(const boost::asio::ip::address& address) const noexcept;

    /// Whether `allow` contains the address.
    [[nodiscard]] bool allowed_by_operator(const boost::asio::ip::address& address) const noexcept;

    /// Whether `allow` has a range other than loopback. `admit_url` then admits names of the inner
    /// network, whose addresses are checked at each use.
    [[nodiscard]] bool allows_inner_network() const noexcept;

    /// Reads the interfaces' addresses again; the client calls it at most twice a minute. If the
    /// machine cannot list them, the former list stays.
    void refresh_own_addresses() const;

private:
    [[nodiscard]] bool is_own(const boost::asio::ip::address& address) const noexcept;

    const std::vector<Cidr> allow_;
    mutable std::shared_mutex own_mutex_;
    mutable std::vector<boost::asio::ip::address> own_;  // A sorted cache of the interfaces'.
};

}  // namespace merpati::outbound
