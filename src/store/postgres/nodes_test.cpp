// Several nodes on one database: who owns what, and what a node that lost its lease may still do.
#include "store/nodes.hpp"

#include <atomic>
#include <functional>
#include <future>
#include <numeric>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include "store/postgres/connection.hpp"
#include "store/postgres/postgres_engine_fixture.hpp"

namespace merpati::store {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

constexpr Millis lease = 10s;
constexpr Millis at_once{0};

struct NodesTest : StoreTest {
    /// Another process on the same database.
    std::unique_ptr<Store> another() { return take(open_store(options)); }

    /// The nodes that wait for a lock of another one.
    std::string waiting() {
        return shell.query_text(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = "
            "current_database() AND wait_event_type = 'Lock'");
    }
    std::size_t owned_by(const NodeGeneration& node) {
        std::size_t count = 0;
        for (const auto& one : take(nodes.owners())) {
            count += one.owner == node ? 1 : 0;
        }
        return count;
    }

    Nodes& nodes = *store->nodes();
    NodeEntry entry{.name = "one", .address = "10.0.0.5:8081", .version = "0.1.0"};
    postgres::Connection shell{take(postgres::ConnectionSettings::parse(options.url))};
};

TEST_P(NodesTest, ANodeJoinsIsListedAndOwnsNothing) {
    const auto self = take(nodes.join(entry, lease));
    EXPECT_EQ(self.generation, 1);
    const auto list = take(nodes.list());
    ASSERT_THAT(list, SizeIs(1));
    EXPECT_EQ(list[0].id, self);
    EXPECT_EQ(list[0].entry.name, "one");
    EXPECT_EQ(list[0].entry.address, "10.0.0.5:8081");
    EXPECT_EQ(list[0].entry.version, "0.1.0");
    EXPECT_EQ(list[0].state, Node::State::live);
    EXPECT_GE(list[0].seen_at, list[0].joined_at);
    EXPECT_LT(list[0].silent_for, 60s);
    const auto owners = take(nodes.owners());
    ASSERT_THAT(owners, SizeIs(shard_count));
    EXPECT_EQ(owners.back().shard, shard_count - 1);
    EXPECT_EQ(owned_by(self), 0);
}

TEST_P(NodesTest, ASecondProcessOfOneNameIsRefusedWhileTheFirstIsAlive) {
    take(nodes.join(entry, lease));
    const auto other = another();
    EXPECT_EQ(other->nodes()->join(entry, lease).error().code, ErrorCode::conflict);
    WriteBatch batch;
    batch.accepts.push_back({.message = message()});
    write(batch);  // The first goes on.
}

TEST_P(NodesTest, ASecondNodeAtOneAddressIsRefusedWhileTheFirstIsAlive) {
    take(nodes.join(entry, lease));
    const auto other = another();
    const auto refused = other->nodes()->join({.name = "two", .address = entry.address}, lease);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::conflict);
    EXPECT_THAT(refused.error().detail, ::testing::HasSubstr("the node \"one\" is at work at the "
                                                             "address 10.0.0.5:8081"));
    take(nodes.announce_leave());
    EXPECT_FALSE(other->nodes()->join({.name = "two", .address = entry.address}, lease));
    WriteBatch batch;
    batch.accepts.push_back({.message = message()});
    write(batch);  // The first goes on.
    take(nodes.leave());
    take(other->nodes()->join({.name = "two", .address = entry.address}, lease));
}

TEST_P(NodesTest, TheAddressOfANodeThatIsSilentIsFreeAfterItsLease) {
    take(nodes.join(entry, lease));
    shell.run_script(
        "UPDATE node SET joined_at = joined_at - 11000;"
        "UPDATE node_heartbeat SET seen_at = seen_at - 11000");
    const auto other = another();
    take(other->nodes()->join({.name = "two", .address = entry.address}, lease));
}

TEST_P(NodesTest, NodesThatJoinAtOnceHaveSlotsOfTheirOwn) {
    EXPECT_EQ(nodes.slot(), std::nullopt);
    constexpr int count = 6;
    std::vector<std::unique_ptr<Store>> processes;
    std::vector<std::future<Result<NodeGeneration>>> joining;
    for (int number = 0; number < count; ++number) {
        processes.push_back(another());
        joining.push_back(std::async(std::launch::async, [&, number] {
            return processes[static_cast<std::size_t>(number)]->nodes()->join(
                {.name = std::to_string(number)}, lease);
        }));
    }
    std::vector<std::optional<IdSlot>> slots;
    for (int number = 0; number < count; ++number) {
        take(joining[static_cast<std::size_t>(number)].get());
        slots.push_back(processes[static_cast<std::size_t>(number)]->nodes()->slot());
    }
    EXPECT_THAT(slots, UnorderedElementsAre(0, 1, 2, 3, 4, 5));
}

