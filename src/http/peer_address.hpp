// The address of a client, as far as limits use it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <sys/socket.h>

namespace merpati::http {

/// The part of a client's address that limits count by: a whole IPv4 address, or the first 64 bits
/// of an IPv6 address, because a client usually has all addresses with these. An IPv4-mapped IPv6
/// address (::ffff:203.0.113.7) is the IPv4 address. All clients of the management socket are one
/// peer.
class PeerAddress {
public:
    PeerAddress() = default;
    explicit PeerAddress(const sockaddr_storage& address) noexcept;

    /// As proxies write it: "203.0.113.7", "2001:db8::1" or "[2001:db8::1]", also with a port.
    /// Empty: it is none.
    [[nodiscard]] static std::optional<PeerAddress> parse(std::string_view text);

    /// Whether the client is on this machine: a loopback address, or a Unix socket.
    [[nodiscard]] bool is_loopback() const noexcept { return loopback_; }

    /// "203.0.113.7" for IPv4, "2001:db8:1:2::/64" for IPv6, "local" for a Unix socket.
    [[nodiscard]] std::string text() const;

    /// The network of the address: the /24 of IPv4, the /48 of IPv6. A client with many addresses
    /// has most of them in few networks.
    [[nodiscard]] PeerAddress network() const noexcept;

    friend bool operator==(const PeerAddress& left, const PeerAddress& right) noexcept {
        return left.prefix_ == right.prefix_ && left.family_ == right.family_;
    }
    friend std::size_t hash_value(const PeerAddress& peer) noexcept {
        return std::hash<std::uint64_t>{}(peer.prefix_ ^ peer.family_);
    }

private:
    std::uint64_t prefix_ = 0;
    sa_family_t family_ = AF_UNIX;
    bool loopback_ = true;
};

}  // namespace merpati::http
