// Which addresses the gateway may speak to: the public internet, and what the operator allows.
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

    /// Bits after the prefix must be zero, so that a slip of the pen does not open a wider range
    /// than was meant. Errors: invalid_argument.
    [[nodiscard]] static Result<Cidr> parse(std::string_view text);

    /// False for the other family, for the IPv4-mapped form and for addresses with a zone.
    [[nodiscard]] bool contains(const boost::asio::ip::address& address) const noexcept;
};

/// Judges addresses after resolution, on every attempt. IPv4: every special-purpose range is
/// refused. IPv6: only 2000::/3 is let through, minus its special ranges; addresses that embed an
/// IPv4 address (mapped, 6to4, NAT64, Teredo, ISATAP) are judged by the outer rules, which refuse
/// them all. Zone ids are refused, allowed or not. Addresses of this machine's own interfaces are
/// refused, and every address while the machine cannot list its own. The ranges stand in
/// special_ranges.hpp.
///
/// Threads: all members from any thread.
class AddressPolicy {
public:
    /// `allow`: the operator's `outbound.allow`; it wins over every refusal but that of zones.
    /// Takes the addresses of this machine's interfaces.
    explicit AddressPolicy(std::vector<Cidr> allow);

    [[nodiscard]] bool permits(const boost::asio::ip::address& address) const noexcept;

    /// Whether `allow` contains the literal address.
    [[nodiscard]] bool allowed_by_operator(const boost::asio::ip::address& address) const noexcept;

    /// Whether `allow` opens anything beside this machine's loopback: then a name of the inner
    /// network can be meant, and is judged by its addresses when it is used.
    [[nodiscard]] bool allows_inner_network() const noexcept;

    /// Takes the interfaces' addresses anew; the client does so twice a minute. When the
    /// machine cannot list them the former list stays.
    void refresh_own_addresses() const;

private:
    [[nodiscard]] bool is_own(const boost::asio::ip::address& address) const noexcept;

    const std::vector<Cidr> allow_;
    mutable std::shared_mutex own_mutex_;
    mutable std::vector<boost::asio::ip::address> own_;  // What the machine says, not our state.
};

}  // namespace merpati::outbound
