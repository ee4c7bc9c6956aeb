#include "cluster/membership.hpp"

#include <algorithm>
#include <initializer_list>

#include "cluster/placement.hpp"
#include "cluster/shared_nodes_fixture.hpp"

namespace merpati::cluster {
namespace {

using namespace std::chrono_literals;

struct MembershipTest : SharedNodesFixture {};

constexpr std::size_t all = store::shard_count;

TEST_F(MembershipTest, TheFirstNodeOwnsEverythingAtOnce) {
    const auto& a = start("a");
    EXPECT_FALSE(a.membership.owns_all());
    pass_time(50ms);
    EXPECT_TRUE(a.membership.owns_all());
    EXPECT_TRUE(a.membership.lease().holds());
    pass_time(1h);
    EXPECT_TRUE(a.membership.owns_all());
    EXPECT_TRUE(a.membership.lease().holds());
    EXPECT_EQ(a.membership.leases_lost(), 0U);
}

TEST_F(MembershipTest, ASecondNodeWaitsAndKnowsForWhom) {
    start("a");
    pass_time(1s);
    const auto& b = start("b");
    pass_time(1h);
    EXPECT_EQ(owned("a"), all);
    EXPECT_FALSE(b.membership.owns_all());
    ASSERT_TRUE(b.membership.other_owner());
    EXPECT_EQ(b.membership.other_owner()->entry.name, "a");
}

TEST_F(MembershipTest, OfNodesThatStartTogetherOneOwnsEverything) {
    start("a");
    start("b");
    start("c");
    pass_time(1s);
    EXPECT_TRUE(owned("a") == all || owned("b") == all || owned("c") == all);
}

TEST_F(MembershipTest, ANodeThatGotAPartKeepsNothingSoThatNoTwoWaitForEachOther) {
    rows.claimable = all / 2;
    start("a");
    pass_time(1s);
    EXPECT_EQ(owned("a"), 0U);
    rows.claimable = all;
    pass_time(1s);
    EXPECT_EQ(owned("a"), all);
}

TEST_F(MembershipTest, ANodeNoticesThatItsClockIsNotTheDatabases) {
    auto& a = start("a");
    pass_time(1s);
    EXPECT_EQ(a.membership.clock_ahead(), Millis{0});
    for (const Millis ahead : {Millis{1h}, Millis{-1h}, Millis{0}}) {
        a.clock.set_wall(rows.clock.now() + ahead);
        pass_time(lease);
        EXPECT_EQ(a.membership.clock_ahead(), ahead);
        EXPECT_TRUE(a.membership.lease().holds());
    }
}

TEST_F(MembershipTest, AKilledNodeIsFollowedWithinItsLeaseAndNotBefore) {
    start("a");
    start("b");
    pass_time(1min);
    kill("a");
    pass_time(lease * 2 / 3 - 50ms);
    EXPECT_EQ(owned("b"), 0U);
    pass_time(lease / 3 + 1s);
    EXPECT_EQ(owned("b"), all);
    EXPECT_TRUE(process("b").membership.owns_all());
}

TEST_F(MembershipTest, ANodeThatIsKnownToBeDeadIsFollowedAtOnce) {
    start("a");
    start("b");
    pass_time(1min);
    kill("a");
    process("b").dead = "a";
    pass_time(1s);
    EXPECT_EQ(owned("b"), all);
}

TEST_F(MembershipTest, ANodeThatIsWronglyTakenForDeadIsFenced) {
    auto& a = start("a");
    auto& b = start("b");
    pass_time(1min);
    b.dead = "a";
    pass_time(1s);
    EXPECT_EQ(owned("b"), all);
    pass_time(lease);
    ASSERT_TRUE(a.ended);
    EXPECT_EQ(a.ended->code, ErrorCode::fenced);
}

TEST_F(MembershipTest, ANodeThatLeavesIsNotTakenForDead) {
    auto& a = start("a");
    auto& b = start("b");
    pass_time(1min);
    a.membership.announce_leave();
    b.dead = "a";
    pass_time(5s);
    EXPECT_EQ(owned("a"), all);
}

TEST_F(MembershipTest, ANodeThatLeavesIsFollowedWithinASecond) {
    auto& a = start("a");
    start("b");
    pass_time(1min);
    a.membership.announce_leave();
    pass_time(5s);  // Its sends in flight.
    EXPECT_EQ(owned("a"), all);
    a.membership.leave();
    EXPECT_FALSE(a.membership.lease().holds());
    kill("a");
    pass_time(500ms);
    EXPECT_EQ(owned("b"), all);
}

TEST_F(MembershipTest, ANodeThatLeavesTakesNothing) {
    start("a");
    auto& b = start("b");
    pass_time(1min);
    b.membership.announce_leave();
    kill("a");
    pass_time(1min);
    EXPECT_EQ(owned("b"), 0U);
}

TEST_F(MembershipTest, ANodeThatWasFrozenHoldsNoLeaseBeforeItsFirstStepAndIsFencedThen) {
    auto& a = start("a");
    start("b");
    pass_time(1min);
    a.is_frozen = true;
    for (int moment = 0; moment < 300; ++moment) {
        pass_time(50ms);
        ASSERT_FALSE(a.membership.lease().holds() && owned("b") > 0);
    }
    EXPECT_EQ(owned("b"), all);
    a.is_frozen = false;
    EXPECT_FALSE(a.membership.lease().holds());
    pass_time(50ms);
    ASSERT_TRUE(a.ended);
    EXPECT_EQ(a.ended->code, ErrorCode::fenced);
    EXPECT_FALSE(a.membership.lease().holds());
    EXPECT_EQ(a.membership.leases_lost(), 1U);
}

TEST_F(MembershipTest, ANodeThatWasFrozenAndNotFollowedGoesOn) {
    auto& a = start("a");
    pass_time(1min);
    a.is_frozen = true;
    pass_time(1min);
    a.is_frozen = false;
    EXPECT_FALSE(a.membership.lease().holds());
    pass_time(50ms);
    EXPECT_TRUE(a.membership.lease().holds());
    EXPECT_TRUE(a.membership.owns_all());
    EXPECT_EQ(a.membership.leases_lost(), 1U);
}

TEST_F(MembershipTest, WhoWasFrozenDoesNotDeposeWhoWorked) {
    start("a");
    auto& b = start("b");
    pass_time(1min);
    b.is_frozen = true;
    pass_time(1min);
    b.is_frozen = false;
    pass_time(1min);
    EXPECT_EQ(owned("a"), all);
    EXPECT_FALSE(process("a").ended);
    EXPECT_TRUE(b.ended);
}

TEST_F(MembershipTest, WhileTheDatabaseIsAwayNobodyHoldsALeaseAndAfterwardsNobodyIsDeposed) {
    auto& a = start("a");
    auto& b = start("b");
    pass_time(1min);
    rows.is_away = true;
    pass_time(lease);
    EXPECT_FALSE(a.membership.lease().holds());
    pass_time(1h);
    rows.is_away = false;
    for (int moment = 0; moment < 100; ++moment) {
        pass_time(50ms);
        ASSERT_EQ(owned("a"), all);
    }
    EXPECT_TRUE(a.membership.lease().holds());
    EXPECT_FALSE(a.ended);
    EXPECT_FALSE(b.ended);
}

TEST_F(MembershipTest, ADatabaseThatWasFrozenDeposesNobody) {
    start("a");
    auto& b = start("b");
    pass_time(1min);
    process("a").is_frozen = b.is_frozen = true;  // Their calls do not return.
    pass_time(1min);
    b.is_frozen = false;  // Is answered first.
    pass_time(lease - 100ms);
    process("a").is_frozen = false;
    pass_time(1min);
    EXPECT_EQ(owned("a"), all);
    EXPECT_FALSE(process("a").ended);
}

TEST_F(MembershipTest, ClocksThatAreAnHourWrongChangeNothing) {
    auto& a = start("a");
    auto& b = start("b");
    a.clock.set_wall(a.clock.now() + 1h);
    b.clock.set_wall(b.clock.now() - 1h);
    pass_time(1min);
    EXPECT_EQ(owned("a"), all);
    EXPECT_TRUE(a.membership.lease().holds());
    a.clock.set_wall(a.clock.now() - 2h);
    pass_time(1min);
    EXPECT_EQ(owned("a"), all);
    EXPECT_EQ(a.membership.leases_lost(), 0U);
    kill("a");
    pass_time(lease + 1s);
    EXPECT_EQ(owned("b"), all);
}

TEST_F(MembershipTest, ANodeThatComesAndGoesTakesNothingFromTheOther) {
    start("a");
    pass_time(1min);
    for (int time = 0; time < 5; ++time) {
        start("b");
        pass_time(20s);
        kill("b");
        pass_time(lease + 1s);
        EXPECT_EQ(owned("a"), all);
    }
    EXPECT_EQ(process("a").membership.leases_lost(), 0U);
}

TEST_F(MembershipTest, TwoNodesWithOneNameCannotBeAtWork) {
    start("a");
    pass_time(1min);
    testing::ManualClock clock;
    FakeNodes nodes{rows};
    Membership second{
        clock, nodes, {.entry = {.name = "a"}, .lease = lease}, telemetry::Log::none()};
    const auto joined = second.join();
    ASSERT_FALSE(joined);
    EXPECT_EQ(joined.error().code, ErrorCode::conflict);
    EXPECT_EQ(owned("a"), all);
}

TEST_F(MembershipTest, ANodeThatDoesNotClaimYetTakesNothingButIsKnown) {
    auto& a = start("a");
    a.claims = false;
    pass_time(1min);
    EXPECT_EQ(owned("a"), 0U);
    EXPECT_TRUE(a.membership.lease().holds());
    a.claims = true;
    pass_time(2 * Membership::look_every);
    EXPECT_EQ(owned("a"), all);
}

/// Nodes that reach each other.
struct TogetherTest : SharedNodesFixture {
    TogetherTest() { is_together = true; }

