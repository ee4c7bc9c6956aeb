// The whole gateway starts on a store with a damaged row, in any table.
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "daemon/gateway.hpp"
#include "daemon/gateway_fixture.hpp"
#include "store/people.hpp"
#include "store/store.hpp"
#include "testing/temporary_folder.hpp"

namespace merpati::daemon {
namespace {

struct GatewayDamageTest : ::testing::Test {
    GatewayDamageTest() { fill(); }

    /// Two accounts, each with a row in every table that a start reads.
    void fill() {
        auto store = std::move(
            *store::open_store({.url = settings.store.url, .key_file = *settings.store.key_file}));
        store::WriteBatch batch;
        batch.changes.push_back({.run = [&](store::Tables& tables) -> Result<void> {
            for (const auto number : {6281100000001, 6281100000002}) {
                fill_account(tables, model::PhoneNumber::from_stored(number));
            }
            return tables.set_clock_offset(Millis{7});
        }});
        ASSERT_TRUE(store->write(batch));
        ASSERT_TRUE(batch.changes.front().result);
        for (const auto number : {6281100000001, 6281100000002}) {
            fill_messages(*store, model::PhoneNumber::from_stored(number));
        }
    }

    void fill_account(store::Tables& tables, model::PhoneNumber number) {
        const auto name = number.text();
        const auto account = *tables.create_account({.name = name, .webhook_secret = Bytes(32)});
        EXPECT_TRUE(tables.add_device({.number = number,
                                       .account = account,
                                       .connector = "simulator",
                                       .state = model::DeviceState::disconnected},
                                      false));
        EXPECT_TRUE(tables.create_key({.account = account, .name = name, .digest = sha256(name)}));
        const auto person = *tables.people().create_person({.email = name + "@toko.test"});
        EXPECT_TRUE(tables.people().put_membership(person.id, {.account = account}));
        EXPECT_TRUE(tables.people().create_session({.person = person.id, .digest = sha256(name)}));
        EXPECT_TRUE(tables.set_down_since(number, clock.now()));
        EXPECT_TRUE(tables.put_device_secret(number, "link", Bytes(8)));
    }

    void fill_messages(store::Store& store, model::PhoneNumber number) {
        store::WriteBatch batch;
        for (int count = 0; count < 3; ++count) {
            auto& message = batch.accepts.emplace_back(std::make_unique<model::Message>()).message;
            message->id = ids.next();
            message->account = {number == model::PhoneNumber::from_stored(6281100000001) ? 1 : 2};
            message->device = number;
            message->accepted_at = message->due_at = clock.now();
        }
        ASSERT_TRUE(store.write(batch));
        const auto& handed = *batch.accepts[1].message;
        store::WriteBatch ends;
        ends.hand_overs.push_back({.message = handed.id,
                                   .device = number,
                                   .queued_at = handed.due_at,
                                   .platform_id = handed.id.text(),
                                   .decide_by = clock.now()});
        auto& finish = ends.finishes.emplace_back();
        finish.message = std::move(batch.accepts[2].message);
        finish.queued_at = finish.message->due_at;
        finish.completion = {.state = model::MessageState::held, .finished_at = clock.now()};
        finish.callback = model::Callback{.id = ids.next(),
                                          .account = finish.message->account,
                                          .message = finish.message->id,
                                          .url = "https://127.0.0.1:1/",
                                          .origin_key = 1,
                                          .created_at = clock.now() + std::chrono::hours{1}};
        ASSERT_TRUE(store.write(ends));
    }

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

    testing::TemporaryFolder folder;
    SystemClock clock;
    SystemRandom random;
    UuidSource ids{clock, random};
    config::Settings settings = settings_in(folder);
};

TEST_F(GatewayDamageTest, OneDamagedRowInEachTableStopsNoStart) {
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
            EXPECT_TRUE(started) << started.error().describe();
            gateway.stop();
        }
        std::filesystem::copy_file(sound, file, std::filesystem::copy_options::overwrite_existing);
    }
}

}  // namespace
}  // namespace merpati::daemon
