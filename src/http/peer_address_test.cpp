#include "http/peer_address.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <gtest/gtest.h>

namespace merpati::http {
namespace {

PeerAddress v4(const char* text) {
    sockaddr_storage storage{};
    auto& address = reinterpret_cast<sockaddr_in&>(storage);
    address.sin_family = AF_INET;
    EXPECT_EQ(::inet_pton(AF_INET, text, &address.sin_addr), 1);
    return PeerAddress{storage};
}

PeerAddress v6(const char* text) {
    sockaddr_storage storage{};
    auto& address = reinterpret_cast<sockaddr_in6&>(storage);
    address.sin6_family = AF_INET6;
    EXPECT_EQ(::inet_pton(AF_INET6, text, &address.sin6_addr), 1);
    return PeerAddress{storage};
}

TEST(PeerAddressTest, IsOfANetwork) {
    EXPECT_EQ(v4("203.0.113.7").network(), v4("203.0.113.200").network());
    EXPECT_FALSE(v4("203.0.113.7").network() == v4("203.0.114.7").network());
    EXPECT_EQ(v6("2001:db8:1:2::1").network(), v6("2001:db8:1:ffff::1").network());
    EXPECT_FALSE(v6("2001:db8:1:2::1").network() == v6("2001:db8:2:2::1").network());
}

TEST(PeerAddressTest, IsShownAsItIsCounted) {
    EXPECT_EQ(v4("203.0.113.7").text(), "203.0.113.7");
    EXPECT_EQ(v6("2001:db8:1:2:3:4:5:6").text(), "2001:db8:1:2::/64");
    EXPECT_EQ(PeerAddress{}.text(), "local");
}

TEST(PeerAddressTest, IsOneForAllAddressesOfANetworkOfIpv6) {
    EXPECT_EQ(v6("2001:db8:1:2::1"), v6("2001:db8:1:2:ffff::9"));
    EXPECT_NE(v6("2001:db8:1:2::1"), v6("2001:db8:1:3::1"));
    EXPECT_NE(v4("203.0.113.7"), v4("203.0.113.8"));
}

// Otherwise all clients of a proxy or of a socket that takes both are one.
TEST(PeerAddressTest, OfAMappedAddressIsTheOneOfIpv4) {
    EXPECT_EQ(v6("::ffff:203.0.113.7"), v4("203.0.113.7"));
    EXPECT_NE(v6("::ffff:203.0.113.7"), v6("::ffff:203.0.113.8"));
    EXPECT_EQ(v6("::ffff:203.0.113.7").text(), "203.0.113.7");
    EXPECT_EQ(v6("::ffff:203.0.113.7").network(), v4("203.0.113.9").network());
    EXPECT_TRUE(v6("::ffff:127.0.0.1").is_loopback());
    EXPECT_FALSE(v6("::ffff:203.0.113.7").is_loopback());
}

TEST(PeerAddressTest, IsReadAsProxiesWriteIt) {
    const auto read = [](std::string_view text) {
        const auto address = PeerAddress::parse(text);
        return address ? address->text() : "nothing";
    };
    EXPECT_EQ(read("203.0.113.7"), "203.0.113.7");
    EXPECT_EQ(read(" 203.0.113.7\t"), "203.0.113.7");
    EXPECT_EQ(read("203.0.113.7:4711"), "203.0.113.7");
    EXPECT_EQ(read("::ffff:203.0.113.7"), "203.0.113.7");
    EXPECT_EQ(read("2001:db8:1:2::5"), "2001:db8:1:2::/64");
    EXPECT_EQ(read("[2001:db8:1:2::5]"), "2001:db8:1:2::/64");
    EXPECT_EQ(read("[2001:db8:1:2::5]:4711"), "2001:db8:1:2::/64");
    for (const std::string_view none :
         {"", " ", "unknown", "_hidden", "203.0.113", "203.0.113.7:", "203.0.113.7:x",
          "203.0.113.7:123456", "[2001:db8::1", "[2001:db8::1]x", "[2001:db8::1]:", "[]", "[",
          "2001:db8::1]", "203.0.113.7, 198.51.100.9"}) {
        EXPECT_EQ(read(none), "nothing") << none;
    }
    EXPECT_EQ(read(std::string(200, '1')), "nothing");
}

}  // namespace
}  // namespace merpati::http