TEST_P(NodesTest, ASlotIsFreeOnceItsNodeIsGone) {
    take(nodes.join(entry, lease));
    const auto second = another();
    const auto two = take(second->nodes()->join({.name = "two"}, lease));
    EXPECT_EQ(nodes.slot(), 0);
    EXPECT_EQ(second->nodes()->slot(), 1);
    const auto third = another();
    EXPECT_TRUE(take(nodes.depose(two, at_once)));
    take(third->nodes()->join({.name = "three"}, lease));
    EXPECT_EQ(third->nodes()->slot(), 1);
}

TEST_P(NodesTest, TheSixtyFifthNodeIsRefused) {
    shell.run_script(
        "INSERT INTO node(name, generation, state, address, version, joined_at, slot) "
        "SELECT 'node ' || s, 1, 'live', '', '', 0, s FROM generate_series(0, 62) s");
    take(nodes.join(entry, lease));
    EXPECT_EQ(nodes.slot(), 63);
    const auto other = another();
    const auto refused = other->nodes()->join({.name = "two"}, lease);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::refused);
    EXPECT_THAT(refused.error().detail, ::testing::HasSubstr("64 nodes are at work"));
    shell.run_script("UPDATE node SET state = 'gone' WHERE slot = 7");
    take(other->nodes()->join({.name = "two"}, lease));
    EXPECT_EQ(other->nodes()->slot(), 7);
}

TEST_P(NodesTest, OfTwoProcessesOfOneNameThatStartAtOnceOneJoins) {
    const auto other = another();
    auto joining =
        std::async(std::launch::async, [&] { return other->nodes()->join(entry, lease); });
    const auto first = nodes.join(entry, lease);
    const auto second = joining.get();
    EXPECT_NE(first.has_value(), second.has_value());
}

TEST_P(NodesTest, ARestartIsAnotherGenerationAndFreesWhatWasOwned) {
    const auto before = take(nodes.join(entry, lease));
    EXPECT_THAT(take(nodes.claim(std::vector<Shard>{1, 2})), SizeIs(2));
    reopen();
    const auto after = take(store->nodes()->join(entry, at_once));
    EXPECT_EQ(after.node, before.node);
    EXPECT_EQ(after.generation, before.generation + 1);
    for (const auto& one : take(store->nodes()->owners())) {
        EXPECT_FALSE(one.owner);
    }
}

TEST_P(NodesTest, AShardHasOneOwner) {
    const auto other = another();
    const auto one = take(nodes.join(entry, lease));
    const auto two = take(other->nodes()->join({.name = "two"}, lease));
    std::vector<Shard> all(shard_count);
    std::iota(all.begin(), all.end(), 0);
    EXPECT_THAT(take(nodes.claim(std::vector<Shard>{0, 1, 2})), SizeIs(3));
    EXPECT_THAT(take(other->nodes()->claim(all)), SizeIs(shard_count - 3));
    EXPECT_THAT(take(nodes.claim(all)), IsEmpty());
    take(nodes.release(std::vector<Shard>{1, 200}));  // 200 is not its own.
    EXPECT_EQ(owned_by(one), 2);
    EXPECT_EQ(owned_by(two), shard_count - 3);
    EXPECT_THAT(take(other->nodes()->claim(all)), ElementsAre(1));
}

TEST_P(NodesTest, ANodeTakesNothingInASchemaThatItDoesNotKnow) {
    take(nodes.join(entry, lease));
    shell.run_script("UPDATE meta SET value = '9999' WHERE name = 'schema_version'");
    const auto claimed = nodes.claim(std::vector<Shard>{7});
    ASSERT_FALSE(claimed);
    EXPECT_EQ(claimed.error().code, ErrorCode::fenced);
    EXPECT_THAT(claimed.error().detail, ::testing::HasSubstr("9999"));
    EXPECT_FALSE(take(nodes.owners())[7].owner);
}

