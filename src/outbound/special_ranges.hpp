// The address ranges that do not belong to the public internet.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace merpati::outbound {

/// A range of addresses. `Number` holds an IPv4 address, or the upper half of an IPv6 address, in
/// host byte order. The half suffices because no prefix here is longer than 64 bits.
template <class Number>
struct AddressRange {
    Number network;
    unsigned prefix;
    std::string_view name;
    std::string_view source;

    [[nodiscard]] constexpr bool contains(Number address) const noexcept {
        return ((address ^ network) >> (8 * sizeof(Number) - prefix)) == 0;
    }
};
using Ipv4Range = AddressRange<std::uint32_t>;
using Ipv6Range = AddressRange<std::uint64_t>;

/// All of IANA's IPv4 Special-Purpose Address Registry, multicast, class E, and Azure's metadata
/// address, which is in public space. Other clouds' metadata addresses (169.254.169.254,
/// 100.100.100.200, 192.0.0.192) are inside the ranges.
inline constexpr auto special_ipv4_ranges = std::to_array<Ipv4Range>({
    {0x00000000, 8, "this network", "RFC 791"},                // 0.0.0.0
    {0x0A000000, 8, "private use", "RFC 1918"},                // 10.0.0.0
    {0x64400000, 10, "shared address space", "RFC 6598"},      // 100.64.0.0
    {0x7F000000, 8, "loopback", "RFC 1122"},                   // 127.0.0.0
    {0xA83F8110, 32, "Azure platform services", "Microsoft"},  // 168.63.129.16
    {0xA9FE0000, 16, "link local", "RFC 3927"},                // 169.254.0.0
    {0xAC100000, 12, "private use", "RFC 1918"},               // 172.16.0.0
    {0xC0000000, 24, "protocol assignments", "RFC 6890"},      // 192.0.0.0
    {0xC0000200, 24, "documentation 1", "RFC 5737"},           // 192.0.2.0
    {0xC01FC400, 24, "AS112 version 4", "RFC 7535"},           // 192.31.196.0
    {0xC034C100, 24, "AMT", "RFC 7450"},                       // 192.52.193.0
    {0xC0586300, 24, "6to4 relay anycast", "RFC 7526"},        // 192.88.99.0
    {0xC0A80000, 16, "private use", "RFC 1918"},               // 192.168.0.0
    {0xC0AF3000, 24, "AS112 delegation", "RFC 7534"},          // 192.175.48.0
    {0xC6120000, 15, "benchmarking", "RFC 2544"},              // 198.18.0.0
    {0xC6336400, 24, "documentation 2", "RFC 5737"},           // 198.51.100.0
    {0xCB007100, 24, "documentation 3", "RFC 5737"},           // 203.0.113.0
    {0xE0000000, 4, "multicast", "RFC 5771"},                  // 224.0.0.0
    {0xF0000000, 4, "reserved, broadcast", "RFC 1112"},        // 240.0.0.0
});

/// The only part of IPv6 that is permitted: global unicast, RFC 4291. It excludes ::, ::1, the
/// forms that embed IPv4 in ::/3 (compatible, mapped, SIIT, NAT64), 100::/64, 5f00::/16,
/// fc00::/7 with the clouds' metadata addresses, fe80::/10, fec0::/10 and ff00::/8.
inline constexpr Ipv6Range global_unicast{0x2000'0000'0000'0000, 3, "global unicast", "RFC 4291"};

/// The part of IANA's IPv6 Special-Purpose Address Registry inside 2000::/3, and 6bone. The first
/// range contains Teredo, benchmarking, AMT, AS112, ORCHID, ORCHIDv2 and drone remote ids.
inline constexpr auto special_ipv6_ranges = std::to_array<Ipv6Range>({
    {0x2001'0000'0000'0000, 23, "protocol assignments", "RFC 2928"},  // 2001::
    {0x2001'0DB8'0000'0000, 32, "documentation", "RFC 3849"},         // 2001:db8::
    {0x2002'0000'0000'0000, 16, "6to4", "RFC 3056"},                  // 2002::
    {0x2620'004F'8000'0000, 48, "AS112 delegation", "RFC 7534"},      // 2620:4f:8000::
    {0x3FFE'0000'0000'0000, 16, "6bone, given back", "RFC 3701"},     // 3ffe::
    {0x3FFF'0000'0000'0000, 20, "documentation", "RFC 9637"},         // 3fff::
});

}  // namespace merpati::outbound
