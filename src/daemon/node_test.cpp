// Nodes: commands that change the store of a stopped server, and servers whose shards move.
#include "daemon/node.hpp"

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <tuple>
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

/// A server that starts while another one, of another name, is known at its address.
struct TakenAddressTest : ::testing::Test {
    TakenAddressTest() {
        settings.store.url = "postgresql://merpati@/db";
        settings.store.folder = folder.path();
        settings.cluster.node = "one";
        EXPECT_TRUE(other.join({.name = "two", .address = address, .version = "1"}, lease));
    }

    /// `other_lives`: it renews its lease.
    Result<void> enter(bool other_lives) {
        node.emplace(clock, nodes, settings, NodeContacts{.address = address},
                     telemetry::Log::none(), [](const Error&) {});
        return node->enter([this, other_lives](std::chrono::milliseconds time) {
            clock.advance(time);
            rows.clock.advance(time);
            if (other_lives) {
                EXPECT_TRUE(other.renew());
            }
            return false;
        });
    }

    const std::string address = "10.0.0.5:8081";
    const Millis lease = config::Settings{}.cluster.lease;
    testing::TemporaryFolder folder;
    testing::ManualClock clock;
    config::Settings settings = settings_in(folder);
    cluster::SharedRows rows;
    cluster::FakeNodes nodes{rows};
    cluster::FakeNodes other{rows};
    std::optional<Node> node;
};

TEST_F(TakenAddressTest, ItDoesNotStartWhileTheOtherOneWorks) {
    const auto entered = enter(true);
    ASSERT_FALSE(entered);
    EXPECT_EQ(entered.error().code, ErrorCode::busy);
}

TEST_F(TakenAddressTest, ItWaitsForTheLeaseOfOneThatWasKilled) {
    const auto began = clock.steady_now();
    const auto entered = enter(false);
    EXPECT_TRUE(entered) << entered.error().describe();
    EXPECT_GE(clock.steady_now() - began, lease);
}

/// A server that shares the rows with one on another machine. What its rooms do is played.
struct MovingNodeTest : ::testing::Test {
    MovingNodeTest() {
        settings.store.url = "postgresql://merpati@/db";
        settings.store.folder = folder.path();
        settings.cluster.node = "one";
        settings.cluster.lease = std::chrono::seconds{3};
    }
    ~MovingNodeTest() override { node.reset(); }

    void start() {
        node = std::make_unique<Node>(
            clock, nodes, settings,
            NodeContacts{.address = "one.example:8081",
                         .on_owners = [this](const auto&, const auto&,
                                             const auto& owners) { note_owners(owners); }},
            telemetry::Log::none(), [](const Error&) {});
        const auto entered = node->enter([](std::chrono::milliseconds) { return true; });
        ASSERT_TRUE(entered) << entered.error().describe();
        node->begin_moves(
            {.attach = [this](auto shards) { return attach(shards); },
             .detach = [this](auto shards, auto how) { return detach(shards, how); }});
    }

    // On the threads of the node.
    void note_owners(const std::vector<store::ShardOwner>& owners) {
        const std::lock_guard lock{mutex};
        told = std::ranges::count_if(owners, [this](const store::ShardOwner& one) {
            return one.owner && one.owner == node->self();
        });
        if (change_rows) {
            change_rows();
            change_rows = nullptr;
        }
        changed.notify_all();
    }
    Result<void> attach(std::span<const store::Shard> shards) {
        const std::lock_guard lock{mutex};
        if (failures > 0) {
            --failures;
            changed.notify_all();
            return fail(ErrorCode::unavailable, "the database is away");
        }
        const store::ShardSet meant{shards};
        if (!meant.common_with(damaged).empty()) {
            tried.push_back({.shards = shards.size(), .at = clock.steady_now()});
            changed.notify_all();
            return fail(ErrorCode::damaged, "a row cannot be read");
        }
        attached.add(meant);
        changed.notify_all();
        return {};
    }
    Result<void> detach(std::span<const store::Shard> shards, model::Leave how) {
        const std::lock_guard lock{mutex};
        const store::ShardSet meant{shards};
        EXPECT_EQ(how, model::Leave::when_settled);
        EXPECT_EQ(attached.common_with(meant), meant) << "they were attached before";
        for (const auto shard : shards) {
            EXPECT_TRUE(rows.owners.at(static_cast<std::size_t>(shard)).owner)
                << "it is released afterwards";
        }
        largest = std::max(largest, shards.size());
        attached.remove(meant);
        changed.notify_all();
        return {};
    }

