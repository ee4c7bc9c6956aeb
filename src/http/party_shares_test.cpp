#include "http/party_shares.hpp"

#include <arpa/inet.h>
#include <array>
#include <netinet/in.h>

#include <gtest/gtest.h>

namespace merpati::http::testing {
namespace {

using Use = PartyShares::Use;

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

struct PartySharesTest : ::testing::Test {
    ~PartySharesTest() override {
        for (auto& holding : holdings) {
            PartyShares::release(holding);
        }
    }

    void hold(std::size_t which, const Party& party, std::size_t bytes,
              Use use = Use::transferring) {
        shares.hold(holdings[which], party, use, bytes);
    }

    const Party one{peer("192.0.2.1")};
    const Party two{peer("192.0.2.2")};
    const Party three{peer("192.0.2.3")};
    const Party account = Party::account(1);

    PartyShares shares{100};
    std::array<PartyShares::Holding, 6> holdings;
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

TEST_F(PartySharesTest, LetsOnePartyUseEverything) {
    hold(0, one, 60);
    hold(1, one, 40);
    EXPECT_FALSE(shares.is_over());
    hold(1, one, 41);
    EXPECT_TRUE(shares.is_over());
    EXPECT_EQ(shares.victim(), &holdings[0]);
}

TEST_F(PartySharesTest, TakesFromThePartyThatHoldsMostItsOldest) {
    hold(0, one, 30);
    hold(1, two, 20);
    hold(2, two, 20);
    hold(3, two, 20);
    hold(1, two, 21);  // Changing makes it no younger.
    hold(4, three, 20);
    ASSERT_TRUE(shares.is_over());
    EXPECT_EQ(shares.victim(), &holdings[1]);
    PartyShares::release(holdings[1]);
    EXPECT_FALSE(shares.is_over());
    EXPECT_EQ(shares.bytes(), 90U);
    EXPECT_EQ(shares.victim(), &holdings[2]);
    PartyShares::release(holdings[2]);
    EXPECT_EQ(shares.victim(), &holdings[0]);
}

TEST_F(PartySharesTest, TakesForMemoryWhatHoldsMemoryAndDoesNotWaitForUs) {
    hold(0, one, 0, Use::idle);
    hold(1, one, 50, Use::answering);
    hold(2, one, 0, Use::transferring);
    hold(3, one, 51, Use::transferring);
    ASSERT_TRUE(shares.is_over());
    EXPECT_EQ(shares.victim(), &holdings[3]);
    PartyShares::release(holdings[3]);
    EXPECT_EQ(shares.victim(), &holdings[1]);
}

TEST_F(PartySharesTest, MakesPlaceOnlyWhereAnotherWouldStillHaveAsMany) {
    EXPECT_EQ(shares.victim_for(0), nullptr);
    hold(0, one, 50);
    EXPECT_EQ(shares.victim_for(0), nullptr) << "one connection is everybody's due";
    hold(1, one, 0);
    EXPECT_EQ(shares.victim_for(0), &holdings[0]);
    EXPECT_EQ(shares.victim_for(1), nullptr);
    hold(2, two, 90);
    hold(3, three, 1);
    EXPECT_EQ(shares.victim_for(0), &holdings[0]) << "who has most, not who holds most";
    EXPECT_EQ(shares.connections_of(one), 2U);
    EXPECT_EQ(shares.connections(), 4U);
}

TEST_F(PartySharesTest, TakesForAPlaceTheIdleBeforeTheBusy) {
    hold(0, one, 1, Use::answering);
    hold(1, one, 1, Use::transferring);
    hold(2, one, 1, Use::idle);
    hold(3, one, 1, Use::idle);
    hold(2, one, 1, Use::answering);
    hold(2, one, 1, Use::idle);  // Idle for less long than the other.
    for (const std::size_t next : {3U, 2U, 1U}) {
        auto* const victim = shares.victim_for(0);
        EXPECT_EQ(victim, next == 1U ? &holdings[1] : &holdings[next]);
        PartyShares::release(holdings[next]);
    }
}

TEST_F(PartySharesTest, CountsAConnectionForOnePartyOnly) {
    PartyShares others{100};
    hold(0, one, 10);
    hold(0, account, 20);
    EXPECT_EQ(shares.connections_of(one), 0U);
    EXPECT_EQ(shares.connections_of(account), 1U);
    EXPECT_EQ(shares.bytes(), 20U);
    others.hold(holdings[0], account, Use::idle, 30);
    EXPECT_EQ(shares.connections(), 0U);
    EXPECT_EQ(others.bytes(), 30U);
    PartyShares::release(holdings[0]);
    EXPECT_EQ(others.bytes(), 0U);
}

TEST_F(PartySharesTest, ForgetsPartiesThatHoldNothing) {
    hold(0, one, 10);
    PartyShares::release(holdings[0]);
    PartyShares::release(holdings[0]);
    EXPECT_EQ(shares.bytes(), 0U);
    EXPECT_EQ(shares.victim(), nullptr);
}

TEST(PartyTest, TellsAddressesAccountsAndPeopleApart) {
    const std::array parties{Party{peer("192.0.2.1")}, Party{peer("192.0.2.2")}, Party::account(1),
                             Party::account(2),        Party::person(1),         Party::person(2),
                             Party::monitoring()};
    for (std::size_t i = 0; i < parties.size(); ++i) {
        for (std::size_t j = 0; j < parties.size(); ++j) {
            EXPECT_EQ(parties[i] == parties[j], i == j);
        }
        EXPECT_EQ(parties[i].is_known(), i >= 2);
    }
}

}  // namespace
}  // namespace merpati::http::testing
