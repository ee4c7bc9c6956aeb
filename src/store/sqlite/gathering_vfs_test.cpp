#include "store/sqlite/gathering_vfs.hpp"

#include <csignal>
#include <filesystem>
#include <sys/resource.h>

#include <gtest/gtest.h>

#include "store/sqlite/connection.hpp"
#include "testing/temporary_folder.hpp"

namespace merpati::store::sqlite {
namespace {

class GatheringVfsTest : public ::testing::Test {
protected:
    GatheringVfsTest() {
        connection.execute(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = 4;"
            "CREATE TABLE item(id INTEGER PRIMARY KEY, text TEXT)");
    }

    void insert(int count) {
        Statement statement{connection, "INSERT INTO item(text) VALUES(?)"};
        for (int i = 0; i < count; ++i) {
            statement.run(std::string(1'000, 'x'));
        }
    }

    static std::string count(Connection& of) {
        return of.query_text("SELECT count(*) || ' ' || sum(length(text)) FROM item;");
    }

    testing::TemporaryFolder folder;
    std::string path = folder.file("store.db");
    Connection connection{path, Access::read_write};
};

/// Pages that do not fit into the cache go to the log before the commit, and are read back.
TEST_F(GatheringVfsTest, ShowsItsConnectionWhatIsOnlyGathered) {
    connection.execute("BEGIN");
    insert(2'000);
    EXPECT_EQ(count(connection), "2000 2000000");
    connection.execute("ROLLBACK");
    insert(1);
    EXPECT_EQ(count(connection), "1 1000");
    EXPECT_EQ(connection.query_text("PRAGMA integrity_check"), "ok");
}

TEST_F(GatheringVfsTest, ShowsOthersWhatWasCommittedAndNothingElse) {
    Connection reader{path, Access::read_only};
    insert(5);
    connection.execute("BEGIN");
    insert(2'000);
    EXPECT_EQ(count(reader), "5 5000");
    connection.execute("COMMIT");
    EXPECT_EQ(count(reader), "2005 2005000");
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)");
    insert(5);
    EXPECT_EQ(count(reader), "2010 2010000");
    EXPECT_EQ(reader.query_text("PRAGMA integrity_check"), "ok");
}

/// Limits the size of files, which has the effect of a full disk.
TEST_F(GatheringVfsTest, FailsTheCommitWhoseWriteFails) {
    insert(1);
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    const auto now = std::filesystem::file_size(path + "-wal");
    const rlimit limit{.rlim_cur = now + 8'192, .rlim_max = before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
    EXPECT_THROW(
        {
            connection.execute("BEGIN");
            insert(50);
            connection.execute("COMMIT");
        },
        Failure);
    ::setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    if (sqlite3_get_autocommit(connection.handle()) == 0) {
        connection.execute("ROLLBACK");
    }
    EXPECT_EQ(count(connection), "1 1000");
    insert(1);
    Connection reader{path, Access::read_only};
    EXPECT_EQ(count(reader), "2 2000");
}

}  // namespace
}  // namespace merpati::store::sqlite
