#include "outbound/address_policy.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <ifaddrs.h>
#include <mutex>
#include <netinet/in.h>
#include <span>
#include <string>

#include "base/number.hpp"
#include "outbound/special_ranges.hpp"

namespace merpati::outbound {

namespace {

namespace ip = boost::asio::ip;

constexpr unsigned ipv4_bits = 32;
constexpr unsigned ipv6_bits = 128;

bool same_prefix(std::span<const unsigned char> left, std::span<const unsigned char> right,
                 unsigned prefix) noexcept {
    const std::size_t whole = prefix / 8;
    if (!std::equal(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(whole),
                    right.begin())) {
        return false;
    }
    const unsigned rest = prefix % 8;
    return rest == 0 || ((left[whole] ^ right[whole]) >> (8U - rest)) == 0;
}

bool is_zero_after(std::span<const unsigned char> bytes, unsigned prefix) noexcept {
    for (unsigned bit = prefix; bit < bytes.size() * 8; ++bit) {
        if ((bytes[bit / 8] >> (7U - bit % 8) & 1U) != 0) {
            return false;
        }
    }
    return true;
}

bool is_public(const ip::address_v4& address) noexcept {
    const std::uint32_t number = address.to_uint();
    return std::ranges::none_of(
        special_ipv4_ranges, [number](const Ipv4Range& range) { return range.contains(number); });
}

/// RFC 5214: the interface identifier is 00-00-5E-FE or 02-00-5E-FE, then an IPv4 address. A router
/// of the site would forward to that address.
bool is_isatap(const ip::address_v6::bytes_type& bytes) noexcept {
    return (bytes[8] == 0x00 || bytes[8] == 0x02) && bytes[9] == 0x00 && bytes[10] == 0x5E &&
           bytes[11] == 0xFE;
}

bool is_public(const ip::address_v6& address) noexcept {
    const auto bytes = address.to_bytes();
    std::uint64_t upper_half = 0;
    for (std::size_t index = 0; index < 8; ++index) {
        upper_half = upper_half << 8U | bytes[index];
    }
    return global_unicast.contains(upper_half) && !is_isatap(bytes) &&
           std::ranges::none_of(special_ipv6_ranges, [upper_half](const Ipv6Range& range) {
               return range.contains(upper_half);
           });
}

bool has_zone(const ip::address& address) noexcept {
    return address.is_v6() && address.to_v6().scope_id() != 0;
}

/// The addresses of every local interface, without their zones. Empty when the kernel refuses.
std::vector<ip::address> list_own_addresses() {
    ifaddrs* first = nullptr;
    if (getifaddrs(&first) != 0) {
        return {};
    }
    std::vector<ip::address> addresses;
    for (const ifaddrs* entry = first; entry != nullptr; entry = entry->ifa_next) {
        if (entry->ifa_addr == nullptr) {
            continue;
        }
        if (entry->ifa_addr->sa_family == AF_INET) {
            sockaddr_in socket_address{};
            std::memcpy(&socket_address, entry->ifa_addr, sizeof socket_address);
            addresses.emplace_back(ip::address_v4{ntohl(socket_address.sin_addr.s_addr)});
        } else if (entry->ifa_addr->sa_family == AF_INET6) {
            sockaddr_in6 socket_address{};
            std::memcpy(&socket_address, entry->ifa_addr, sizeof socket_address);
            addresses.emplace_back(ip::address_v6{
                std::bit_cast<ip::address_v6::bytes_type>(socket_address.sin6_addr)});
        }
    }
    freeifaddrs(first);
    std::ranges::sort(addresses);
    return addresses;
}

}  // namespace

Result<Cidr> Cidr::parse(std::string_view text) {
    const auto malformed = [text](std::string_view why) {
        return fail(ErrorCode::invalid_argument,
                    "\"" + std::string(text.substr(0, 64)) +
                        "\" is not a range of addresses: " + std::string(why));
    };
    const auto slash = text.find('/');
    const std::string network(text.substr(0, slash));
    boost::system::error_code error;
    const auto address = ip::make_address(network, error);
    if (error || network.contains('%') || network.contains('\0')) {
        return malformed("write it as 10.0.0.0/8 or 2001:db8::/32");
    }
    const unsigned bits = address.is_v4() ? ipv4_bits : ipv6_bits;
    const auto prefix = slash == std::string_view::npos
                            ? std::optional{bits}
                            : parse_whole<unsigned>(text.substr(slash + 1));
    if (!prefix || *prefix > bits) {
        return malformed("the prefix is a number of bits");
    }
    const bool aligned = address.is_v4() ? is_zero_after(address.to_v4().to_bytes(), *prefix)
                                         : is_zero_after(address.to_v6().to_bytes(), *prefix);
    if (!aligned) {
        return malformed("there are bits set after the prefix");
    }
    return Cidr{address, *prefix};
}

bool Cidr::contains(const ip::address& address) const noexcept {
    if (address.is_v4() != network.is_v4() || has_zone(address)) {
        return false;
    }
    return address.is_v4()
               ? same_prefix(address.to_v4().to_bytes(), network.to_v4().to_bytes(), prefix)
               : same_prefix(address.to_v6().to_bytes(), network.to_v6().to_bytes(), prefix);
}

AddressPolicy::AddressPolicy(std::vector<Cidr> allow)
    : allow_(std::move(allow)), own_(list_own_addresses()) {}

bool AddressPolicy::permits(const ip::address& address) const noexcept {
    if (has_zone(address)) {
        return false;
    }
    if (allowed_by_operator(address)) {
        return true;
    }
    const bool in_public_space =
        address.is_v4() ? is_public(address.to_v4()) : is_public(address.to_v6());
    return in_public_space && !is_own(address);
}

bool AddressPolicy::allowed_by_operator(const ip::address& address) const noexcept {
    return std::ranges::any_of(allow_,
                               [&address](const Cidr& range) { return range.contains(address); });
}

bool AddressPolicy::allows_inner_network() const noexcept {
    return std::ranges::any_of(allow_,
                               [](const Cidr& range) { return !range.network.is_loopback(); });
}

void AddressPolicy::refresh_own_addresses() const {
    auto fresh = list_own_addresses();
    if (fresh.empty()) {
        return;
    }
    const std::unique_lock lock{own_mutex_};
    own_ = std::move(fresh);
}

bool AddressPolicy::is_own(const ip::address& address) const noexcept {
    const std::shared_lock lock{own_mutex_};
    return own_.empty() || std::ranges::binary_search(own_, address);
}

}  // namespace merpati::outbound
