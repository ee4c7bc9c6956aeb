// A store with very many rows in each table that grows.
#pragma once

#include <memory>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "store/conformance/store_fixture.hpp"
#include "store/plan_text.hpp"
#include "store/sql/callback_search.hpp"
#include "store/sql/campaign_rows.hpp"
#include "store/sql/message_search.hpp"
#include "store/sql/rows.hpp"
#include "store/sqlite/connection.hpp"
#include "store/sqlite/statement_costs.hpp"

namespace merpati::store {

struct FullStoreTest : StoreTest {
    static constexpr std::int64_t rows = 100'000;

    /// Fills all tables that grow. Almost all rows belong to one account and device, because most
    /// indexes begin with these.
    void fill() {
        EXPECT_TRUE(add_device({.number = device, .account = account, .created_at = clock.now()}));
        now = to_unix_millis(clock.now());
        ended_from = Uuid::sequence_at(clock.now() - std::chrono::hours{30});
        waiting_from = Uuid::sequence_at(clock.now() - std::chrono::hours{20});
        handed_over_from = Uuid::sequence_at(clock.now() - std::chrono::hours{10});
        store.reset();
        {
            sqlite::Connection connection{directory.path() / "merpati.db",
                                          sqlite::Access::read_write};
            connection.execute(
                fmt::format("PRAGMA synchronous = OFF; BEGIN; CREATE TEMP TABLE n AS WITH "
                            "RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < "
                            "{}) SELECT i, i << 27 AS step FROM n",
                            rows)
                    .c_str());
            for (const auto& sql : fillings()) {
                connection.execute((sql + ';').c_str());
            }
            connection.execute("COMMIT");
        }
        store = take(open_store(options));
    }

