// A copy has every row of its source, in both directions, and whatever interrupts it.
#include <string>
#include <vector>

#include "store/nodes.hpp"
#include "store/sql/copy_mark.hpp"
#include "store/sqlite/schema.hpp"
#include "store/store_copy_fixture.hpp"

namespace merpati::store {
namespace {

TEST_F(StoreCopyTest, KnowsEveryTableAndColumnOfTheSchema) {
    sqlite::Connection connection{":memory:", sqlite::Access::read_write};
    ASSERT_TRUE(sqlite::migrate(connection, true));
    std::map<std::string, std::string, std::less<>> expected;
    sqlite::Statement list{
        connection,
        "SELECT t.name, c.name || ' ' || c.type || ' ' || c.pk || ' ', "
        "instr(t.sql, 'AUTOINCREMENT') > 0 FROM sqlite_schema t JOIN "
        "pragma_table_info(t.name) c WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' "
        "ORDER BY t.name, c.cid"};
    for (auto row = list.query(); row.next();) {
        auto& columns = expected[std::string{row.text(0)}];
        columns += row.text(1);
        const auto* ids = row.integer(2) == 1 ? "never reused" : "";
        columns = columns.starts_with(ids) ? columns : ids + columns;
    }
    std::map<std::string, std::string, std::less<>> found;
    for (const auto& table : sql::copied_tables()) {
        auto& columns = found[std::string{table.name}];
        columns = table.ids == sql::Ids::never_reused ? "never reused" : "";
        std::size_t place = 0;
        for (const auto& [name, kind] : table.columns) {
            ++place;
            columns += fmt::format("{} {} {} ", name,
                                   kind == sql::ValueKind::integer ? "INTEGER"
                                   : kind == sql::ValueKind::text  ? "TEXT"
                                                                   : "BLOB",
                                   place <= table.key_columns ? place : 0);
        }
    }
    EXPECT_EQ(found, expected);
}

TEST_F(StoreCopyTest, ADatabaseAssignsTheIdsThatSqliteAssigns) {
    const auto url = database();
    take(open(url));
    postgres::Connection connection{take(postgres::ConnectionSettings::parse(url))};
    for (const auto& table : sql::copied_tables()) {
        const bool is_assigned =
            connection.query_text(fmt::format("SELECT count(pg_get_serial_sequence('{}', '{}'))",
                                              table.name, table.columns.front().name)
                                      .c_str()) == "1";
        EXPECT_EQ(table.ids != sql::Ids::given, is_assigned) << table.name;
    }
}

TEST_F(StoreCopyTest, EveryRowOfEveryTableGoesIntoADatabaseAndBack) {
    const auto from = filled_file("from.db");
    const auto between = database();
    const auto back = file("back.db");
    expect_copied(from, between);
    expect_same_rows(from, between);
    expect_copied(between, back);
    expect_same_rows(from, back);
}

TEST_F(StoreCopyTest, AStoreMayBeCopiedToOneOfTheSameEngine) {
    const auto from = filled_file("from.db");
    const auto to = file("to.db");
    const auto one = database();
    const auto other = database();
    expect_copied(from, to);
    expect_same_rows(from, to);
    expect_copied(to, one);
    expect_copied(one, other);
    expect_same_rows(from, other);
}

TEST_F(StoreCopyTest, IsContinuedExactlyWhereverItIsKilled) {
    constexpr int calls_max = 70;  // Of some 230.
    const auto from = filled_file("from.db");
    const auto between = database();
    const auto back = file("back.db");
    const std::vector<std::pair<std::string, std::string>> ways{{from, between}, {between, back}};
    for (const auto& [source, target] : ways) {
        int kills = 0;
        while (!copy_until_killed(options(source, target),
                                  static_cast<int>(random.between(1, calls_max)))) {
            ++kills;
        }
        EXPECT_GE(kills, 3);
        expect_same_rows(from, target);
    }
}

TEST_F(StoreCopyTest, ReportsHowFarItIs) {
    const auto from = filled_file("from.db");
    auto wanted = options(from, file("to.db"));
    std::vector<CopyProgress> reports;
    wanted.on_progress = [&](const CopyProgress& progress) { reports.push_back(progress); };
    const auto copied = take(copy(wanted));
    ASSERT_GT(reports.size(), copied.tables.size());
    EXPECT_EQ(reports.front().total, 0);
    EXPECT_EQ(reports.back().total, copied.rows());
    for (std::size_t place = 2; place < reports.size(); ++place) {
        EXPECT_GE(reports[place].rows, reports[place - 1].rows);
    }
    EXPECT_EQ(reports.back().rows, copied.rows());
}

TEST_F(StoreCopyTest, OnceMoreItOnlyCounts) {
    const auto from = filled_file("from.db");
    const auto to = database();
    expect_copied(from, to);
    auto wanted = options(from, to);
    int reports = 0;
    wanted.on_progress = [&](const CopyProgress&) { ++reports; };
    EXPECT_TRUE(take(copy(wanted)).is_equal());
    EXPECT_EQ(reports, 1);
}

TEST_F(StoreCopyTest, IdsThatWereAssignedAreNotAssignedAgain) {
    const auto from = file("from.db");
    const auto create = [this](const std::string& url) {
        const auto store = take(open(url));
        WriteBatch batch;
        model::AccountId id;
        batch.changes.push_back({.run = [&](Tables& tables) -> Result<void> {
            model::Account made;
            made.webhook_secret = Bytes(32, std::byte{1});
            id = take(tables.create_account(made));
            return {};
        }});
        EXPECT_TRUE(store->write(batch));
        return id.value;
    };
    EXPECT_EQ(create(from), 1);
    EXPECT_EQ(create(from), 2);
    execute(from, "DELETE FROM account WHERE id = 2");
    const auto between = database();
    const auto back = file("back.db");
    expect_copied(from, between);
    expect_copied(between, back);
    EXPECT_EQ(create(between), 3);
    EXPECT_EQ(create(back), 3);
}

TEST_F(StoreCopyTest, WhatNodesNoteInADatabaseStaysThere) {
    const auto from = database();
    {
        const auto store = take(open(from));
        take(store->nodes()->join({.name = "gateway-1", .address = {}, .version = {}},
                                  std::chrono::seconds{10}));
        WriteBatch batch;
        batch.changes.push_back({.run = [](Tables&) -> Result<void> { return {}; }});
        EXPECT_TRUE(store->write(batch));
        EXPECT_TRUE(store->nodes()->leave());
    }
    const auto to = file("to.db");
    expect_copied(from, to);
    sqlite::Connection connection{directory.path() / "to.db", sqlite::Access::read_only};
    EXPECT_EQ(connection.query_text("SELECT group_concat(name) FROM meta "
                                    "WHERE name NOT LIKE 'copy_%'"),
              "key_check");
}

TEST_F(StoreCopyTest, APositionIsReadAsItWasWritten) {
    sql::CopyPosition position{
        .id = "0a",
        .is_complete = true,
        .rows = 7,
        .table = "device_secret",
        .after = {{.kind = sql::ValueKind::integer, .integer = -5},
                  {.kind = sql::ValueKind::text, .integer = 0, .bytes = "a\nb"},
                  {.kind = sql::ValueKind::bytes, .integer = 0, .bytes = std::string(1, '\0')}}};
    EXPECT_EQ(sql::CopyPosition::parse(position.text()), position);
    position = {.id = "0a"};
    EXPECT_EQ(sql::CopyPosition::parse(position.text()), position);
    for (const auto* other : {"", "0a\ncopying\n7", "0a\nbegun\n7\n", "0a\ncopying\n-7\n",
                              "0a\ncopying\n7\nlane\ni:x", "0a\ncopying\n7\nlane\nx:1"}) {
        EXPECT_FALSE(sql::CopyPosition::parse(other)) << other;
    }
}

}  // namespace
}  // namespace merpati::store