    template <class Predicate>
    void wait_until(Predicate is_so) {
        std::unique_lock lock{mutex};
        EXPECT_TRUE(changed.wait_for(lock, std::chrono::seconds{30}, is_so));
    }
    /// Changes the rows on the node's thread, so that nobody reads them meanwhile.
    void with_rows(std::function<void()> change) {
        {
            const std::lock_guard lock{mutex};
            change_rows = std::move(change);
        }
        wait_until([this] { return !change_rows; });
    }
    /// The other server, which has been up for long.
    void join_other() {
        const auto joined = other.join(
            {.name = "two", .address = "two.example:8081", .version = "1"}, settings.cluster.lease);
        ASSERT_TRUE(joined);
        rows.find(*joined)->joined_at -= std::chrono::minutes{2};
    }

    testing::TemporaryFolder folder;
    const SystemClock clock;
    config::Settings settings = settings_in(folder);
    cluster::SharedRows rows;
    cluster::FakeNodes nodes{rows};
    cluster::FakeNodes other{rows};
    std::mutex mutex;
    std::condition_variable changed;
    std::function<void()> change_rows;
    store::ShardSet attached;
    std::ptrdiff_t told = 0;  // Shards that are said to be this node's.
    std::size_t largest = 0;  // How many were detached at once.
    int failures = 0;         // How many more calls of `attach` fail.
    store::ShardSet damaged;  // Of which `attach` fails.
    struct Try {
        std::size_t shards = 0;
        SteadyTime at;
    };
    std::vector<Try> tried;  // Calls of `attach` that met damage.
    std::unique_ptr<Node> node;
};

TEST_F(MovingNodeTest, WhatIsFreeIsAttachedBeforeTheServerHasStarted) {
    start();
    const std::lock_guard lock{mutex};
    EXPECT_TRUE(attached.is_all());
    EXPECT_EQ(told, store::shard_count);
}

TEST_F(MovingNodeTest, AnAttachThatFailsIsTriedAgainAndTheShardsAreNobodysMeanwhile) {
    failures = 2;
    start();
    {
        const std::lock_guard lock{mutex};
        EXPECT_TRUE(attached.empty());
        EXPECT_EQ(told, 0);
    }
    wait_until([this] { return told == store::shard_count; });
    const std::lock_guard lock{mutex};
    EXPECT_TRUE(attached.is_all());
    EXPECT_EQ(failures, 0);
}

TEST_F(MovingNodeTest, AShardThatIsDamagedKeepsNoOtherAndIsTriedAgainMoreAndMoreRarely) {
    damaged.add(store::Shard{7});
    damaged.add(store::Shard{200});
    const auto tries_alone = [this](std::size_t place) -> std::optional<SteadyTime> {
        std::size_t count = 0;
        for (const auto& one : tried) {
            if (one.shards == 1 && count++ == place) {
                return one.at;
            }
        }
        return std::nullopt;
    };
    start();
    {
        const std::lock_guard lock{mutex};
        EXPECT_EQ(attached, store::ShardSet::all().without(damaged));
        EXPECT_EQ(told, store::shard_count - 2);
    }
    EXPECT_THAT(node->trouble(), HasSubstr("the accounts of 2 of 256 parts"));
    wait_until([&] { return tries_alone(5).has_value(); });
    {
        const std::lock_guard lock{mutex};
        const auto first_pause = *tries_alone(2) - *tries_alone(0);
        const auto second_pause = *tries_alone(4) - *tries_alone(2);
        EXPECT_GE(first_pause, Node::retry_every);
        EXPECT_GE(second_pause, 2 * Node::retry_every);
        damaged = {};
    }
    wait_until([this] { return told == store::shard_count; });
    EXPECT_EQ(node->trouble(), "");
}

TEST_F(MovingNodeTest, WhatAnotherNodeShouldHaveIsDetachedBeforeItIsReleasedAndLittleAtATime) {
    start();
    with_rows([this] { join_other(); });
    std::vector<store::Shard> all;
    for (store::Shard shard = 0; shard < store::shard_count; ++shard) {
        all.push_back(shard);
    }
    for (std::size_t owned = 0; owned < store::shard_count / 2;) {
        with_rows([&] {
            const auto claimed = other.claim(all);
            ASSERT_TRUE(claimed);
            owned += claimed->size();
            EXPECT_TRUE(other.renew());
        });
    }
    const std::lock_guard lock{mutex};
    EXPECT_EQ(attached.size(), static_cast<std::size_t>(store::shard_count / 2));
    EXPECT_LE(largest, Node::given_at_once);
}

TEST_F(MovingNodeTest, ANodeThatLeavesMovesNothingMore) {
    start();
    node->announce_leave();
    node->end_moves();
    node->leave();
    EXPECT_TRUE(std::ranges::none_of(
        rows.owners, [](const store::ShardOwner& one) { return one.owner.has_value(); }));
    EXPECT_TRUE(attached.is_all()) << "its rooms have stopped by themselves";
}

}  // namespace
}  // namespace merpati::daemon
