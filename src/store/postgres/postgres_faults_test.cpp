// A database that goes away, and connections that end in the middle of something.
#include <functional>
#include <string>
#include <vector>

#include "store/campaigns.hpp"
#include "store/conformance/counting_store.hpp"
#include "store/postgres/connection.hpp"
#include "store/postgres/postgres_engine_fixture.hpp"
#include "store/postgres/test_server_fixture.hpp"
#include "store/reader_pool.hpp"

namespace merpati::store {
namespace {

using postgres::Cut;
using postgres::proxy;

struct PostgresFaultsTest : StoreTest {
    PostgresFaultsTest() {
        account = create_account(credit);
        EXPECT_TRUE(add_device({.number = device_of(account), .account = account}));
    }

    /// Cuts the connection at one statement of what follows.
    static void cut_at(int statement, Cut cut) {
        proxy().set_rule([=, met = 0](std::string_view) mutable {
            return ++met == statement ? cut : Cut::none;
        });
    }
    static void cut_at_commit(Cut cut) {
        proxy().set_rule([=, is_done = false](std::string_view sql) mutable {
            const bool is_first = sql == "COMMIT" && !is_done;
            is_done = is_done || is_first;
            return is_first ? cut : Cut::none;
        });
    }

    /// With an element of each kind. `waiting` are two messages in the lane.
    WriteBatch batch_of_all(const std::vector<model::Message>& waiting,
                            const model::Callback& callback) {
        WriteBatch batch;
        batch.finishes.push_back(finish_of(waiting[0]));
        batch.reschedules.push_back({.message = waiting[1].id,
                                     .device = waiting[1].device,
                                     .queued_at = waiting[1].due_at,
                                     .queue_at = waiting[1].due_at,
                                     .attempts = 1});
        batch.callback_updates.push_back({.event = callback.id});
        batch.changes.push_back({.run = [](Tables& tables) -> Result<void> {
            const auto made = tables.create_account({.name = "Toko Ani"});
            return made ? Result<void>{} : pass(made);
        }});
        batch.accepts.push_back({.message = message()});
        return batch;
    }

    std::string count(const char* table) {
        return shell.query_text((std::string{"SELECT count(*) FROM "} + table).c_str());
    }

