#include "http/peer_address.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cstring>
#include <netinet/in.h>

namespace merpati::http {

PeerAddress::PeerAddress(const sockaddr_storage& address) noexcept : family_(address.ss_family) {
    const auto take_v4 = [this](const void* bytes) {
        in_addr v4{};
        std::memcpy(&v4, bytes, sizeof v4);
        family_ = AF_INET;
        prefix_ = ntohl(v4.s_addr);
        loopback_ = (prefix_ >> 24U) == 127;
    };
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
    if (family_ == AF_INET) {
        take_v4(&reinterpret_cast<const sockaddr_in&>(address).sin_addr);
    } else if (family_ == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr)) {
        take_v4(&v6.sin6_addr.s6_addr[12]);
    } else if (family_ == AF_INET6) {
        std::memcpy(&prefix_, v6.sin6_addr.s6_addr, sizeof prefix_);
        loopback_ = IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr);
    } else {
        family_ = AF_UNIX;
    }
}

std::optional<PeerAddress> PeerAddress::parse(std::string_view text) {
    while (text.starts_with(' ') || text.starts_with('\t')) {
        text.remove_prefix(1);
    }
    while (text.ends_with(' ') || text.ends_with('\t')) {
        text.remove_suffix(1);
    }
    const auto is_port = [](std::string_view port) {
        return !port.empty() && port.size() <= 5 &&
               port.find_first_not_of("0123456789") == std::string_view::npos;
    };
    const auto colon = text.rfind(':');
    if (text.starts_with('[')) {  // "[2001:db8::1]", "[2001:db8::1]:443"
        const auto end = text.find(']');
        const auto after = text.substr(std::min(end, text.size() - 1) + 1);
        const bool fits = after.empty() || (after.front() == ':' && is_port(after.substr(1)));
        if (end == std::string_view::npos || !fits) {
            return std::nullopt;
        }
        text = text.substr(1, end - 1);
    } else if (colon != std::string_view::npos && text.find(':') == colon) {  // "203.0.113.7:443"
        if (!is_port(text.substr(colon + 1))) {
            return std::nullopt;
        }
        text = text.substr(0, colon);
    }
    std::array<char, INET6_ADDRSTRLEN> terminated{};
    if (text.size() >= terminated.size()) {
        return std::nullopt;
    }
    text.copy(terminated.data(), text.size());
    sockaddr_storage address{};
    auto& v4 = reinterpret_cast<sockaddr_in&>(address);
    auto& v6 = reinterpret_cast<sockaddr_in6&>(address);
    if (::inet_pton(AF_INET, terminated.data(), &v4.sin_addr) == 1) {
        address.ss_family = AF_INET;
    } else if (::inet_pton(AF_INET6, terminated.data(), &v6.sin6_addr) == 1) {
        address.ss_family = AF_INET6;
    } else {
        return std::nullopt;
    }
    return PeerAddress{address};
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
