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

    /// False for the other family, for the IPv4-mapped form and for addresses with a zone.
    [[nodiscard]] bool contains(const boost::asio::ip::address& address) const noexcept;
};

/// Says which addresses may be connected to. It is asked after each resolution, for every attempt.
///
/// Operation: of IPv4, every special-purpose range is refused. Of IPv6, only 2000::/3 is permitted,
/// without its special ranges; addresses that embed an IPv4 address (mapped, 6to4, NAT64, Teredo,
/// ISATAP) are refused whatever the embedded address is. Addresses with a zone id are refused, also
/// if they are allowed. Addresses of this machine's own interfaces are refused; while the machine
/// cannot list its interfaces, every address is. The ranges are in special_ranges.hpp.
///
/// Threads: all members from any thread.
class AddressPolicy {
public:
    /// `allow`: the operator's `outbound.allow`, which overrides every refusal but that of zones.
    /// Reads the addresses of this machine's interfaces.
    explicit AddressPolicy(std::vector<Cidr> allow);

    [[nodiscard]] bool permits(const boost::asio::ip::address& address) const noexcept;

    /// Whether `allow` contains the literal address.
    [[nodiscard]] bool allowed_by_operator(const boost::asio::ip::address& address) const noexcept;

    /// Whether `allow` holds any range but loopback. If so, names of the inner network are
    /// admitted, and their addresses are checked at each use.
    [[nodiscard]] bool allows_inner_network() const noexcept;

    /// Reads the interfaces' addresses again; the client does so at most twice a minute. If the
    /// machine cannot list them, the former list stays.
    void refresh_own_addresses() const;

private:
    [[nodiscard]] bool is_own(const boost::asio::ip::address& address) const noexcept;

    const std::vector<Cidr> allow_;
    mutable std::shared_mutex own_mutex_;
    mutable std::vector<boost::asio::ip::address> own_;  // A cache of what the machine says.
};

}  // namespace merpati::outbound
