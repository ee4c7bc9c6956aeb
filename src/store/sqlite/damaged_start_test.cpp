// One damaged row, in any table and column, keeps nothing that runs at a start from the other rows.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/campaigns.hpp"
#include "store/conformance/store_fixture.hpp"
#include "store/people.hpp"
#include "store/sqlite/connection.hpp"
#include "store/sqlite/sqlite_engine_fixture.hpp"

namespace merpati::store {
namespace {

using namespace std::chrono_literals;

/// Two rows in each table that a start reads, of two accounts.
struct DamagedStartTest : StoreTest {
    DamagedStartTest() {
        other = create_account();
        for (const auto owner : {account, other}) {
            const auto number = device_of(owner);
            EXPECT_TRUE(add_device({.number = number, .account = owner}));
            EXPECT_TRUE(change([&](Tables& tables) { return fill(tables, owner, number); }));
            fill_messages(owner, number);
        }
    }

    Result<void> fill(Tables& tables, model::AccountId owner, model::PhoneNumber number) {
        const auto name = std::to_string(owner.value);
        take(tables.create_key({.account = owner, .name = name, .digest = sha256(name)}));
        const auto person = take(tables.people().create_person({.email = name + "@toko.test"}));
        take(tables.people().put_membership(person.id, {.account = owner}));
        take(tables.people().create_session({.person = person.id, .digest = sha256(name)}));
        auto& campaigns = tables.campaigns();
        const auto campaign =
            take(campaigns.create_campaign({.account = owner, .plan = {.devices = {number}}}));
        take(campaigns.move_campaign(campaign.id, {.state = model::CampaignState::running}));
        EXPECT_TRUE(tables.set_down_since(number, clock.now()));
        EXPECT_TRUE(tables.put_device_secret(number, "link", Bytes(8)));
        return tables.set_clock_offset(Millis{7});
    }

    void fill_messages(model::AccountId owner, model::PhoneNumber number) {
        WriteBatch accepts;
        for (int count = 0; count < 3; ++count) {
            auto made = message();
            made->account = owner;
            made->device = number;
            accepts.accepts.push_back({.message = std::move(made)});
        }
        write(accepts);
        const auto& handed = *accepts.accepts[1].message;
        WriteBatch ends;
        ends.hand_overs.push_back({.message = handed.id,
                                   .device = number,
                                   .queued_at = handed.due_at,
                                   .platform_id = handed.id.text(),
                                   .decide_by = clock.now() + 1h});
        auto finish = finish_of(*accepts.accepts[2].message);
        finish.callback = callback_for(*accepts.accepts[2].message);
        callbacks.push_back(finish.callback->id);
        ends.finishes.push_back(std::move(finish));
        write(ends);
    }

    /// Of each kind, those of both accounts.
    [[nodiscard]] std::vector<DirectoryRow> directory_rows() const {
        using Kind = DirectoryRow::Kind;
        std::vector<DirectoryRow> rows;
        for (const auto kind : {Kind::account, Kind::key, Kind::person, Kind::session}) {
            rows.push_back({.kind = kind, .id = 1});
            rows.push_back({.kind = kind, .id = 2});
        }
        for (const auto owner : {account, other}) {
            rows.push_back({.kind = Kind::device, .id = device_of(owner).value()});
        }
        return rows;
    }

    std::vector<std::string> texts(const char* sql) {
        sqlite::Connection connection{file.string(), sqlite::Access::read_only};
        sqlite::Statement list{connection, sql};
        std::vector<std::string> all;
        for (auto row = list.query(); row.next();) {
            all.emplace_back(row.text(0));
        }
        return all;
    }
    void execute(const std::string& sql) {
        sqlite::Connection connection{file.string(), sqlite::Access::read_write};
        connection.execute((sql + ";").c_str());
    }

