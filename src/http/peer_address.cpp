#include "http/peer_address.hpp"

#include <arpa/inet.h>
#include <array>
#include <cstring>
#include <netinet/in.h>

namespace merpati::http {

PeerAddress::PeerAddress(const sockaddr_storage& address) noexcept : family_(address.ss_family) {
    if (family_ == AF_INET) {
        const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
        prefix_ = ntohl(v4.sin_addr.s_addr);
        loopback_ = (prefix_ >> 24U) == 127;
    } else if (family_ == AF_INET6) {
        const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
        std::memcpy(&prefix_, v6.sin6_addr.s6_addr, sizeof prefix_);
        loopback_ = IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr);
    } else {
        family_ = AF_UNIX;
    }
}

PeerAddress PeerAddress::network() const noexcept {
    constexpr std::array<unsigned char, 8> first_48_bits{0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    auto network = *this;
    if (family_ == AF_INET) {
        network.prefix_ &= ~std::uint64_t{0xff};
    } else if (family_ == AF_INET6) {
        std::uint64_t mask = 0;  // In network byte order, like the prefix.
        std::memcpy(&mask, first_48_bits.data(), sizeof mask);
        network.prefix_ &= mask;
    }
    return network;
}

std::string PeerAddress::text() const {
    std::array<char, INET6_ADDRSTRLEN> shown{};
    if (family_ == AF_INET) {
        const in_addr address{.s_addr = htonl(static_cast<std::uint32_t>(prefix_))};
        ::inet_ntop(AF_INET, &address, shown.data(), shown.size());
        return shown.data();
    }
    if (family_ == AF_INET6) {
        in6_addr address{};
        std::memcpy(address.s6_addr, &prefix_, sizeof prefix_);
        ::inet_ntop(AF_INET6, &address, shown.data(), shown.size());
        return std::string{shown.data()} + "/64";
    }
    return "local";
}

}  // namespace merpati::http
