// Where a client comes from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <sys/socket.h>

namespace merpati::http {

/// The part of a client's address by which shares are dealt: an IPv4 address as a whole, the first
/// 64 bits of an IPv6 address, because whoever has one of these has the rest. All clients of the
/// management socket are one peer.
class PeerAddress {
public:
    PeerAddress() = default;
    explicit PeerAddress(const sockaddr_storage& address) noexcept;

    /// Whether the other end is on this machine: a loopback address, or a Unix socket.
    [[nodiscard]] bool is_loopback() const noexcept { return loopback_; }

    /// "203.0.113.7"; of IPv6 the range: "2001:db8:1:2::/64"; "local" of a Unix socket.
    [[nodiscard]] std::string text() const;

    /// Whose address it may be an address of: of IPv4 a /24, of IPv6 a /48. Who has many addresses
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
