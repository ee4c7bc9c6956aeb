// The SQLite engine on disks that fail or fill up, and the reserve of disk space.
#include <algorithm>

#include <sqlite3.h>

#include "store/sqlite/connection.hpp"
#include "store/sqlite/fault_vfs.hpp"
#include "store/sqlite/sqlite_engine_fixture.hpp"

namespace merpati::store {
namespace {

using sqlite::FileCall;

constexpr std::uint64_t reserve = 1 << 20;
constexpr std::uint64_t plenty = 64 << 20;

struct DiskFaultTest : StoreTest {
    DiskFaultTest() { EXPECT_TRUE(add_device({.number = device, .account = account})); }

    sqlite::Faults faults;

    std::filesystem::path file = directory.path() / "merpati.db";

    WriteBatch batch_of(model::Message& ends) {
        WriteBatch batch;
        batch.finishes.push_back(finish_of(ends));
        batch.accepts.push_back({.message = message()});
        batch.changes.push_back({.run = [](Tables&) -> Result<void> { return {}; }});
        batch.changes.push_back(
            {.run = [](Tables&) -> Result<void> { return {}; }, .lasting = true});
        return batch;
    }

    bool waits(const model::Message& message) {
        return !take(reader()->message(message.id))->completion.has_value();
    }
};

TEST_P(DiskFaultTest, EachCommitIsWrittenToTheLogAndSyncedBeforeItIsAnswered) {
    accepted();
    faults.calls();
    for (int count = 0; count < 3; ++count) {
        accepted();
        EXPECT_EQ(faults.calls(), (std::vector<std::string>{"write -wal", "sync -wal"}));
    }
}

/// Shows that the test above can fail: without synchronous = FULL, a commit does not sync.
TEST_P(DiskFaultTest, TheTestSeesAMissingSync) {
    store.reset();
    sqlite::Connection careless{file.string(), sqlite::Access::read_write};
    careless.execute("PRAGMA synchronous = NORMAL");
    for (int count = 0; count < 3; ++count) {
        faults.calls();
        careless.execute(
            "INSERT INTO meta VALUES('careless', x'01'); DELETE FROM meta WHERE name = "
            "'careless';");
    }
    // Writes stay gathered until the log is read, or until the next commit or checkpoint.
    EXPECT_EQ(std::ranges::count(faults.calls(), "sync -wal"), 0);
}

TEST_P(DiskFaultTest, AFailedSyncIsTheEnd) {
    faults.inject({.file = "-wal", .call = FileCall::sync, .code = SQLITE_IOERR_FSYNC});
    WriteBatch batch;
    batch.accepts.push_back({.message = message()});
    EXPECT_EQ(store->write(batch).error().code, ErrorCode::store_failed);
    faults.clear();
    WriteBatch empty;
    EXPECT_EQ(store->write(empty).error().code, ErrorCode::store_failed);
}

TEST_P(DiskFaultTest, AFailedCheckpointIsTheEnd) {
    for (const auto& fault :
         {sqlite::Fault{.file = "merpati.db", .code = SQLITE_IOERR_WRITE},
          sqlite::Fault{
              .file = "merpati.db", .call = FileCall::sync, .code = SQLITE_IOERR_FSYNC}}) {
        accepted();
        faults.inject(fault);
        EXPECT_EQ(store->checkpoint().error().code, ErrorCode::store_failed);
        faults.clear();
        WriteBatch empty;
        EXPECT_EQ(store->write(empty).error().code, ErrorCode::store_failed);
        reopen();
    }
}

/// Elsewhere a failed read is damage of the rows on that page (damage_test.cpp).
TEST_P(DiskFaultTest, SoIsACheckpointThatCannotReadTheLog) {
    accepted();
    faults.inject({.file = "-wal", .call = FileCall::read, .code = SQLITE_IOERR_READ});
    EXPECT_EQ(store->checkpoint().error().code, ErrorCode::store_failed);
    faults.clear();
    WriteBatch empty;
    EXPECT_EQ(store->write(empty).error().code, ErrorCode::store_failed);
}

TEST_P(DiskFaultTest, SoIsOneThatALongLogMadeNecessary) {
    faults.inject({.file = "merpati.db", .call = FileCall::sync, .code = SQLITE_IOERR_FSYNC});
    WriteBatch batch;
    for (int count = 0; count < 8'500; ++count) {
        batch.accepts.push_back({.message = message()});
        batch.accepts.back().message->body = std::string(3'800, 'x');
    }
    // The thread of the checkpoint fails; the batch is durable in the log.
    write(batch);
    Result<void> kept;
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::minutes{1};
    while (kept && std::chrono::steady_clock::now() < give_up) {
        kept = store->maintain(false);
        std::this_thread::yield();
    }
    ASSERT_FALSE(kept);
    EXPECT_EQ(kept.error().code, ErrorCode::store_failed);
    faults.clear();
    WriteBatch empty;
    EXPECT_EQ(store->write(empty).error().code, ErrorCode::store_failed);
    EXPECT_EQ(store->checkpoint().error().code, ErrorCode::store_failed);
}

TEST_P(DiskFaultTest, AReaderThatNeedsTheLogIsNoFailure) {
    accepted();
    sqlite::Connection beside{file.string(), sqlite::Access::read_only};
    beside.execute("BEGIN");
    EXPECT_EQ(beside.query_text("SELECT count(*) FROM message;"), "1");
    accepted();
    EXPECT_TRUE(store->checkpoint());
    EXPECT_TRUE(store->checkpoint());
}

TEST_P(DiskFaultTest, ACheckpointThatFindsNoRoomIsTriedAgain) {
    const auto made = accepted();
    faults.inject({.file = "merpati.db", .code = SQLITE_FULL});
    EXPECT_TRUE(store->checkpoint());
    EXPECT_FALSE(store->condition().may_send(0));
    faults.clear();
    EXPECT_TRUE(store->checkpoint());
    store->look_at_disk();
    EXPECT_TRUE(store->condition().may_send(0));
    reopen();
    EXPECT_TRUE(waits(made));
}

struct DiskRoomTest : DiskFaultTest {
    DiskRoomTest() {
        options.reserve_bytes = reserve;
        options.free_bytes = [this](const std::filesystem::path&) { return free; };
        reopen();
    }

    std::uint64_t free = plenty;
    std::filesystem::path kept = directory.path() / "merpati.db-reserve";

    Accept::Result try_to_accept() {
        WriteBatch batch;
        batch.accepts.push_back({.message = message()});
        write(batch);
        return batch.accepts.front().result;
    }
};

TEST_P(DiskRoomTest, ReservesRoomAndGoesOnInItWhenTheDiskFills) {
    EXPECT_EQ(std::filesystem::file_size(kept), reserve);
    auto ending = accepted();
    free = reserve / 2;  // Too little, even with free pages inside the store.
    EXPECT_EQ(try_to_accept(), Accept::Result::no_room);
    EXPECT_FALSE(store->condition().accepts());
    EXPECT_TRUE(store->condition().may_send(0));
    EXPECT_FALSE(
        store->condition().may_send(reserve / 4'096));  // The reserve has no room for so many.
    EXPECT_TRUE(finish(finish_of(ending)));

    free = reserve;  // Enough, but not the margin that is needed to accept again.
    EXPECT_EQ(try_to_accept(), Accept::Result::no_room);
    free = 2 * reserve;
    EXPECT_EQ(try_to_accept(), Accept::Result::stored);
}

TEST_P(DiskRoomTest, GivesTheReserveAwayWhenTheDiskIsFullAndTakesItBack) {
    auto ending = accepted();
    free = 0;
    faults.inject({.file = "-wal", .code = SQLITE_FULL});
    auto batch = batch_of(ending);
    EXPECT_FALSE(store->write(batch));
    EXPECT_EQ(std::filesystem::file_size(kept), 0);
    EXPECT_FALSE(store->condition().may_send(0));
    faults.clear();
    write(batch);  // In the space of the reserve.
    EXPECT_TRUE(batch.finishes.front().finished);
    EXPECT_FALSE(store->condition().may_send(0));

    free = plenty;
    store->look_at_disk();
    EXPECT_EQ(std::filesystem::file_size(kept), reserve);
    EXPECT_TRUE(store->condition().may_send(0));
    EXPECT_EQ(try_to_accept(), Accept::Result::stored);
}

TEST_P(DiskRoomTest, SendsNothingBeforeTheReserveIsThereAtStart) {
    store.reset();
    std::filesystem::remove(kept);
    free = reserve / 2;
    store = take(open_store(options));
    EXPECT_FALSE(store->condition().may_send(0));
    EXPECT_EQ(try_to_accept(), Accept::Result::no_room);
    free = plenty;
    store->look_at_disk();
    EXPECT_TRUE(store->condition().may_send(0));
    EXPECT_EQ(try_to_accept(), Accept::Result::stored);
}

TEST_P(DiskRoomTest, AReserveThatAnEarlierProcessLeftCounts) {
    free = 0;
    reopen();
    EXPECT_TRUE(store->condition().may_send(0));
    EXPECT_FALSE(store->condition().accepts());
}

TEST_P(DiskRoomTest, AReserveOfAnotherSizeCountsAsFreeRoom) {
    options.reserve_bytes = 2 * reserve;
    free = 2 * reserve;  // Too little for a second file beside the first.
    reopen();
    EXPECT_EQ(std::filesystem::file_size(kept), 2 * reserve);
    EXPECT_TRUE(store->condition().may_send(0));

    options.reserve_bytes = reserve;
    free = 0;
    reopen();
    EXPECT_EQ(std::filesystem::file_size(kept), reserve);
    EXPECT_TRUE(store->condition().may_send(0));
}

TEST_P(DiskRoomTest, RoomInsideTheStoreCountsToo) {
    std::vector<model::Message> made;
    for (int count = 0; count < 300; ++count) {
        auto large = *message();
        large.body = std::string(8'000, 'x');
        ASSERT_EQ(accept(large), Accept::Result::stored);
        made.push_back(std::move(large));
    }
    for (auto& message : made) {
        ASSERT_TRUE(finish(finish_of(message)));
    }
    free = reserve / 2;
    EXPECT_EQ(try_to_accept(), Accept::Result::no_room);
    clock.advance(std::chrono::hours{1'000});
    for (PruneStep step; step.removed > 0 || !step.complete;) {
        ASSERT_TRUE(change_once([&](Tables& tables) -> Result<void> {
            step = take(
                tables.prune({.messages_before = clock.now(), .idempotency_before = clock.now()}));
            return {};
        }));
    }
    EXPECT_EQ(try_to_accept(), Accept::Result::stored);
}

INSTANTIATE_TEST_SUITE_P(Sqlite, DiskFaultTest, ::testing::Values(sqlite::engine()), name_of);
INSTANTIATE_TEST_SUITE_P(Sqlite, DiskRoomTest, ::testing::Values(sqlite::engine()), name_of);

}  // namespace
}  // namespace merpati::store
