// Nodes that follow what others write to the directory.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "store/nodes.hpp"
#include "store/people.hpp"
#include "store/postgres/connection.hpp"
#include "store/postgres/postgres_engine_fixture.hpp"
#include "store/postgres/stored_journal.hpp"
#include "store/row_journal.hpp"

namespace merpati::store {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using RowKind = DirectoryRow::Kind;
using Rows = std::vector<DirectoryRow>;

constexpr Millis journal_lease = 10s;

struct JournalTest : StoreTest {
    JournalTest() {
        take(nodes.join({.name = "one"}, journal_lease));
        take(other->nodes()->join({.name = "two"}, journal_lease));
        EXPECT_THAT(changed(), IsEmpty());
        take(other->row_journal()->changed_rows());
    }

    Rows changed() { return take(journal.changed_rows()); }

    /// An account that the process has made.
    static DirectoryRow account_by(Store& process) {
        DirectoryRow row{.kind = RowKind::account};
        WriteBatch batch;
        batch.changes.push_back({.run = [&row](Tables& tables) -> Result<void> {
            row.id = take(tables.create_account({.name = "Toko Ani"})).value;
            return {};
        }});
        take(process.write(batch));
        EXPECT_TRUE(batch.changes.front().result);
        return row;
    }

    /// Writes the account some times, in one commit.
    static void rename(Store& process, std::int64_t id, std::size_t times) {
        WriteBatch batch;
        batch.changes.push_back({.run = [=](Tables& tables) -> Result<void> {
            AccountPatch patch;
            for (std::size_t count = 0; count < times; ++count) {
                patch.name = std::to_string(count);
                take(tables.update_account({id}, patch));
            }
            return {};
        }});
        take(process.write(batch));
    }

    /// Rows of a node that has no process. `transaction`: the number of theirs, in SQL.
    void note_of_another(std::size_t rows, std::string_view transaction) {
        shell.run_script(
            fmt::format("INSERT INTO row_change(transaction, node, kind, row_id) "
                        "SELECT {}, 99, 0, n FROM generate_series(1, {}) n",
                        transaction, rows));
    }
    /// What was noted so far is older than the journal keeps it.
    void make_old() { shell.run_script("UPDATE row_change SET at = at - 660000"); }
    std::size_t noted() { return std::stoul(shell.query_text("SELECT count(*) FROM row_change")); }

