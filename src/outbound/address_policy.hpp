// Which addresses the gateway may speak to: the public internet, and what the operator allows.
#pragma once

#include <string_view>
#include <vector>

#include <boost/asio/ip/address.hpp>

#include "base/error.hpp"

namespace merpati::outbound {

/// A range of addresses: "10.0.0.0/8", "::1/128", or one address.
struct Cidr {
    boost::asio::ip::address network;
    unsigned prefix = 0;

    /// Errors: invalid_argument.
    [[nodiscard]] static Result<Cidr> parse(std::string_view text);
    [[nodiscard]] bool contains(const boost::asio::ip::address& address) const noexcept;
};

/// Judges addresses after resolution, on every attempt. IPv4: every special-purpose range is
/// refused. IPv6: only 2000::/3 is let through, minus its special ranges; addresses that embed an
/// IPv4 address (mapped, 6to4, NAT64, Teredo, ISATAP) are judged by the outer rules, which refuse
/// them all. Zone ids are refused. Addresses of this machine's own interfaces are refused.
class AddressPolicy {
public:
    /// `allow`: the operator's `outbound.allow`; it wins over every refusal.
    explicit AddressPolicy(std::vector<Cidr> allow);

    [[nodiscard]] bool permits(const boost::asio::ip::address& address) const noexcept;

    /// Whether `allow` contains the literal address.
    [[nodiscard]] bool allowed_by_operator(const boost::asio::ip::address& address) const noexcept;

private:
    std::vector<Cidr> allow_;
};

}  // namespace merpati::outbound
