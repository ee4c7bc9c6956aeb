// Queue time that follows the clock of a shared database.
#include "daemon/queue_time.hpp"

#include <gtest/gtest.h>

#include "cluster/shared_nodes_fixture.hpp"
#include "daemon/opened_store.hpp"
#include "testing/manual_clock.hpp"

namespace merpati::daemon {
namespace {

using namespace std::chrono_literals;

struct QueueTimeTest : ::testing::Test {
    QueueTimeTest() {
        EXPECT_TRUE(nodes.join({.name = "one", .address = {}, .version = "1"}, 10s));
    }

    Timestamp database_now() const { return rows.clock.now(); }
    void pass(Millis time) {
        rows.clock.advance(time);
        machine.advance(time);
    }

    cluster::SharedRows rows;
    cluster::FakeNodes nodes{rows};
    testing::ManualClock machine;
    QueueClock clock{machine};
    OpenedStore opened{.store = {}, .allowed = {}, .nodes = &nodes};
};

TEST_F(QueueTimeTest, BeginsWithTheDatabasesClockHoweverWrongTheMachinesIs) {
    for (const Millis wrong_by : {Millis{0ms}, Millis{1h}, Millis{-2h}}) {
        machine.set_wall(database_now() + wrong_by);
        opened.begin(clock);
        EXPECT_EQ(clock.now(), database_now());
        EXPECT_EQ(clock.offset(), -wrong_by);
        EXPECT_EQ(clock.notice_step(), std::nullopt);
    }
}

TEST_F(QueueTimeTest, NeverBeginsBeforeTheNewestId) {
    opened.last_sequence = Uuid::sequence_at(database_now() + 1h);
    opened.begin(clock);
    EXPECT_EQ(clock.now(), database_now() + 1h);
}

TEST_F(QueueTimeTest, AStoredOffsetIsThatOfAStoreWithoutNodes) {
    opened.nodes = nullptr;
    opened.clock_offset = 1h;
    opened.begin(clock);
    EXPECT_EQ(clock.offset(), 1h);
}

TEST_F(QueueTimeTest, DriftsDoNotAddUp) {
    opened.begin(clock);
    QueueTime time{clock, nodes};
    for (int turn = 0; turn < 1'000; ++turn) {
        pass(3s);
        machine.advance(2ms);  // It is fast.
        time.steer();
        EXPECT_LE(std::chrono::abs(clock.now() - database_now()), 5ms);
    }
    EXPECT_EQ(clock.notice_step(), std::nullopt);
}

TEST_F(QueueTimeTest, ADatabaseWhoseClockWasSetChangesQueueTimeSlowly) {
    opened.begin(clock);
    QueueTime time{clock, nodes};
    rows.clock.set_wall(database_now() + 1h);
    const auto before = clock.now();
    time.steer();
    EXPECT_EQ(clock.now(), before + QueueClock::steer_max);
}

TEST_F(QueueTimeTest, GoesOnWhileTheDatabaseIsAway) {
    opened.begin(clock);
    QueueTime time{clock, nodes};
    rows.is_away = true;
    rows.clock.advance(1s);
    const auto before = clock.now();
    time.steer();
    EXPECT_EQ(clock.now(), before);
}

}  // namespace
}  // namespace merpati::daemon