TEST_P(NodesTest, AnAccountIsInTheShardThatTheDatabaseComputes) {
    for (int count = 0; count < 3; ++count) {
        const auto made = create_account();
        EXPECT_EQ(
            shell.query_text(
                ("SELECT shard FROM account WHERE id = " + std::to_string(made.value)).c_str()),
            std::to_string(shard_of(made)));
    }
}

TEST_P(NodesTest, ANodeThatWasDeposedWritesNothingMore) {
    const auto one = take(nodes.join(entry, lease));
    take(nodes.claim(std::vector<Shard>{7}));
    const auto waiting_message = accepted();
    const auto other = another();
    take(other->nodes()->join({.name = "two"}, lease));
    EXPECT_FALSE(take(other->nodes()->depose(one, lease)));  // It was heard of.
    EXPECT_TRUE(take(other->nodes()->depose(one, at_once)));
    EXPECT_FALSE(take(other->nodes()->depose(one, at_once)));

    WriteBatch batch;
    batch.finishes.push_back(finish_of(waiting_message));
    batch.accepts.push_back({.message = message()});
    const auto written = store->write(batch);
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().code, ErrorCode::fenced);
    EXPECT_EQ(take(reader()->waiting_messages(100)), 1);
    EXPECT_EQ(shell.query_text("SELECT count(*) FROM completion"), "0");
    EXPECT_EQ(nodes.renew().error().code, ErrorCode::fenced);
    EXPECT_EQ(nodes.claim(std::vector<Shard>{7}).error().code, ErrorCode::fenced);
    EXPECT_THAT(take(other->nodes()->claim(std::vector<Shard>{7})), ElementsAre(7));
}

TEST_P(NodesTest, DeposingWaitsForTheCommitInProgress) {
    const auto one = take(nodes.join(entry, lease));
    const auto other = another();
    std::future<Result<bool>> deposing;
    EXPECT_TRUE(change([&](Tables& tables) -> Result<void> {
        if (!deposing.valid()) {
            deposing = std::async(std::launch::async,
                                  [&] { return other->nodes()->depose(one, at_once); });
        }
        while (waiting() == "0") {
            std::this_thread::yield();
        }
        const auto made = tables.create_account({.name = "Toko Ani"});
        return made ? Result<void>{} : pass(made);
    }));
    EXPECT_TRUE(take(deposing.get()));
    WriteBatch empty;
    EXPECT_EQ(store->write(empty).error().code, ErrorCode::fenced);
}

TEST_P(NodesTest, ANodeThatIsFrozenInATransactionIsDeposedAndItsTransactionIsUndone) {
    const auto one = take(nodes.join(entry, lease));
    accepted();
    const auto other = another();
    WriteBatch batch;
    batch.accepts.push_back({.message = message()});
    batch.changes.push_back({.run = [&](Tables&) -> Result<void> {
        EXPECT_TRUE(take(other->nodes()->depose(one, at_once)));
        return {};
    }});
    EXPECT_EQ(store->write(batch).error().code, ErrorCode::unavailable);
    batch.changes.clear();
    EXPECT_EQ(store->write(batch).error().code, ErrorCode::fenced);
    EXPECT_EQ(take(reader()->waiting_messages(100)), 1);
}

TEST_P(NodesTest, ANodeThatLeavesStillWritesUntilItHasLeft) {
    const auto one = take(nodes.join(entry, lease));
    take(nodes.claim(std::vector<Shard>{7}));
    take(nodes.announce_leave());
    EXPECT_EQ(take(nodes.list())[0].state, Node::State::leaving);
    accepted();
    take(nodes.leave());
    EXPECT_EQ(take(nodes.list())[0].state, Node::State::gone);
    EXPECT_EQ(owned_by(one), 0);
    WriteBatch empty;
    EXPECT_EQ(store->write(empty).error().code, ErrorCode::fenced);
    EXPECT_EQ(nodes.leave().error().code, ErrorCode::fenced);
}

TEST_P(NodesTest, ANodeLeavesAlthoughTheDatabasesClockWasSetBack) {
    const auto one = take(nodes.join(entry, lease));
    take(nodes.claim(std::vector<Shard>{7}));
    shell.run_script("UPDATE node_heartbeat SET seen_at = seen_at + 3600000");
    take(nodes.leave());
    EXPECT_EQ(take(nodes.list())[0].state, Node::State::gone);
    EXPECT_EQ(owned_by(one), 0);
}