    /// As if they had joined a while ago.
    void start_all(std::initializer_list<const char*> names) {
        for (const auto* name : names) {
            start(name);
        }
        for (auto& node : rows.nodes) {
            node.joined_at -= probation;
        }
    }
    [[nodiscard]] std::size_t free_shards() const {
        return static_cast<std::size_t>(std::ranges::count_if(
            rows.owners, [](const store::ShardOwner& one) { return !one.owner; }));
    }
};

TEST_F(TogetherTest, NodesThatHaveEarnedSomeShareTheAccountsAtOnce) {
    start_all({"a", "b"});
    pass_time(1s);
    EXPECT_EQ(owned("a"), all / 2);
    EXPECT_EQ(owned("b"), all / 2);
    EXPECT_FALSE(process("a").membership.owns_all());
}

TEST_F(TogetherTest, ANodeThatJoinsGetsItsPartAfterItsProbationAndAFewShardsAtATime) {
    auto& a = start("a");
    pass_time(1min);
    start("b");
    pass_time(probation - 1s);
    EXPECT_EQ(owned("b"), 0U);
    EXPECT_EQ(a.given, 0U);
    for (Millis passed{0}; passed < 1min; passed += 50ms) {
        pass_time(50ms);
        ASSERT_LE(free_shards(), given_at_once);
    }
    EXPECT_EQ(owned("a"), all / 2);
    EXPECT_EQ(owned("b"), all / 2);
    EXPECT_EQ(a.given, all / 2);
    pass_time(1h);
    EXPECT_EQ(a.given, all / 2);
    EXPECT_EQ(process("b").given, 0U);
}

TEST_F(TogetherTest, ANodeThatComesAndGoesMovesNothing) {
    auto& a = start("a");
    pass_time(1min);
    for (int time = 0; time < 5; ++time) {
        start("b");
        pass_time(20s);
        kill("b");
        pass_time(lease + 1s);
        EXPECT_EQ(owned("a"), all);
    }
    EXPECT_EQ(a.given, 0U);
}

TEST_F(TogetherTest, WhatANodeThatIsGoneHadGoesToTheOthersAndNothingElseMoves) {
    start_all({"a", "b", "c"});
    pass_time(2min);
    const auto before = owned("a");
    kill("b");
    pass_time(lease + 1s);
    EXPECT_GE(owned("a"), before);
    EXPECT_EQ(owned("a") + owned("c"), all);
    EXPECT_EQ(process("a").given + process("c").given, 0U);
}

TEST_F(TogetherTest, ANodeInProbationTakesEverythingIfThereIsNoOther) {
    start("a");
    pass_time(1min);
    start("b");
    pass_time(1s);
    kill("a");
    process("b").dead = "a";
    pass_time(1s);
    EXPECT_EQ(owned("b"), all);
}

TEST_F(TogetherTest, ANodeThatLeavesIsFollowedWithinASecondAndGivesNothingBefore) {
    start_all({"a", "b"});
    auto& a = process("a");
    pass_time(1min);
    a.membership.announce_leave();
    pass_time(5s);
    EXPECT_EQ(owned("a"), all / 2);
    a.membership.leave();
    kill("a");
    pass_time(500ms);
    EXPECT_EQ(owned("b"), all);
}

TEST_F(TogetherTest, WhileOneNodeCannotBeReachedOneOwnsEverything) {
    auto& a = start("a");
    start("b");
    pass_time(1min);
    is_together = false;
    start("c");
    pass_time(1min);
    EXPECT_EQ(owned("a"), all);
    EXPECT_TRUE(a.membership.owns_all());
    process("c").membership.announce_leave();
    process("c").membership.leave();
    kill("c");
    pass_time(1min);
    EXPECT_EQ(owned("a"), all / 2);
    EXPECT_EQ(owned("b"), all / 2);
}

TEST_F(TogetherTest, AfterTheDatabaseWasAwayNothingMoves) {
    start_all({"a", "b"});
    auto& a = process("a");
    auto& b = process("b");
    pass_time(2min);
    rows.is_away = true;
    pass_time(1h);
    rows.is_away = false;
    for (int moment = 0; moment < 600; ++moment) {
        pass_time(50ms);
        ASSERT_EQ(owned("a"), all / 2);
        ASSERT_EQ(owned("b"), all / 2);
    }
    EXPECT_EQ(a.given + b.given, 0U);
    EXPECT_FALSE(a.ended);
    EXPECT_FALSE(b.ended);
}

TEST_F(TogetherTest, AReleaseThatFailsLeavesTheShardsToTheNode) {
    auto& a = start("a");
    pass_time(1s);
    const auto shards = a.membership.owned();
    rows.is_away = true;
    EXPECT_FALSE(a.membership.release(shards));
    EXPECT_EQ(a.membership.owned(), shards);
    rows.is_away = false;
    EXPECT_TRUE(a.membership.release(shards));
    EXPECT_TRUE(a.membership.owned().empty());
    EXPECT_FALSE(a.membership.owns_all());
}

TEST_F(TogetherTest, EachLookIsCounted) {
    auto& a = start("a");
    start("b");
    pass_time(1s);
    const auto looks = a.membership.looks();
    pass_time(1s);
    EXPECT_GE(a.membership.looks(), looks + 3);
    EXPECT_EQ(a.membership.nodes().size(), 2U);
    EXPECT_EQ(a.membership.owners().size(), all);
}

}  // namespace
}  // namespace merpati::cluster
