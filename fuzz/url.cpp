// outbound/url and address_policy: an admitted URL is public, also as inet_aton and getaddrinfo
// read it, and cannot break its line of the request.
#include "outbound/url.hpp"

#include <arpa/inet.h>
#include <cstring>
#include <memory>
#include <netdb.h>
#include <netinet/in.h>
#include <string>
#include <string_view>

#include "check.hpp"
#include "config/address.hpp"
#include "outbound/client.hpp"
#include "outbound/request.hpp"

namespace merpati::fuzz {
namespace {

namespace ip = boost::asio::ip;
using outbound::AddressPolicy;
using outbound::Schemes;
using outbound::Url;

const AddressPolicy& public_only() {
    static const AddressPolicy policy{{}};
    return policy;
}

/// Uses the system's macros and its own list, not the policy's table.
bool is_private(const ip::address& address) {
    if (address.is_v4()) {
        const auto bytes = address.to_v4().to_bytes();
        return bytes[0] == 0 || bytes[0] == 10 || bytes[0] == 127 || bytes[0] >= 224 ||
               (bytes[0] == 169 && bytes[1] == 254) ||
               (bytes[0] == 172 && (bytes[1] & 0xF0U) == 16) ||
               (bytes[0] == 192 && bytes[1] == 168) ||
               (bytes[0] == 100 && (bytes[1] & 0xC0U) == 64);
    }
    const auto bytes = address.to_v6().to_bytes();
    in6_addr plain;
    std::memcpy(&plain, bytes.data(), bytes.size());
    return IN6_IS_ADDR_LOOPBACK(&plain) || IN6_IS_ADDR_UNSPECIFIED(&plain) ||
           IN6_IS_ADDR_V4MAPPED(&plain) || IN6_IS_ADDR_V4COMPAT(&plain) ||
           IN6_IS_ADDR_LINKLOCAL(&plain) || IN6_IS_ADDR_SITELOCAL(&plain) ||
           IN6_IS_ADDR_MULTICAST(&plain) || (bytes[0] & 0xFEU) == 0xFC ||
           (bytes[0] == 0x20 && bytes[1] == 2);
}

ip::address address_of(const addrinfo& found) {
    if (found.ai_family == AF_INET) {
        sockaddr_in socket{};
        std::memcpy(&socket, found.ai_addr, sizeof socket);
        return ip::address_v4{ntohl(socket.sin_addr.s_addr)};
    }
    sockaddr_in6 socket{};
    std::memcpy(&socket, found.ai_addr, sizeof socket);
    ip::address_v6::bytes_type bytes;
    std::memcpy(bytes.data(), &socket.sin6_addr, bytes.size());
    return ip::address_v6{bytes, socket.sin6_scope_id};
}

/// If another reader takes the host for an address, it must be the literal that the policy judged.
void check_numeric(const std::string& host, const Url& url) {
    in_addr v4{};
    if (inet_aton(host.c_str(), &v4) != 0) {
        check(url.literal && url.literal->is_v4() &&
                  url.literal->to_v4().to_uint() == ntohl(v4.s_addr),
              "inet_aton reads the address that was judged");
    }
    addrinfo hints{};
    hints.ai_flags = AI_NUMERICHOST;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (getaddrinfo(host.c_str(), nullptr, &hints, &found) != 0) {
        return;
    }
    const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner{found, &freeaddrinfo};
    for (; found != nullptr; found = found->ai_next) {
        const auto address = address_of(*found);
        check(url.literal && *url.literal == address,
              "getaddrinfo reads the address that was judged");
        check(!is_private(address), "an admitted literal is public");
    }
}

void check_policy(std::span<const std::uint8_t, 16> bytes) {
    ip::address_v6::bytes_type v6;
    std::ranges::copy(bytes, v6.begin());
    for (const ip::address& address :
         {ip::address{ip::address_v6{v6}},
          ip::address{ip::address_v4{{bytes[0], bytes[1], bytes[2], bytes[3]}}}}) {
        check(!is_private(address) || !public_only().permits(address),
              "no private address is permitted");
    }
}

void check_range(std::string_view text) {
    const auto range = outbound::Cidr::parse(text);
    if (config::is_cidr(text) && !range) {
        check(range.error().detail.contains("bits set"), "a setting's range is a range");
    }
    check(!range || range->contains(range->network), "a range contains its network");
}

/// The host between "://" and the port, by separate code.
std::string host_of(std::string_view text) {
    const auto begin = text.find("://") + 3;
    const auto authority = text.substr(begin, text.find_first_of("/?#", begin) - begin);
    check(!authority.contains('@'), "a URL has no user info");
    if (authority.starts_with('[')) {
        return std::string{authority.substr(1, authority.find(']') - 1)};
    }
    return std::string{authority.substr(0, authority.find(':'))};
}

void check_wire(const Url& url) {
    outbound::Request request;
    request.method = "GET";
    request.url = url;
    const auto wire = request_text(request);
    check(
        wire.find_first_of(" \r\n", 4) == 4 + url.target.size() &&
            std::string_view{wire}.substr(4 + url.target.size()).starts_with(" HTTP/1.1\r\nHost: "),
        "the request line is one line");
    check(url.host.find_first_of(" \r\n\t@/\\%") == std::string::npos,
          "a host holds nothing that ends it");
}

void check_parsed(std::string_view text, const Url& url) {
    const auto again = Url::parse(url.origin() + url.target, 1U << 16U);
    check(again && again->host == url.host && again->port == url.port &&
              again->target == url.target && again->literal == url.literal &&
              again->scheme == url.scheme,
          "a URL reads the same once it was written");
    auto host = host_of(text);
    for (auto& c : host) {
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
    }
    if (host.ends_with('.')) {
        host.pop_back();
    }
    check((url.literal && url.literal->is_v6()) || host == url.host,
          "the host is that of the text");
    check_wire(url);
}

}  // namespace
}  // namespace merpati::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace merpati::fuzz;
    const std::string_view text{reinterpret_cast<const char*>(data), size};
    if (size >= 16) {
        check_policy(std::span<const std::uint8_t, 16>{data, 16});
    }
    check_range(text);
    const auto parsed = Url::parse(text);
    const auto admitted =
        merpati::outbound::admit_url(text, Schemes::http_and_https, public_only());
    check(!admitted || parsed, "what is admitted is a URL");
    check(!merpati::outbound::admit_url(text, Schemes::https_only, public_only()) ||
              admitted->scheme == "https",
          "https alone means https alone");
    if (parsed) {
        check_parsed(text, *parsed);
    }
    if (admitted) {
        check(!admitted->literal ||
                  (public_only().permits(*admitted->literal) && !is_private(*admitted->literal)),
              "an admitted literal is public");
        check(admitted->host != "localhost" && !admitted->host.ends_with(".localhost"),
              "localhost is not admitted");
        check_numeric(admitted->host, *admitted);
        check_numeric(host_of(text), *admitted);
    }
    return 0;
}
