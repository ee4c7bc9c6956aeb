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

}  // namespace
}  // namespace merpati::http
