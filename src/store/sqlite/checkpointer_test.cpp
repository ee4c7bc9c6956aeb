// The log is moved into the database file while commits go on.
#include "store/sqlite/checkpointer.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <thread>
#include <tuple>

#include "store/conformance/store_fixture.hpp"
#include "store/sqlite/fault_vfs.hpp"

namespace merpati::store::sqlite {
namespace {

struct CheckpointerTest : ::testing::Test {
    CheckpointerTest() {
        writer.execute(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0;"
            "CREATE TABLE item(id INTEGER PRIMARY KEY, text TEXT)");
        writer.watch_log();
    }

    void commit() {
        Statement insert{writer, "INSERT INTO item(text) VALUES(?)"};
        insert.run(std::string(20'000, 'x'));  // Some pages.
    }

    /// Commits until the log is begun anew. False: it was not within a minute.
    bool commit_until_begun_anew(Checkpointer& under_test) {
        const auto give_up = std::chrono::steady_clock::now() + std::chrono::minutes{1};
        while (std::chrono::steady_clock::now() < give_up) {
            const auto before = writer.log_frames();
            commit();
            under_test.follow(writer, false);
            if (writer.log_frames() < before) {
                return true;
            }
        }
        return false;
    }

    TemporaryDirectory directory;
    const std::string path = directory.path() / "log.db";
    Connection writer{path, Access::read_write};
    const Checkpointer::Sizes small{.frames_max = 200, .frames_few = 50};
};

TEST_F(CheckpointerTest, TheLogIsBegunAnewAlthoughCommitsNeverPause) {
    Checkpointer under_test{path, small};
    for (int time = 0; time < 3; ++time) {
        EXPECT_TRUE(commit_until_begun_anew(under_test));
    }
}

TEST_F(CheckpointerTest, WhileAReaderNeedsTheLogItGrowsAndThenNoLonger) {
    Checkpointer under_test{path, small};
    commit();
    {
        Connection reader{path, Access::read_only};
        reader.execute("BEGIN");
        EXPECT_EQ(reader.query_text("SELECT count(*) FROM item;"), "1");
        for (int count = 0; count < 100; ++count) {
            commit();
            under_test.follow(writer, false);
        }
        EXPECT_GT(writer.log_frames(), 2 * small.frames_max);
    }
    EXPECT_TRUE(commit_until_begun_anew(under_test));
}

TEST_F(CheckpointerTest, AHeldLogIsNotBegunAnewAlthoughAllOfItWasMoved) {
    Connection mover{path, Access::moves_log};
    mover.execute("PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0");
    Connection reader{path, Access::read_only};
    const auto begun_anew_after_move = [&](bool is_held) {
        for (int count = 0; count < 5; ++count) {
            commit();
        }
        std::optional<HeldLog> held;
        if (is_held) {
            held.emplace(reader);
        }
        const auto state = mover.checkpoint();
        EXPECT_GT(state.moved, 0);
        EXPECT_EQ(state.moved, state.frames);
        const auto before = writer.log_frames();
        commit();
        return writer.log_frames() < before;
    };
    EXPECT_TRUE(begun_anew_after_move(false));
    EXPECT_FALSE(begun_anew_after_move(true));
    EXPECT_TRUE(begun_anew_after_move(false));
}

TEST_F(CheckpointerTest, PagesAreSyncedInPortionsThatCommitsNeedNotWaitForTheWholeLog) {
    Connection mover{path, Access::moves_log};
    mover.execute("PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0");
    const auto syncs = [&](int portion) {
        for (int count = 0; count < 40; ++count) {
            commit();
        }
        mover.set_portion(portion);
        Faults disk;
        std::ignore = disk.calls();
        const auto state = mover.checkpoint();
        EXPECT_EQ(state.moved, state.frames);
        EXPECT_GT(state.moved, 200);
        return std::ranges::count(disk.calls(), "sync log.db");
    };
    EXPECT_EQ(syncs(10'000), 1);
    EXPECT_GE(syncs(50), 4);
    EXPECT_EQ(writer.query_text("PRAGMA integrity_check"), "ok");
}

TEST_F(CheckpointerTest, AnIdleStoreMovesAShortLogToo) {
    Checkpointer under_test{path, small};
    commit();
    under_test.follow(writer, true);
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::minutes{1};
    bool begun_anew = false;
    while (!begun_anew && std::chrono::steady_clock::now() < give_up) {
        const auto before = writer.log_frames();
        commit();
        under_test.follow(writer, true);
        begun_anew = writer.log_frames() < before;
    }
    EXPECT_TRUE(begun_anew);
}

}  // namespace
}  // namespace merpati::store::sqlite