    static constexpr std::int64_t credit = 1'000;
    postgres::Connection shell{take(postgres::ConnectionSettings::parse(options.url))};
};

TEST_P(PostgresFaultsTest, ABatchWhoseConnectionIsCutAtAnyStatementIsWrittenOnceAfterwards) {
    for (const auto cut : {Cut::before, Cut::after}) {
        bool was_cut = true;
        for (int statement = 1; was_cut; ++statement) {
            SCOPED_TRACE(statement);
            const std::vector waiting{accepted(), accepted()};
            auto batch = batch_of_all(waiting, finished_with_callback());
            const auto completions = std::stoi(count("completion"));
            const auto accounts = std::stoi(count("account"));
            const auto messages = std::stoi(count("message"));
            const auto cuts = proxy().cuts();
            const auto credit_before = *credit_of(account);
            cut_at(statement, cut);
            auto written = store->write(batch);
            was_cut = proxy().cuts() > cuts;
            ASSERT_EQ(written.has_value(), !was_cut);
            while (!written) {
                ASSERT_EQ(written.error().code, ErrorCode::unavailable) << written.error().detail;
                EXPECT_FALSE(store->condition().is_available());
                written = store->write(batch);
            }
            proxy().set_rule({});
            EXPECT_TRUE(store->condition().is_available());
            EXPECT_TRUE(batch.finishes.front().finished);
            EXPECT_TRUE(batch.reschedules.front().rescheduled);
            EXPECT_TRUE(batch.changes.front().result);
            EXPECT_EQ(batch.accepts.front().result, Accept::Result::stored);
            ASSERT_EQ(count("completion"), std::to_string(completions + 1));
            ASSERT_EQ(count("account"), std::to_string(accounts + 1));
            ASSERT_EQ(count("message"), std::to_string(messages + 1));
            ASSERT_EQ(credit_of(account), credit_before - 1);
        }
    }
    EXPECT_GT(proxy().cuts(), 40);
}

TEST_P(PostgresFaultsTest, ACommitThatTheDatabaseDidNotCarryOutIsWrittenAgain) {
    WriteBatch batch;
    batch.accepts.push_back({.message = message()});
    cut_at_commit(Cut::before);
    EXPECT_EQ(store->write(batch).error().code, ErrorCode::unavailable);
    EXPECT_TRUE(batch.undecided);
    EXPECT_EQ(count("message"), "0");
    write_as_it_is(batch);
    EXPECT_FALSE(batch.undecided);
    EXPECT_EQ(batch.accepts.front().result, Accept::Result::stored);
    EXPECT_EQ(count("message"), "1");
    EXPECT_EQ(credit_of(account), credit - 1);
    EXPECT_EQ(store->condition().reconnects(), 1);
}

TEST_P(PostgresFaultsTest, ACommitWhoseAnswerWasLostIsFoundAndNotWrittenAgain) {
    WriteBatch batch;
    batch.accepts.push_back({.message = message()});
    cut_at_commit(Cut::after);
    EXPECT_EQ(store->write(batch).error().code, ErrorCode::unavailable);
    EXPECT_TRUE(batch.undecided);
    EXPECT_EQ(count("message"), "1");
    write_as_it_is(batch);
    EXPECT_FALSE(batch.undecided);
    EXPECT_EQ(batch.accepts.front().result, Accept::Result::stored);
    EXPECT_EQ(count("message"), "1");
    EXPECT_EQ(credit_of(account), credit - 1);
}

TEST_P(PostgresFaultsTest, ACommitIsAskedForUntilThereIsAnAnswer) {
    WriteBatch batch;
    batch.accepts.push_back({.message = message()});
    proxy().set_rule([commits = 0](std::string_view sql) mutable {
        return sql == "COMMIT" && ++commits <= 3 ? Cut::after : Cut::none;
    });
    for (int times = 0; times < 3; ++times) {
        EXPECT_EQ(store->write(batch).error().code, ErrorCode::unavailable);
        EXPECT_TRUE(batch.undecided);
    }
    write_as_it_is(batch);
    EXPECT_FALSE(batch.undecided);
    EXPECT_EQ(count("message"), "1");
}

TEST_P(PostgresFaultsTest, ARefusalOfABatchWhoseCommitIsUnknownIsNotLost) {
    WriteBatch batch;
    batch.accepts.push_back({.message = message()});
    batch.accepts.back().message->device = model::PhoneNumber::from_stored(6281999999999);
    cut_at_commit(Cut::after);
    EXPECT_EQ(store->write(batch).error().code, ErrorCode::unavailable);
    write_as_it_is(batch);
    EXPECT_EQ(batch.accepts.front().result, Accept::Result::sender_gone);
}

TEST_P(PostgresFaultsTest, ADatabaseThatIsAwayIsFoundAgainByAnEmptyBatch) {
    const auto reader = take(store->open_reader());
    const auto name = shell.query_text("SELECT current_database()");
    postgres::Connection server{take(
        postgres::ConnectionSettings::parse(postgres::TestServer::shared().create_database()))};
    server.run_script("ALTER DATABASE " + name + " ALLOW_CONNECTIONS false");
    (void)server.query_text(("SELECT count(pg_terminate_backend(pid, 10000)) FROM "
                             "pg_stat_activity WHERE datname = '" +
                             name + "'")
                                .c_str());
    for (int times = 0; times < 2; ++times) {
        WriteBatch empty;
        EXPECT_EQ(store->write(empty).error().code, ErrorCode::unavailable);
        EXPECT_FALSE(empty.undecided);
    }
    EXPECT_EQ(reader->account(account).error().code, ErrorCode::unavailable);
    EXPECT_NE(store->condition().trouble(), "");
    server.run_script("ALTER DATABASE " + name + " ALLOW_CONNECTIONS true");
    WriteBatch empty;
    write_as_it_is(empty);
    EXPECT_EQ(store->condition().reconnects(), 1);
    EXPECT_TRUE(reader->account(account));
}

TEST_P(PostgresFaultsTest, AReadWhoseConnectionIsCutAtAnyStatementFailsAndCanBeRepeated) {
    const std::vector waiting{accepted(), accepted()};
    finished_with_callback();
    const auto open = reader();
    const std::vector<std::function<bool()>> reads{
        [&] { return open->accounts().has_value(); },
        [&] { return open->lanes().has_value(); },
        [&] { return open->message(waiting[0].id).has_value(); },
        [&] { return open->messages({}).has_value(); },
        [&] { return open->callbacks({}).has_value(); },
        [&] { return open->trail(waiting[0].id).has_value(); },
        [&] { return open->campaigns().open_campaigns(ShardSet::all()).has_value(); },
        [&] {
            return open
                ->load_lane(device_of(account), model::Source::api, clock.now(), 100,
                            [](const Uuid&) { return false; })
                .has_value();
        },
    };
    std::size_t failures = 0;
    for (const auto& read : reads) {
        bool was_cut = true;
        for (int statement = 1; was_cut; ++statement) {
            const auto cuts = proxy().cuts();
            cut_at(statement, statement % 2 == 0 ? Cut::before : Cut::after);
            const bool succeeded = read();
            was_cut = proxy().cuts() > cuts;
            proxy().set_rule({});
            EXPECT_TRUE(succeeded || was_cut);
            failures += succeeded ? 0 : 1;  // A read that is cut in its last step has its rows.
            EXPECT_TRUE(read());
        }
    }
    EXPECT_GE(failures, reads.size());
}

TEST_P(PostgresFaultsTest, APooledReaderWhoseConnectionWasLostIsClosed) {
    CountingStore counted{*store};
    ReaderPool pool{counted};
    const auto read = [&] { return pool.read([&](Reader& one) { return one.account(account); }); };
    EXPECT_TRUE(read());
    cut_at(1, Cut::before);
    EXPECT_EQ(read().error().code, ErrorCode::unavailable);
    EXPECT_TRUE(read());
    EXPECT_TRUE(read());
    EXPECT_EQ(counted.opened, 2);
}

INSTANTIATE_TEST_SUITE_P(Engine, PostgresFaultsTest,
                         ::testing::Values(postgres::engine_behind_proxy()), name_of);

}  // namespace
}  // namespace merpati::store
