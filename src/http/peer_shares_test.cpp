#include "http/peer_shares.hpp"

#include <arpa/inet.h>
#include <array>
#include <netinet/in.h>

#include <gtest/gtest.h>

namespace merpati::http::testing {
namespace {

PeerAddress peer(const char* text) {
    sockaddr_storage address{};
    auto& v4 = reinterpret_cast<sockaddr_in&>(address);
    auto& v6 = reinterpret_cast<sockaddr_in6&>(address);
    if (::inet_pton(AF_INET, text, &v4.sin_addr) == 1) {
        address.ss_family = AF_INET;
    } else if (::inet_pton(AF_INET6, text, &v6.sin6_addr) == 1) {
        address.ss_family = AF_INET6;
    }
    return PeerAddress{address};
}

struct PeerSharesTest : ::testing::Test {
    ~PeerSharesTest() override {
        for (auto& holding : holdings) {
            shares.release(holding);
        }
    }

    PeerShares shares{100};
    std::array<PeerShares::Holding, 6> holdings;
};

TEST(PeerAddressTest, IsAWholeAddressOfIpv4AndANetworkOfIpv6) {
    EXPECT_EQ(peer("192.0.2.1"), peer("192.0.2.1"));
    EXPECT_NE(peer("192.0.2.1"), peer("192.0.2.2"));
    EXPECT_EQ(peer("2001:db8::1"), peer("2001:db8::ffff:0:0:2"));
    EXPECT_NE(peer("2001:db8::1"), peer("2001:db8:0:1::1"));
    EXPECT_NE(peer("0.0.0.0"), peer("::"));
}

TEST(PeerAddressTest, KnowsTheMachineItself) {
    EXPECT_TRUE(peer("127.8.0.1").is_loopback());
    EXPECT_TRUE(peer("::1").is_loopback());
    EXPECT_TRUE(PeerAddress{}.is_loopback());
    EXPECT_FALSE(peer("128.0.0.1").is_loopback());
    EXPECT_FALSE(peer("2001:db8::1").is_loopback());
}

TEST_F(PeerSharesTest, LetsOneAddressUseEverything) {
    shares.hold(holdings[0], peer("192.0.2.1"), 60);
    shares.hold(holdings[1], peer("192.0.2.1"), 40);
    EXPECT_FALSE(shares.is_over());
    shares.hold(holdings[1], peer("192.0.2.1"), 41);
    EXPECT_TRUE(shares.is_over());
    EXPECT_EQ(shares.victim(), &holdings[0]);
}

TEST_F(PeerSharesTest, TakesFromTheAddressThatHoldsMostItsOldest) {
    shares.hold(holdings[0], peer("192.0.2.1"), 30);
    shares.hold(holdings[1], peer("192.0.2.2"), 20);
    shares.hold(holdings[2], peer("192.0.2.2"), 20);
    shares.hold(holdings[3], peer("192.0.2.2"), 20);
    shares.hold(holdings[1], peer("192.0.2.2"), 21);  // Changing makes it no younger.
    shares.hold(holdings[4], peer("192.0.2.3"), 20);
    ASSERT_TRUE(shares.is_over());
    EXPECT_EQ(shares.victim(), &holdings[1]);
    shares.release(holdings[1]);
    EXPECT_FALSE(shares.is_over());
    EXPECT_EQ(shares.bytes(), 90U);
    EXPECT_EQ(shares.victim(), &holdings[2]);
    shares.release(holdings[2]);
    EXPECT_EQ(shares.victim(), &holdings[0]);
}

TEST_F(PeerSharesTest, MakesPlaceForANewcomerOnlyWhereAnotherHasMore) {
    EXPECT_EQ(shares.victim_for(peer("192.0.2.1")), nullptr);
    shares.hold(holdings[0], peer("192.0.2.1"), 10);
    EXPECT_EQ(shares.victim_for(peer("192.0.2.2")), nullptr) << "one connection is everybody's due";
    shares.hold(holdings[1], peer("192.0.2.1"), 10);
    EXPECT_EQ(shares.victim_for(peer("192.0.2.2")), &holdings[0]);
    EXPECT_EQ(shares.victim_for(peer("192.0.2.1")), nullptr);
    shares.hold(holdings[2], peer("192.0.2.2"), 20);
    EXPECT_EQ(shares.victim_for(peer("192.0.2.2")), nullptr);
}

TEST_F(PeerSharesTest, MakesPlaceForANewcomerWhereOneConnectionHoldsMost) {
    shares.hold(holdings[0], peer("192.0.2.1"), 50);
    shares.hold(holdings[1], peer("192.0.2.2"), 10);
    shares.hold(holdings[2], peer("192.0.2.2"), 10);
    shares.hold(holdings[3], peer("192.0.2.3"), 5);
    EXPECT_EQ(shares.victim_for(peer("192.0.2.3")), &holdings[1]);
    EXPECT_EQ(shares.victim_for(peer("192.0.2.4")), &holdings[1]);
    EXPECT_EQ(shares.victim_for(peer("192.0.2.1")), nullptr);
    EXPECT_EQ(shares.victim_for(peer("192.0.2.2")), nullptr);
    shares.release(holdings[1]);
    EXPECT_EQ(shares.victim_for(peer("192.0.2.4")), nullptr);
    EXPECT_EQ(shares.victim(), &holdings[0]);
}

TEST_F(PeerSharesTest, ForgetsAddressesThatHoldNothing) {
    shares.hold(holdings[0], peer("192.0.2.1"), 10);
    shares.release(holdings[0]);
    shares.release(holdings[0]);
    EXPECT_EQ(shares.bytes(), 0U);
    EXPECT_EQ(shares.victim(), nullptr);
}

}  // namespace
}  // namespace merpati::http::testing
