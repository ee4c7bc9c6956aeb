// The whole gateway starts on a store with a damaged row, in any table, and takes accounts in.
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "daemon/account_keeper.hpp"
#include "daemon/damage_fixture.hpp"
#include "daemon/gateway.hpp"

namespace merpati::daemon {
namespace {

struct GatewayDamageTest : DamageTest {
    GatewayDamageTest() { fill(); }

    /// Runs SQL; returns the first column of its rows.
    std::vector<std::string> run(const std::string& sql) {
        std::vector<std::string> rows;
        sqlite3* connection = nullptr;
        EXPECT_EQ(sqlite3_open(folder.file("merpati.db").c_str(), &connection), SQLITE_OK);
        const auto add = [](void* all, int, char** values, char**) {
            static_cast<std::vector<std::string>*>(all)->emplace_back(values[0]);
            return 0;
        };
        EXPECT_EQ(sqlite3_exec(connection, sql.c_str(), add, &rows, nullptr), SQLITE_OK)
            << sqlite3_errmsg(connection) << ": " << sql;
        sqlite3_close(connection);
        return rows;
    }

    /// Sets all columns of one row, except its key, to values that nothing writes.
    void damage_row_of(const std::string& table) {
        std::string set;
        for (const auto& column :
             run("SELECT name || ' = ' || CASE type WHEN 'INTEGER' THEN '-9000000000000000000' "
                 "WHEN 'TEXT' THEN 'CAST(x''ff'' AS TEXT)' ELSE 'x''00''' END "
                 "FROM pragma_table_info('" +
                 table + "') WHERE pk = 0")) {
            set += (set.empty() ? "" : ", ") + column;
        }
        const auto key = run("SELECT name FROM pragma_table_info('" + table + "') WHERE pk = 1");
        ASSERT_EQ(key.size(), 1U) << table;
        if (!set.empty()) {
            run(fmt::format("UPDATE {0} SET {1} WHERE {2} = (SELECT max({2}) FROM {0})", table, set,
                            key[0]));
        }
    }
};

TEST_F(GatewayDamageTest, OneDamagedRowInEachTableStopsNoStartAndNoAttach) {
    const auto tables =
        run("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'");
    ASSERT_GT(tables.size(), 15U);
    const auto file = folder.file("merpati.db");
    const auto sound = folder.file("sound.db");
    std::filesystem::copy_file(file, sound);
    for (const auto& table : tables) {
        SCOPED_TRACE(table);
        damage_row_of(table);
        {
            Gateway gateway{clock, random, settings, {}, telemetry::Log::none()};
            const auto started = gateway.start();
            ASSERT_TRUE(started) << started.error().describe();
            const auto all = store::ShardSet::all().list();
            EXPECT_TRUE(gateway.accounts().detach(all, model::Leave::when_settled));
            const auto attached = gateway.accounts().attach(all);
            EXPECT_TRUE(attached) << attached.error().describe();
            gateway.stop();
        }
        std::filesystem::copy_file(sound, file, std::filesystem::copy_options::overwrite_existing);
    }
}

}  // namespace
}  // namespace merpati::daemon
