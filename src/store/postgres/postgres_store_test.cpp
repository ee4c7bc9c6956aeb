#include "store/postgres/postgres_store.hpp"

#include <future>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "store/nodes.hpp"
#include "store/postgres/connection.hpp"
#include "store/postgres/postgres_engine_fixture.hpp"
#include "store/postgres/test_server_fixture.hpp"
#include "store/sql/ledger_writer.hpp"

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
    /// Of new connections.
    void set(const std::string& setting) {
        const auto name = shell.query_text("SELECT current_database()");
        shell.execute(("ALTER DATABASE " + name + " " + setting).c_str());
        shell.wait();
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

TEST_P(PostgresStoreTest, CountsThatAreWrittenOftenHaveFewVersionsUnderOneNumber) {
    is_repeated = false;  // A change that is undone also drops what is remembered of rows.
    const auto end_one = [&] { EXPECT_TRUE(finish(finish_of(accepted()))); };
    end_one();
    const auto row = [&] {
        return shell.query_text("SELECT string_agg(number || ':' || messages, ' ') FROM usage");
    };
    const auto first = row();
    EXPECT_THAT(first, ::testing::EndsWith(":1"));
    const auto number = first.substr(0, first.find(':'));
    constexpr int more = 2 * sql::UsageWriter::updates_max;
    for (int count = 0; count < more; ++count) {
        end_one();
    }
    const auto last = row();
    EXPECT_THAT(last, ::testing::EndsWith(fmt::format(":{}", more + 1)));
    EXPECT_THAT(last, ::testing::Not(::testing::StartsWith(number + ":")));
    EXPECT_THAT(last, ::testing::Not(HasSubstr(" ")));  // One row.

    reopen();
    shell.execute("DELETE FROM usage");  // As retention of another node.
    shell.wait();
    end_one();
    end_one();
    EXPECT_THAT(row(), ::testing::EndsWith(":2"));
    EXPECT_THAT(row(), ::testing::Not(HasSubstr(" ")));
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
    set("SET synchronous_commit = off");
    EXPECT_EQ(code_of_open(), ErrorCode::store_failed);
}

TEST_P(PostgresStoreTest, AServerThatMayLoseWhatItAcknowledgesIsUnavailableAfterAnotherOne) {
    accepted();
    set("SET synchronous_commit = off");
    cut();
    WriteBatch batch;
    batch.accepts.push_back({.message = message()});
    for (int times = 0; times < 2; ++times) {
        const auto written = store->write(batch);
        ASSERT_FALSE(written);
        EXPECT_EQ(written.error().code, ErrorCode::unavailable);
        EXPECT_THAT(written.error().detail, HasSubstr("synchronous_commit of the database is"));
        EXPECT_FALSE(store->condition().is_available());
    }
    const NodeEntry entry{.name = "one", .address = {}, .version = "0.1.0"};
    EXPECT_EQ(store->nodes()->join(entry, Millis{0}).error().code, ErrorCode::unavailable);
    EXPECT_EQ(shell.query_text("SELECT count(*) FROM message"), "1");
    set("RESET synchronous_commit");
    write_as_it_is(batch);
    EXPECT_EQ(batch.accepts.front().result, Accept::Result::stored);
    EXPECT_TRUE(store->nodes()->join(entry, Millis{0}));
}

TEST_P(PostgresStoreTest, ADatabaseThatDoesNotStoreUtf8IsUnavailableAfterAnotherOne) {
    accepted();
    const auto name = shell.query_text("SELECT current_database()");
    postgres::Connection server{take(
        postgres::ConnectionSettings::parse(postgres::TestServer::shared().create_database()))};
    const auto run = [&](const std::string& sql) {
        server.execute(sql.c_str());
        server.wait();
    };
    (void)server.query_text(("SELECT count(pg_terminate_backend(pid, 10000)) FROM "
                             "pg_stat_activity WHERE datname = '" +
                             name + "'")
                                .c_str());
    run("ALTER DATABASE " + name + " RENAME TO utf8");
    run("CREATE DATABASE " + name +
        " ENCODING 'SQL_ASCII' LOCALE_PROVIDER libc LOCALE 'C' TEMPLATE template0");
    WriteBatch batch;
    batch.accepts.push_back({.message = message()});
    const auto written = store->write(batch);
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().code, ErrorCode::unavailable);
    run("DROP DATABASE " + name);
    run("ALTER DATABASE utf8 RENAME TO " + name);
    write_as_it_is(batch);
    EXPECT_EQ(batch.accepts.front().result, Accept::Result::stored);
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
