// Commands that change the store of a stopped server, as nodes.
#include "daemon/node.hpp"

#include <algorithm>
#include <list>
#include <memory>
#include <vector>

#include <gmock/gmock.h>

#include "cluster/shared_nodes_fixture.hpp"
#include "daemon/gateway_fixture.hpp"
#include "testing/temporary_folder.hpp"

namespace merpati::daemon {
namespace {

using ::testing::HasSubstr;

/// The machine "one", on which a command runs, and the rows that it shares with others.
struct CommandNodeTest : ::testing::Test {
    CommandNodeTest() {
        settings.store.url = "postgresql://merpati@/db";
        settings.store.folder = folder.path();
        settings.cluster.node = "one";
    }

    Result<std::unique_ptr<Node>> enter() {
        return enter_for_command(clock, own_nodes.emplace_back(rows), settings);
    }
    store::Shard owned() const {
        return std::ranges::count_if(
            rows.owners, [](const store::ShardOwner& one) { return one.owner.has_value(); });
    }
    /// A server on another machine.
    void start_server() {
        EXPECT_TRUE(server_nodes.join({.name = "two", .address = {}, .version = "1"}, lease));
    }
    store::Shard claimed_by_server() {
        std::vector<store::Shard> all;
        for (store::Shard shard = 0; shard < store::shard_count; ++shard) {
            all.push_back(shard);
        }
        const auto claimed = server_nodes.claim(all);
        EXPECT_TRUE(claimed);
        return claimed ? std::ssize(*claimed) : 0;
    }
    ErrorCode refusal() {
        const auto entered = enter();
        EXPECT_FALSE(entered);
        return entered ? ErrorCode::conflict : entered.error().code;
    }

    const Millis lease = config::Settings{}.cluster.lease;
    testing::TemporaryFolder folder;
    testing::ManualClock clock;
    config::Settings settings = settings_in(folder);
    cluster::SharedRows rows;
    std::list<cluster::FakeNodes> own_nodes;  // Of each command.
    cluster::FakeNodes server_nodes{rows};
};

TEST_F(CommandNodeTest, AServerThatStartsMeanwhileGetsNothingUntilTheCommandEnds) {
    auto command = enter();
    ASSERT_TRUE(command) << command.error().describe();
    EXPECT_EQ(owned(), store::shard_count);
    start_server();
    EXPECT_EQ(claimed_by_server(), 0);
    command->reset();
    EXPECT_EQ(claimed_by_server(), store::shard_count);
}

TEST_F(CommandNodeTest, ACommandIsRefusedWhileAServerRuns) {
    start_server();
    const auto entered = enter();
    ASSERT_FALSE(entered);
    EXPECT_EQ(entered.error().code, ErrorCode::busy);
    EXPECT_THAT(entered.error().detail, HasSubstr("the node \"two\" runs on this database"));
    EXPECT_EQ(claimed_by_server(), store::shard_count);
}

TEST_F(CommandNodeTest, ACommandWhichAServerForestallsIsRefusedAndKeepsNothing) {
    rows.claimable = 100;  // The server takes the others in between.
    EXPECT_EQ(refusal(), ErrorCode::busy);
    EXPECT_EQ(owned(), 0);
    rows.claimable = store::shard_count;
    start_server();
    EXPECT_EQ(claimed_by_server(), store::shard_count);
}

TEST_F(CommandNodeTest, AServerThatIsSilentForLongerThanItsLeaseIsDeposed) {
    start_server();
    EXPECT_EQ(claimed_by_server(), store::shard_count);
    rows.clock.advance(lease + Millis{1});
    const auto command = enter();
    ASSERT_TRUE(command) << command.error().describe();
    EXPECT_EQ(server_nodes.renew().error().code, ErrorCode::fenced);
}

/// The rows are as they were before a command ended, as if it had been killed.
struct KilledCommandTest : CommandNodeTest {
    KilledCommandTest() {
        auto command = enter();
        EXPECT_TRUE(command);
        const auto nodes = rows.nodes;
        const auto owners = rows.owners;
        command->reset();
        rows.nodes = nodes;
        rows.owners = owners;
    }
};

TEST_F(KilledCommandTest, TheNextOneOfTheMachineDoesNotWait) {
    const auto command = enter();
    ASSERT_TRUE(command) << command.error().describe();
    EXPECT_EQ(owned(), store::shard_count);
}

TEST_F(KilledCommandTest, AnotherMachineWaitsForTheLease) {
    const testing::TemporaryFolder other;
    settings.store.folder = other.path();
    settings.cluster.node = "three";
    EXPECT_EQ(refusal(), ErrorCode::busy);
    rows.clock.advance(lease + Millis{1});
    const auto command = enter();
    ASSERT_TRUE(command) << command.error().describe();
    EXPECT_EQ(owned(), store::shard_count);
}

}  // namespace
}  // namespace merpati::daemon