    /// Reads all that a start reads; each table has lost one row at most.
    void expect_start() {
        store = take(open_store(options));
        const auto reader = take(store->open_reader());
        const auto expect_all_but_one = [](const auto& read) {
            ASSERT_TRUE(read) << read.error().describe();
            EXPECT_GE(read->size(), 1U);
        };
        EXPECT_TRUE(reader->last_sequence());
        const auto offset = reader->clock_offset();
        ASSERT_TRUE(offset);
        EXPECT_TRUE(*offset == Millis{7} || *offset == Millis{0});
        expect_all_but_one(reader->accounts());
        expect_all_but_one(reader->keys());
        expect_all_but_one(reader->devices());
        expect_all_but_one(reader->people().persons());
        expect_all_but_one(reader->people().sessions());
        expect_all_but_one(reader->lanes());
        expect_all_but_one(reader->lane_records());
        expect_all_but_one(reader->callback_accounts());
        expect_all_but_one(reader->callback_accounts_of(ShardSet::all()));
        expect_all_but_one(reader->campaigns().open_campaigns(ShardSet::all()));
        EXPECT_TRUE(reader->campaigns().campaigns_to_clean(ShardSet::all()));
        EXPECT_TRUE(reader->campaigns().campaigns_to_notify(ShardSet::all()));
        std::size_t loaded = 0;
        for (const auto owner : {account, other}) {
            const auto lane = reader->load_lane(device_of(owner), model::Source::api,
                                                clock.now() + 1h, 10, [](auto&) { return false; });
            const auto waiting = reader->load_callbacks({owner, 1}, clock.now() + 1h, 10,
                                                        [](auto&) { return false; });
            EXPECT_TRUE(reader->callback_origins(owner, {}, 10));
            EXPECT_TRUE(reader->next_callback_due({owner, 1}, Timestamp{}));
            EXPECT_TRUE(reader->next_due(device_of(owner), model::Source::api, Timestamp{}));
            loaded += (lane ? lane->size() : 0) + (waiting ? waiting->size() : 0);
        }
        EXPECT_GE(loaded, 3U) << "of two messages and two callbacks";
        for (const auto& id : callbacks) {
            const auto found = reader->callback(id);
            EXPECT_TRUE(found || found.error().code == ErrorCode::damaged);
        }
        // The first call reports what cannot be read; the second one passes over it.
        std::size_t undecided = 0;
        for (int call = 0; call < 2; ++call) {
            (void)change([&](Tables& tables) -> Result<void> {
                EXPECT_TRUE(tables.next_decide_by());
                const auto due = tables.undecided(clock.now() + 2h, 10, ShardSet::all());
                undecided = due ? due->size() : 0;
                return due ? Result<void>{} : pass(due);
            });
        }
        EXPECT_GE(undecided, 1U);
    }

