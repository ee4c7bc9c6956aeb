#include "store/postgres/schema.hpp"

#include <future>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/postgres/test_server_fixture.hpp"
#include "store/sqlite/connection.hpp"
#include "store/sqlite/schema.hpp"

namespace merpati::store::postgres {
namespace {

struct PostgresSchemaTest : ::testing::Test {
    ~PostgresSchemaTest() override { TestServer::shared().drop_database(url); }

    Result<void> migrate_anew(bool create_missing) {
        Connection another{take(ConnectionSettings::parse(url))};
        return migrate(another, create_missing);
    }
    void set_version(std::string_view version) { set("schema_version", version); }
    void set(std::string_view name, std::string_view value) {
        connection.execute(fmt::format("UPDATE meta SET value = convert_to('{}', 'UTF8') "
                                       "WHERE name = '{}'",
                                       value, name)
                               .c_str());
        connection.wait();
    }

    std::string url = TestServer::shared().create_database();
    Connection connection{take(ConnectionSettings::parse(url))};
};

/// Of each table, the names and types of its columns, and whether they are never NULL.
using Tables = std::map<std::string, std::string>;

Tables columns_in_sqlite() {
    sqlite::Connection connection{":memory:", sqlite::Access::read_write};
    EXPECT_TRUE(sqlite::migrate(connection, true));
    Tables tables;
    sqlite::Statement list{
        connection,
        "SELECT t.name, c.name, CASE c.type WHEN 'INTEGER' THEN 'bigint' WHEN 'TEXT' THEN 'text' "
        "ELSE 'bytea' END, c.\"notnull\" OR c.pk FROM sqlite_schema t JOIN "
        "pragma_table_info(t.name) c WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' "
        "ORDER BY t.name, c.cid"};
    for (auto row = list.query(); row.next();) {
        tables[std::string{row.text(0)}] += std::string{row.text(1)} + ' ' +
                                            std::string{row.text(2)} + ' ' +
                                            std::string{row.text(3)} + '\n';
    }
    return tables;
}

/// Without the tables of nodes, and the shards of accounts.
Tables columns_in_postgresql(Connection& connection) {
    Tables tables;
    sql::Statement list{connection,
                        "SELECT c.relname::text, a.attname::text, format_type(a.atttypid, -1), "
                        "a.attnotnull FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid "
                        "WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace "
                        "AND a.attnum > 0 AND c.relname NOT IN ('node', 'node_heartbeat', 'shard', "
                        "'row_change') AND a.attname <> 'shard' ORDER BY c.relname, a.attnum"};
    for (auto row = list.query(); row.next();) {
        tables[std::string{row.text(0)}] += std::string{row.text(1)} + ' ' +
                                            std::string{row.text(2)} + ' ' +
                                            std::string{row.text(3)} + '\n';
    }
    return tables;
}

TEST_F(PostgresSchemaTest, HasTheTablesAndColumnsOfSqlite) {
    ASSERT_TRUE(migrate(connection, true));
    EXPECT_EQ(schema_version(), sqlite::schema_version());
    const auto expected = columns_in_sqlite();
    auto found = columns_in_postgresql(connection);
    for (const auto& [table, columns] : expected) {
        EXPECT_EQ(found[table], columns) << table;
    }
    EXPECT_EQ(found.size(), expected.size());
}

/// The key of `usage` is not unique in PostgreSQL (UsageWriter), and has a name.
TEST_F(PostgresSchemaTest, HasTheNamedIndexesOfSqlite) {
    ASSERT_TRUE(migrate(connection, true));
    sqlite::Connection other{":memory:", sqlite::Access::read_write};
    ASSERT_TRUE(sqlite::migrate(other, true));
    const auto* list =
        "SELECT coalesce(group_concat(name, ' '), '') FROM (SELECT name FROM "
        "sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY name)";
    EXPECT_EQ(connection.query_text("SELECT string_agg(c.relname::text, ' ' ORDER BY c.relname) "
                                    "FROM pg_class c WHERE c.relkind = 'i' AND NOT EXISTS (SELECT "
                                    "1 FROM pg_constraint k WHERE k.conindid = c.oid) AND "
                                    "c.relname <> 'usage_key' AND "
                                    "c.relnamespace = 'public'::regnamespace"),
              other.query_text(list));
}

TEST_F(PostgresSchemaTest, NoTextIsComparedByALanguage) {
    ASSERT_TRUE(migrate(connection, true));
    EXPECT_EQ(connection.query_text(
                  "SELECT count(*) FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid "
                  "WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND "
                  "a.attnum > 0 AND a.atttypid = 'text'::regtype AND "
                  "a.attcollation <> '\"C\"'::regcollation"),
              "0");
}

TEST_F(PostgresSchemaTest, EachAccountIsInOneOf256Shards) {
    ASSERT_TRUE(migrate(connection, true));
    EXPECT_EQ(connection.query_text("SELECT min(id) || ' ' || max(id) || ' ' || count(*) || ' ' || "
                                    "count(node) FROM shard"),
              "0 255 256 0");
}

TEST_F(PostgresSchemaTest, SeveralNodesMayMigrateAtOnce) {
    std::vector<std::future<Result<void>>> nodes;
    for (int node = 0; node < 4; ++node) {
        nodes.push_back(std::async(std::launch::async, [&] { return migrate_anew(true); }));
    }
    for (auto& node : nodes) {
        const auto migrated = node.get();
        EXPECT_TRUE(migrated) << migrated.error().describe();
    }
    EXPECT_EQ(connection.query_text("SELECT count(*) FROM shard"), "256");
}

TEST_F(PostgresSchemaTest, AMissingStoreIsNotCreatedWithoutTheRight) {
    const auto migrated = migrate_anew(false);
    ASSERT_FALSE(migrated);
    EXPECT_EQ(migrated.error().code, ErrorCode::not_found);
    EXPECT_EQ(connection.query_text("SELECT count(*) FROM pg_class WHERE relname = 'meta'"), "0");
}

TEST_F(PostgresSchemaTest, AnotherProgramsTablesAreLeftAlone) {
    connection.run_script("CREATE TABLE meta(name text); INSERT INTO meta VALUES('theirs')");
    const auto migrated = migrate_anew(true);
    ASSERT_FALSE(migrated);
    EXPECT_EQ(migrated.error().code, ErrorCode::conflict);
    EXPECT_EQ(connection.query_text("SELECT name FROM meta"), "theirs");
}

TEST_F(PostgresSchemaTest, AnotherVersionIsRefused) {
    ASSERT_TRUE(migrate(connection, true));
    for (const auto* version : {"9999", "1"}) {
        set_version(version);
        const auto migrated = migrate_anew(true);
        ASSERT_FALSE(migrated);
        EXPECT_EQ(migrated.error().code, ErrorCode::conflict);
        EXPECT_THAT(migrated.error().detail, ::testing::HasSubstr(version));
    }
}

TEST_F(PostgresSchemaTest, TheNextVersionIsWorkedWithIfItPermitsThat) {
    ASSERT_TRUE(migrate(connection, true));
    const auto own = std::to_string(schema_version());
    set_version(std::to_string(schema_version() + 1));
    EXPECT_TRUE(migrate_anew(true));
    set("oldest_program", std::to_string(schema_version() + 1));
    EXPECT_FALSE(migrate_anew(true));
    set("oldest_program", own);
    set_version(std::to_string(schema_version() + 2));
    EXPECT_FALSE(migrate_anew(true));
}

TEST_F(PostgresSchemaTest, AMigrationThatFailsLeavesNothing) {
    connection.run_script(
        "CREATE FUNCTION refuse() RETURNS event_trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE 'no'; END $$; CREATE EVENT TRIGGER refuse ON "
        "ddl_command_end WHEN TAG IN ('CREATE INDEX') "
        "EXECUTE FUNCTION refuse();");
    EXPECT_THROW((void)migrate_anew(true), sql::Failure);
    EXPECT_EQ(connection.query_text("SELECT count(*) FROM pg_class WHERE relname = 'meta'"), "0");
}

}  // namespace
}  // namespace merpati::store::postgres
