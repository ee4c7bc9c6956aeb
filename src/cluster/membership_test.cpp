#include "cluster/membership.hpp"

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

TEST_F(MembershipTest, SeveralOwnersShareWhatOneThatIsGoneHad) {
    owners_max = 3;
    start("a");
    start("b");
    start("c");
    pass_time(2min);
    const auto before = owned("a");
    kill("b");
    pass_time(lease + 1s);
    EXPECT_GE(owned("a"), before);
    EXPECT_EQ(owned("a") + owned("c"), all);
}

}  // namespace
}  // namespace merpati::cluster