    Nodes& nodes = *store->nodes();
    RowJournal& journal = *store->row_journal();
    std::unique_ptr<Store> other = take(open_store(options));
    postgres::Connection shell{take(postgres::ConnectionSettings::parse(options.url))};
};

TEST_P(JournalTest, WhatAnotherNodeHasWrittenIsReadOnce) {
    account_by(*store);
    EXPECT_THAT(changed(), IsEmpty());
    const auto first = account_by(*other);
    const auto second = account_by(*other);
    EXPECT_THAT(changed(), ElementsAre(first, second));
    EXPECT_THAT(changed(), IsEmpty());
}

TEST_P(JournalTest, ARowThatWasWrittenTwiceIsReadOnce) {
    const auto made = account_by(*other);
    rename(*other, made.id, 1);
    EXPECT_THAT(changed(), ElementsAre(made));
}

TEST_P(JournalTest, EveryTableOfTheDirectoryIsNoted) {
    model::KeyId key;
    model::Person person;
    model::Session session;
    WriteBatch batch;
    batch.changes.push_back({.run = [&](Tables& tables) -> Result<void> {
        key = take(tables.create_key({.account = account, .digest = sha256("key")}));
        take(tables.add_device({.number = device, .account = account}, true));
        person = take(tables.people().create_person({.email = "ani@toko.example"}));
        session = take(tables.people().create_session(
            {.person = person.id, .digest = sha256("token"), .seen_at = clock.now()}));
        return {};
    }});
    take(other->write(batch));
    const Rows written{{.kind = RowKind::key, .id = key.value},
                       {.kind = RowKind::device, .id = device.value()},
                       {.kind = RowKind::person, .id = person.id.value},
                       {.kind = RowKind::session, .id = session.id.value}};
    EXPECT_EQ(changed(), written);
    WriteBatch removal;
    removal.changes.push_back({.run = [&](Tables& tables) -> Result<void> {
        take(tables.people().remove_person(person.id));
        return tables.remove_device(device);
    }});
    take(other->write(removal));
    const auto rows = changed();
    EXPECT_EQ(rows, (Rows{written[1], written[2], written[3]}));
    EXPECT_EQ(take(reader()->rows_now(rows)).gone, rows);
}

TEST_P(JournalTest, ATransactionThatCommitsLateIsNotMissedAndHoldsUpNoOther) {
    shell.run_script("BEGIN; INSERT INTO row_change(node, kind, row_id) VALUES(99, 0, 1)");
    const auto meanwhile = account_by(*other);
    EXPECT_THAT(changed(), ElementsAre(meanwhile));
    for (int count = 0; count < 3; ++count) {
        const auto next = account_by(*other);
        EXPECT_THAT(changed(), ElementsAre(next));
    }
    shell.run_script("COMMIT");
    EXPECT_THAT(changed(), ElementsAre(DirectoryRow{.kind = RowKind::account, .id = 1}));
    EXPECT_THAT(changed(), IsEmpty());
}

TEST_P(JournalTest, WhatWasUndoneIsNotRead) {
    shell.run_script("BEGIN; INSERT INTO row_change(node, kind, row_id) VALUES(99, 0, 1)");
    EXPECT_THAT(changed(), IsEmpty());
    shell.run_script("ROLLBACK");
    EXPECT_THAT(changed(), IsEmpty());
}

TEST_P(JournalTest, ANodeFollowsOnceItHasSaidSo) {
    account_by(*store);
    RowJournal::Moment moment;
    EXPECT_FALSE(take(journal.all_follow(moment)));
    take(other->row_journal()->changed_rows());
    EXPECT_FALSE(take(journal.all_follow(moment)));
    take(other->row_journal()->note_followed());
    EXPECT_TRUE(take(journal.all_follow(moment)));
    account_by(*store);  // After the moment.
    EXPECT_TRUE(take(journal.all_follow(moment)));
    RowJournal::Moment now;
    EXPECT_FALSE(take(journal.all_follow(now)));
}

TEST_P(JournalTest, ANodeThatIsGoneOrFollowsNothingIsNotWaitedFor) {
    const auto third = take(open_store(options));
    take(third->nodes()->join({.name = "three"}, journal_lease));
    account_by(*store);
    take(other->row_journal()->changed_rows());
    take(other->row_journal()->note_followed());
    RowJournal::Moment moment;
    EXPECT_TRUE(take(journal.all_follow(moment)));

    account_by(*store);
    RowJournal::Moment next;
    EXPECT_FALSE(take(journal.all_follow(next)));
    take(other->nodes()->leave());
    EXPECT_TRUE(take(journal.all_follow(next)));
    EXPECT_EQ(other->row_journal()->note_followed().error().code, ErrorCode::fenced);
}

TEST_P(JournalTest, AProcessThatStartsAnewFollowsFromThere) {
    account_by(*store);
    take(other->nodes()->leave());
    other.reset();
    other = take(open_store(options));
    take(other->nodes()->join({.name = "two"}, Millis{0}));
    RowJournal::Moment moment;
    EXPECT_TRUE(take(journal.all_follow(moment)));
    EXPECT_THAT(take(other->row_journal()->changed_rows()), IsEmpty());
    EXPECT_TRUE(take(journal.all_follow(moment)));
}

TEST_P(JournalTest, WhatIsOldIsRemoved) {
    const auto old = account_by(*other);
    make_old();
    rename(*other, old.id, postgres::JournalWriter::remove_every);
    EXPECT_EQ(noted(), postgres::JournalWriter::remove_every);
}

TEST_P(JournalTest, WhatANodeThatIsGoneHasNotedIsRemovedByAnother) {
    account_by(*other);
    account_by(*other);
    take(other->nodes()->leave());
    make_old();
    account_by(*store);
    EXPECT_EQ(noted(), 1);
}

TEST_P(JournalTest, ALongJournalIsRemovedInSmallSteps) {
    constexpr int old_rows = 2'000;
    note_of_another(old_rows, "pg_current_xact_id()");
    make_old();
    account_by(*store);
    const auto left = noted();
    EXPECT_LT(left, old_rows);
    EXPECT_GT(left, old_rows / 4);
    for (auto before = left + 1; noted() < before;) {
        before = noted();
        rename(*store, account.value, postgres::JournalWriter::remove_every);
    }
    EXPECT_EQ(shell.query_text("SELECT count(*) FROM row_change WHERE node = 99"), "0");
}

TEST_P(JournalTest, OldRowsWithNumbersOfAnotherServerAreRemoved) {
    note_of_another(3, "'4000000000000'::xid8");
    make_old();
    note_of_another(postgres::JournalWriter::looked_at, "pg_current_xact_id()");
    account_by(*store);
    EXPECT_EQ(noted(), postgres::JournalWriter::looked_at + 1);
}

TEST_P(JournalTest, RowsThatAnotherNodeRemovesAreNotWaitedFor) {
    account_by(*other);
    make_old();
    shell.run_script("BEGIN; SELECT 1 FROM row_change FOR UPDATE");
    account_by(*store);
    shell.run_script("COMMIT");
    EXPECT_EQ(noted(), 2);
}

TEST_P(JournalTest, AfterAnotherSessionHasBegunEverythingIsReadAgain) {
    const auto made = account_by(*other);
    EXPECT_THAT(changed(), ElementsAre(made));
    (void)shell.query_text(
        "SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity WHERE datname = "
        "current_database() AND pid <> pg_backend_pid()");
    auto again = journal.changed_rows();
    for (int count = 0; !again && count < 3; ++count) {
        EXPECT_EQ(again.error().code, ErrorCode::unavailable);
        again = journal.changed_rows();
    }
    EXPECT_THAT(take(std::move(again)), Contains(made));
    EXPECT_THAT(changed(), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Engine, JournalTest, ::testing::Values(postgres::engine()), name_of);

}  // namespace
}  // namespace merpati::store