    std::filesystem::path file = directory.path() / "merpati.db";
    model::AccountId other;
    std::vector<model::EventId> callbacks;
};

TEST_P(DamagedStartTest, NoValueOfOneRowStopsIt) {
    store.reset();
    const auto columns = texts(
        "SELECT 'UPDATE ' || t.name || ' SET ' || c.name || ' = ' || CASE c.type "
        "WHEN 'INTEGER' THEN '-9000000000000000000' WHEN 'TEXT' THEN 'CAST(x''ff'' AS TEXT)' "
        "ELSE 'x''00''' END || CASE t.name WHEN 'meta' THEN ' WHERE name = ''clock_offset''' "
        "ELSE ' WHERE ' || (SELECT name FROM pragma_table_info(t.name) WHERE pk = 1) || "
        "' = (SELECT max(' || (SELECT name FROM pragma_table_info(t.name) WHERE pk = 1) || "
        "') FROM ' || t.name || ')' END "
        "FROM sqlite_schema t, pragma_table_info(t.name) c "
        "WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND c.pk = 0");
    ASSERT_GT(columns.size(), 100U);
    const auto copy = directory.path() / "sound.db";
    std::filesystem::copy_file(file, copy);
    for (const auto& damage : columns) {
        SCOPED_TRACE(damage);
        execute(damage);
        expect_start();
        store.reset();
        std::filesystem::copy_file(copy, file, std::filesystem::copy_options::overwrite_existing);
    }
}

/// A table whose only page is lost has no rows left; all others do, and the loss is said.
TEST_P(DamagedStartTest, NoPageStopsTheOtherTables) {
    for (const auto* table : {"api_key", "device", "person", "membership", "session", "lane",
                              "queue", "callback", "callback_waiting", "campaign", "campaign_plan",
                              "completion", "message", "handed_over", "meta"}) {
        SCOPED_TRACE(table);
        store.reset();
        const auto damage = sqlite::engine_that_fails_to_read().damage(directory.path(), table, 0);
        store = take(open_store(options));
        const auto reader = take(store->open_reader());
        EXPECT_TRUE(reader->last_sequence());
        EXPECT_EQ(take(reader->accounts()).size(), 2U);
        EXPECT_TRUE(reader->keys());
        EXPECT_TRUE(reader->devices());
        EXPECT_TRUE(reader->people().persons());
        EXPECT_TRUE(reader->people().sessions());
        EXPECT_TRUE(reader->lanes());
        EXPECT_TRUE(reader->lane_records());
        EXPECT_TRUE(reader->callback_accounts());
        EXPECT_TRUE(reader->callback_accounts_of(ShardSet::all()));
        EXPECT_TRUE(reader->campaigns().open_campaigns(ShardSet::all()));
        EXPECT_TRUE(reader->campaigns().campaigns_to_clean(ShardSet::all()));
        EXPECT_TRUE(reader->campaigns().campaigns_to_notify(ShardSet::all()));
        EXPECT_TRUE(reader->rows_now(directory_rows()));
        for (const auto owner : {account, other}) {
            (void)reader->load_lane(device_of(owner), model::Source::api, clock.now() + 1h, 10,
                                    [](auto&) { return false; });
            (void)reader->load_callbacks({owner, 1}, clock.now() + 1h, 10,
                                         [](auto&) { return false; });
        }
        const std::string_view name = table;
        if (name != "completion" && name != "handed_over") {  // A start does not read their rows.
            EXPECT_GT(store->condition().damages(), 0U);
        }
    }
}

TEST_P(DamagedStartTest, AccountsOfWhichNoneCanBeReadAreNamedWithTheRemedy) {
    store.reset();
    const auto damage = sqlite::engine_that_fails_to_read().damage(directory.path(), "account", 0);
    store = take(open_store(options));
    const auto read = take(store->open_reader())->accounts();
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, ErrorCode::damaged);
    EXPECT_THAT(read.error().detail, ::testing::HasSubstr("table account"));
    EXPECT_THAT(read.error().detail, ::testing::HasSubstr("docs/backup.md"));
}

TEST_P(DamagedStartTest, EachDamagedPlaceIsReportedOnce) {
    store.reset();
    std::vector<std::string> places;
    options.on_damage = [&](std::string_view place) { places.emplace_back(place); };
    execute(
        "UPDATE account SET created_at = -9000000000000000000 WHERE id = 2;"
        "UPDATE device SET created_at = -9000000000000000000 WHERE account = 1");
    store = take(open_store(options));
    for (int count = 0; count < 2; ++count) {
        const auto reader = take(store->open_reader());
        EXPECT_EQ(take(reader->accounts()).size(), 1U);
        EXPECT_EQ(take(reader->devices()).size(), 1U);
    }
    EXPECT_THAT(places, ::testing::ElementsAre("account 2", ::testing::StartsWith("the queue of")));
    EXPECT_THAT(places[1], ::testing::Not(::testing::HasSubstr(device.text())));
    EXPECT_TRUE(store->condition().is_damaged(device)) << "its messages wait";
}

INSTANTIATE_TEST_SUITE_P(Sqlite, DamagedStartTest, ::testing::Values(sqlite::engine()), name_of);

}  // namespace
}  // namespace merpati::store