    [[nodiscard]] std::vector<std::string> fillings() const {
        const auto number = static_cast<std::int64_t>(device.value());
        const auto day = std::int64_t{86'400'000};
        const auto message = [&](std::int64_t from, int flags) {
            return fmt::format(
                "INSERT INTO message SELECT {} + step, 1, 1, {}, '6281234567890', 'Halo', NULL, "
                "NULL, {}, {}, {}, NULL, NULL, NULL FROM n",
                from, number, flags, now, now);
        };
        const auto callback = [&](std::int64_t from, int state) {
            return fmt::format(
                "INSERT INTO callback SELECT {} + step + 1, 1, 1, 0, {} + step, 1, "
                "'https://example.com/status', 1, '{{}}', {}, {}, 1, {} + i, 200, '', {}, 0, "
                "NULL, NULL, NULL, NULL, NULL FROM n",
                from, from, now, state, now, now);
        };
        return {
            message(ended_from, 64),  // Charged.
            message(waiting_from, 0),
            message(handed_over_from, 0),
            fmt::format("INSERT INTO completion SELECT {0} + step, iif(i % 10, 2, 3), 200, "
                        "'Success', 'x', {1}, 1, "
                        "{0} + step + 1, 5, 0 FROM n",
                        ended_from, now),
            callback(ended_from, 1),
            callback(waiting_from, 0),
            callback(handed_over_from, 2),
            fmt::format("INSERT INTO queue SELECT {}, 0, ({} + i * 20) / 16384, {} + step, 1, "
                        "{} + i * 20, 0, 0, NULL, NULL, 0, 0, 0 FROM n",
                        number, now, waiting_from, now),
            fmt::format("INSERT INTO handed_over SELECT {} + step, {}, 'h' || i, 1, {} + i, {}, 0, "
                        "0, NULL, 0, 0, NULL FROM n",
                        handed_over_from, number, now, now),
            fmt::format("INSERT INTO message_event SELECT {} + step, 1, 0, {}, NULL, 0, NULL "
                        "FROM n",
                        ended_from, now),
            fmt::format("INSERT INTO callback_attempt SELECT {} + step + 1, 1, {}, 5, 500, '', "
                        "NULL, NULL, NULL, NULL, NULL FROM n",
                        ended_from, now),
            fmt::format("INSERT INTO activity SELECT 1, {} - i FROM n", (ended_from >> 40) + 1'000),
            // The first one lists a message that is missing.
            "INSERT INTO message_block SELECT 2 * i, 2 * i + 1, i = 1, "
            "iif(i = 1, x'0100000000000000', NULL), x'', x'', x'', x'' FROM n",
            fmt::format("INSERT INTO idempotency SELECT 1, 'k' || i, randomblob(32), NULL, NULL, "
                        "200, '', {} - i FROM n",
                        now - day),
            fmt::format("INSERT INTO platform_event SELECT {}, 0, 'p' || i, 0, 0, '', {} - i, "
                        "{} - i, NULL, NULL, NULL FROM n",
                        number, now, now),
            fmt::format("INSERT INTO received_media SELECT {} + step + 2, 1, {}, 'm' || i, "
                        "'image/png', 1, '', x'' FROM n",
                        ended_from, number),
            "INSERT INTO account(name, plan, rate, callback_url, delivery, devices_max, "
            "webhook_secret, created_at) SELECT name, plan, rate, callback_url, delivery, "
            "devices_max, webhook_secret, created_at FROM account, n",
            fmt::format("INSERT INTO api_key(account, name, hint, digest, created_at, "
                        "expires_at, revoked_at, scopes) SELECT 1, 'k', 'h', randomblob(32), {}, "
                        "iif(i % 2, {} - i, NULL), iif(i % 2, NULL, {} - i), 'send' FROM n",
                        now, now, now),
            fmt::format("INSERT INTO device({}) SELECT number + i, {} FROM device, n",
                        sql::device_columns,
                        std::string_view{sql::device_columns}.substr(sizeof("number,"))),
            "UPDATE device SET phone_number_id = number",
            fmt::format("INSERT INTO lane(device) SELECT {} + i FROM n", number),
            fmt::format("INSERT INTO device_secret SELECT {} + i / 10000, 's' || i, x'00' FROM n",
                        number),
            fmt::format("INSERT INTO person(email, admin, password_hash, created_at) SELECT "
                        "'p' || i || '@toko.example', 0, '', {} FROM n",
                        now),
            fmt::format("INSERT INTO membership SELECT i, 1, 'viewer', {} FROM n", now),
            fmt::format("INSERT INTO session(person, digest, sign_in, address, agent, created_at, "
                        "seen_at) SELECT i, randomblob(32), 0, '203.0.113.7', '', {} - i, {} - i "
                        "FROM n",
                        now, now),
            fmt::format("INSERT INTO sign_in_link SELECT randomblob(32), i, {} - i FROM n", now),
            "INSERT INTO recovery_code SELECT i, randomblob(32) FROM n",
            fmt::format("INSERT INTO invitation(account, email, role, digest, inviter, "
                        "inviter_name, created_at, expires_at) SELECT i, 'p@toko.example', "
                        "'viewer', randomblob(32), 'per_1', '', {} - i, {} - i FROM n",
                        now, now),
            fmt::format("INSERT INTO audit(at, door, actor, actor_name, account, operation, "
                        "object, outcome) SELECT {} - i, 'network', 'key_1', 'mpt', 1, 'POST', "
                        "'key_1', 'done' FROM n",
                        now),
            // Drafts, and campaigns that have ended, or were removed.
            fmt::format("INSERT INTO campaign SELECT i, 1, iif(i % 2, 'draft', 'finished'), '', "
                        "NULL, {0}, NULL, iif(i % 2, NULL, {0} - i), 'draft', '', 0, 0, 0, 0, 0, "
                        "iif(i = 1, {1}, 1), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 FROM n",
                        now - day, rows),
            fmt::format("INSERT INTO campaign_plan SELECT i, '{}', '[\"name\"]' FROM n",
                        plan_text({.devices = {device}})),
            fmt::format("INSERT INTO campaign_device SELECT {} + i, i FROM n", number),
            // A large audience, and a person whom all campaigns have reached.
            fmt::format("INSERT INTO campaign_recipient SELECT (1 << 32) | i, 1, 6285000000000 + i,"
                        " NULL, -2, 0, 200, 0, {1}, {2}, {2}, -1, {0}, '', '[]' FROM n",
                        now, sql::no_device, sql::no_message),
            fmt::format("INSERT INTO campaign_recipient SELECT (i << 32) | 1, 1, 6285900000000, "
                        "NULL, 2, 0, 200, 0, {}, 1, 1, -1, {}, '', '[]' FROM n WHERE i > 1",
                        number, now),
            fmt::format("INSERT INTO campaign_recipient SELECT (1 << 32) | ({1} + i), 1, "
                        "6285900000000, 1, 4, 2, 200, 0, {2}, {3}, {3}, -1, {0}, '', '[]' "
                        "FROM n",
                        now, rows, sql::no_device, sql::no_message),
            fmt::format("INSERT INTO contact SELECT 1, 6285000000000 + i, 'Budi', '[\"vip\"]', "
                        "NULL, NULL, NULL, {0}, {0}, '{{}}' FROM n",
                        now),
            fmt::format("INSERT INTO contact_count VALUES(1, {})", rows),
            "INSERT INTO contact_tag SELECT 1, 'vip', 6285000000000 + i FROM n",
            "INSERT INTO contact_tag SELECT 1, 't' || i, 6285000000000 + i FROM n",
            fmt::format("INSERT INTO suppression SELECT 1, 6285700000000 + i, 'import', {}, NULL "
                        "FROM n",
                        now),
            fmt::format("INSERT INTO ledger SELECT 1, i, iif(i % 2, 1, 5), {0}, {0}, 0, 0, 0, "
                        "NULL, '' FROM n",
                        now - day),
            fmt::format("INSERT INTO usage(account, hour, device, source, state, code, messages) "
                        "SELECT 1, {} - i, {}, 0, 2, 200, 1 FROM n",
                        now / 3'600'000, number),
        };
    }

    [[nodiscard]] model::MessageId ended(std::int64_t row) const {
        return model::MessageId{ended_from + (row << 27), 1};
    }

    /// The message of a row that was filled in.
    std::unique_ptr<model::Message> stored(std::int64_t from, std::int64_t row) {
        auto made = message();
        made->id = model::MessageId{from + (row << 27), 1};
        made->due_at = from_unix_millis(now + row * 20);
        return made;
    }

    void run(std::move_only_function<void(Tables&)> body) {
        EXPECT_TRUE(change([&](Tables& tables) -> Result<void> {
            body(tables);
            return {};
        }));
    }

    /// The result of a call of a reader, which must have taken at most `most` steps of SQLite. Most
    /// calls answer a page, and walk over no rows that are not in it.
    template <class T>
    T read(Result<T> answer, std::int64_t most = page_steps_max,
           const std::source_location& place = std::source_location::current()) {
        EXPECT_LE(sqlite::StatementCosts::take_steps(), most)
            << "by the call at " << place.file_name() << ":" << place.line();
        return take(std::move(answer));
    }
    static constexpr std::int64_t page_steps_max = 20'000;
    /// A search looks at so many rows for a page, of each with several values.
    static constexpr std::int64_t search_steps_max = 40 * sql::MessageSearch::visits_max;
    static_assert(sql::CallbackSearch::visits_max == sql::MessageSearch::visits_max);

    /// The result of a call that reads all rows of its kind: at the start, or to check them.
    template <class T>
    T read_all(Result<T> answer) {
        (void)sqlite::StatementCosts::take_steps();
        return take(std::move(answer));
    }

    std::int64_t now = 0;
    // Ids of the messages of each kind.
    std::int64_t ended_from = 0;
    std::int64_t waiting_from = 0;
    std::int64_t handed_over_from = 0;
};

}  // namespace merpati::store