TEST_P(NodesTest, ANodeThatIsKnownToBeDeadIsDeposedAlthoughTheDatabasesClockWasSetBack) {
    const auto one = take(nodes.join(entry, lease));
    take(nodes.claim(std::vector<Shard>{7}));
    shell.run_script("UPDATE node_heartbeat SET seen_at = seen_at + 3600000");
    const auto other = another();
    EXPECT_FALSE(take(other->nodes()->depose(one, lease)));
    EXPECT_TRUE(take(other->nodes()->depose(one, at_once)));
    EXPECT_EQ(owned_by(one), 0);
}

/// The database keeps shard 3 behind shard 5, and uses no index, so that it finds 5 first.
struct ShardOrderTest : NodesTest {
    ShardOrderTest() {
        shell.run_script(
            "DO $$ DECLARE setting text; BEGIN FOREACH setting IN ARRAY ARRAY['enable_indexscan', "
            "'enable_bitmapscan', 'enable_indexonlyscan'] LOOP EXECUTE format('ALTER DATABASE %I "
            "SET %s = off', current_database(), setting); END LOOP; END $$; "
            "UPDATE shard SET generation = generation WHERE id = 3");
        self = take(nodes.join(entry, lease));
    }

    /// Whether `write` has locked shard 3 when it waits for shard 5.
    bool locks_in_order(const std::function<Result<void>()>& write) {
        shell.run_script("BEGIN; SELECT 1 FROM shard WHERE id = 5 FOR UPDATE");
        auto writing = std::async(std::launch::async, write);
        while (writing.wait_for(0s) != std::future_status::ready && waiting() == "0") {
            std::this_thread::yield();
        }
        postgres::Connection third{take(postgres::ConnectionSettings::parse(options.url))};
        const auto first = third.query_text(
            "SELECT count(*) FROM (SELECT 1 FROM shard WHERE id = 3 FOR UPDATE SKIP LOCKED) free");
        shell.run_script("COMMIT");
        take(writing.get());
        return first == "0";
    }

    std::vector<Shard> shards{5, 3};
    NodeGeneration self;
};

TEST_P(ShardOrderTest, ShardsAreLockedInTheOrderOfTheirNumbers) {
    EXPECT_TRUE(locks_in_order([&]() -> Result<void> {
        const auto claimed = nodes.claim(shards);
        EXPECT_THAT(claimed.value_or(std::vector<Shard>{}), UnorderedElementsAre(3, 5));
        return claimed ? Result<void>{} : pass(claimed);
    })) << "claim";
    EXPECT_EQ(owned_by(self), 2);
    shell.run_script("UPDATE shard SET generation = generation WHERE id = 3");
    EXPECT_TRUE(locks_in_order([&] { return nodes.release(shards); })) << "release";
    EXPECT_EQ(owned_by(self), 0);
    take(nodes.claim(shards));
    shell.run_script("UPDATE shard SET generation = generation WHERE id = 3");
    EXPECT_TRUE(locks_in_order([&] { return nodes.leave(); })) << "leave";
    EXPECT_EQ(owned_by(self), 0);
}

TEST_P(ShardOrderTest, NodesThatClaimAndReleaseAtOnceHaveNoShardTwice) {
    constexpr int rounds = 40;
    const auto second = another();
    take(second->nodes()->join({.name = "two"}, lease));
    std::vector<Shard> all(shard_count);
    std::iota(all.begin(), all.end(), 0);
    std::vector<std::atomic<int>> owners(shard_count);
    const auto take_turns = [&](Nodes& own) {
        for (int round = 0; round < rounds; ++round) {
            const auto claimed = take(own.claim(all));
            for (const auto shard : claimed) {
                EXPECT_EQ(owners[static_cast<std::size_t>(shard)].fetch_add(1), 0);
            }
            for (const auto shard : claimed) {
                owners[static_cast<std::size_t>(shard)].fetch_sub(1);
            }
            take(own.release(claimed));
        }
    };
    auto other = std::async(std::launch::async, [&] { take_turns(*second->nodes()); });
    take_turns(nodes);
    other.get();
    EXPECT_THAT(take(nodes.claim(all)), SizeIs(shard_count));
}

INSTANTIATE_TEST_SUITE_P(Engine, ShardOrderTest, ::testing::Values(postgres::engine()), name_of);
INSTANTIATE_TEST_SUITE_P(Engine, NodesTest, ::testing::Values(postgres::engine()), name_of);

}  // namespace
}  // namespace merpati::store
