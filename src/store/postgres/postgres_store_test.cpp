#include "store/postgres/postgres_store.hpp"

#include <future>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "store/postgres/connection.hpp"
#include "store/postgres/postgres_engine_fixture.hpp"

namespace merpati::store {
namespace {

using ::testing::HasSubstr;

struct PostgresStoreTest : StoreTest {
    /// Ends all other connections to the database.
    void cut() {
        (void)shell.query_text(
            "SELECT count(pg_terminate_backend(pid, 10000)) FROM "
            "pg_stat_activity WHERE datname = current_database() AND "
            "pid <> pg_backend_pid()");
    }
    ErrorCode code_of_open() {
        const auto opened = open_store(options);
        EXPECT_FALSE(opened);
        return opened ? ErrorCode::busy : opened.error().code;
    }

    postgres::Connection shell{take(postgres::ConnectionSettings::parse(options.url))};
};

TEST_P(PostgresStoreTest, ConnectionsThatEndedWhileTheyWereIdleAreReplaced) {
    WriteBatch batch;
    batch.finishes.push_back(finish_of(accepted()));
    batch.accepts.push_back({.message = message()});
    const auto open = reader();
    EXPECT_TRUE(open->account(account));
    cut();
    write_as_it_is(batch);
    EXPECT_TRUE(batch.finishes.front().finished);
    EXPECT_TRUE(take(open->account(account)));
    EXPECT_EQ(take(reader()->waiting_messages(100)), 1);
}

TEST_P(PostgresStoreTest, TheKeyFileHasNoDefault) {
    options.key_file.clear();
    EXPECT_EQ(code_of_open(), ErrorCode::invalid_argument);
}

TEST_P(PostgresStoreTest, AnotherKeyFileIsRefused) {
    options.key_file = directory.path() / "other.key";
    EXPECT_EQ(code_of_open(), ErrorCode::conflict);
}

TEST_P(PostgresStoreTest, OfNodesThatBeginAStoreAtOnceWithTwoKeysOneSucceeds) {
    for (int round = 0; round < 5; ++round) {
        store.reset();
        options = GetParam().options(directory.path());
        std::vector<std::future<Result<std::unique_ptr<Store>>>> nodes;
        for (const auto* name : {"one", "other"}) {
            auto own = options;
            own.key_file = directory.path() / fmt::format("{}-{}.key", name, round);
            nodes.push_back(std::async(std::launch::async, [own] { return open_store(own); }));
        }
        int opened = 0;
        for (auto& node : nodes) {
            const auto result = node.get();
            opened += result ? 1 : 0;
            EXPECT_TRUE(result || result.error().code == ErrorCode::conflict);
        }
        EXPECT_EQ(opened, 1);
    }
}

TEST_P(PostgresStoreTest, NodesThatBeginAStoreAtOnceWithOneKeySucceed) {
    store.reset();
    options = GetParam().options(directory.path());
    std::vector<std::future<Result<std::unique_ptr<Store>>>> nodes;
    for (int node = 0; node < 4; ++node) {
        nodes.push_back(
            std::async(std::launch::async, [own = options] { return open_store(own); }));
    }
    for (auto& node : nodes) {
        const auto result = node.get();
        EXPECT_TRUE(result) << result.error().describe();
    }
}

TEST_P(PostgresStoreTest, AServerThatMayLoseWhatItAcknowledgesIsRefused) {
    shell.execute(("ALTER DATABASE " + shell.query_text("SELECT current_database()") +
                   " SET synchronous_commit = off")
                      .c_str());
    shell.wait();
    EXPECT_EQ(code_of_open(), ErrorCode::store_failed);
}

TEST_P(PostgresStoreTest, AServerThatDoesNotSyncIsRefused) {
    options.must_sync = true;
    EXPECT_EQ(code_of_open(), ErrorCode::store_failed);
}

TEST_P(PostgresStoreTest, AMissingServerIsUnavailableAndNoPasswordIsShown) {
    options.url = "postgresql://merpati:secret@/db?host=/nonexistent";
    const auto opened = open_store(options);
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, ErrorCode::unavailable);
    EXPECT_THAT(opened.error().detail, Not(HasSubstr("secret")));
}

INSTANTIATE_TEST_SUITE_P(Engine, PostgresStoreTest, ::testing::Values(postgres::engine()), name_of);

}  // namespace
}  // namespace merpati::store
