// The reader of callbacks that wait.
#include <algorithm>
#include <optional>

#include "store/sql/readable_rows.hpp"
#include "store/sql/rows.hpp"
#include "store/sql/shard_condition.hpp"
#include "store/sql/stored_reader.hpp"

namespace merpati::store::sql {
namespace {

constexpr char noun_of_account[] = "account";

}  // namespace

/// Runs `body`. Damage that it meets stops only the account's callbacks there.
template <class Body>
auto StoredReader::in_callbacks(model::AccountId account, Body body) -> decltype(body()) {
    auto read = guarded(body);
    if (!read && read.error().code == ErrorCode::damaged) {
        condition_.note_damage("the queue of callbacks of account " +
                               std::to_string(account.value));
    }
    return read;
}

Result<std::vector<model::AccountId>> StoredReader::callback_accounts() {
    auto all = walk_callback_accounts();
    return all || all.error().code != ErrorCode::damaged ? std::move(all) : accounts_to_scan();
}

Result<std::vector<model::AccountId>> StoredReader::callback_accounts_of(const ShardSet& shards) {
    auto found = find_callback_accounts(shards);
    if (found || found.error().code != ErrorCode::damaged) {
        return found;
    }
    auto all = accounts_to_scan();
    if (all) {
        std::erase_if(*all, [&](model::AccountId id) { return !shards.has(id); });
    }
    return all;
}

/// All accounts, after damage: the scan of each one's origins shows whether it has callbacks.
Result<std::vector<model::AccountId>> StoredReader::accounts_to_scan() {
    condition_.note_damage("the queue of callbacks");
    return readable_rows<model::AccountId>(
        connection_, condition_,
        {.columns = "id", .name = "account", .key = "id", .note = note_row<noun_of_account>},
        [](const Cursor& row) -> Result<model::AccountId> {
            return model::AccountId{row.integer(0)};
        });
}

Result<std::vector<model::AccountId>> StoredReader::find_callback_accounts(const ShardSet& shards) {
    return guarded([&]() -> Result<std::vector<model::AccountId>> {
        std::vector<model::AccountId> found;
        Statement find{
            connection_,
            "WITH RECURSIVE waiting(account) AS (SELECT account FROM (SELECT account FROM callback "
            "WHERE state = 0 ORDER BY account LIMIT 1) a UNION ALL SELECT (SELECT b.account FROM "
            "callback b WHERE b.state = 0 AND b.account > w.account ORDER BY b.account LIMIT 1) "
            "FROM waiting w WHERE w.account IS NOT NULL) "
            "SELECT account FROM waiting WHERE account IS NOT NULL AND " +
                in_shards("account")};
        for (auto row = query_of_shards(find, shards, true); row.next();) {
            found.push_back({.value = row.integer(0)});
        }
        return found;
    });
}

Result<std::vector<model::AccountId>> StoredReader::walk_callback_accounts() {
    return guarded([&]() -> Result<std::vector<model::AccountId>> {
        std::vector<model::AccountId> all;
        std::int64_t account = std::numeric_limits<std::int64_t>::min();
        for (;;) {
            auto row = next_account_.query(account);
            if (!row.next()) {
                return all;
            }
            account = row.integer(0);
            all.push_back({.value = account});
        }
    });
}

Result<std::vector<OriginSummary>> StoredReader::callback_origins(model::AccountId account,
                                                                  std::optional<std::int64_t> after,
                                                                  std::size_t limit) {
    return in_callbacks(account, [&]() -> Result<std::vector<OriginSummary>> {
        std::vector<OriginSummary> page;
        std::int64_t origin = after.value_or(std::numeric_limits<std::int64_t>::min());
        while (page.size() < limit) {
            auto row = next_origin_.query(account.value, origin);
            if (!row.next()) {
                break;
            }
            origin = row.integer(0);
            page.push_back({.origin_key = origin, .due_from = due_of(account, row.integer(1))});
        }
        return page;
    });
}

Result<std::vector<QueuedCallback>> StoredReader::load_callbacks(const Endpoint& endpoint,
                                                                 Timestamp before,
                                                                 std::size_t limit,
                                                                 const Known& known) {
    return in_callbacks(endpoint.account, [&]() -> Result<std::vector<QueuedCallback>> {
        std::vector<QueuedCallback> loaded;
        auto row = origin_rows_.query(endpoint.account.value, endpoint.origin_key, before);
        while (loaded.size() < limit && row.next()) {
            if (auto callback = load_callback(row.integer(0), endpoint, known)) {
                loaded.push_back(std::move(*callback));
            }
        }
        return loaded;
    });
}

/// Empty: the callback is in `known`, or cannot be read. Damage is recorded, and the origin's other
/// callbacks are delivered.
std::optional<QueuedCallback> StoredReader::load_callback(std::int64_t sequence,
                                                          const Endpoint& endpoint,
                                                          const Known& known) {
    try {
        auto row = callback_row_.query(sequence);
        if (row.next()) {
            if (known(uuid_of(row.integer(0), row.integer(1)))) {
                return std::nullopt;
            }
            auto found = read_callback(row);
            if (found.callback.account == endpoint.account &&
                found.callback.origin_key == endpoint.origin_key) {
                return found;
            }
        }
    } catch (const Failure& failure) {
        throw_unless_damage(failure);
    }
    condition_.note_damage("callback " + std::to_string(sequence));
    return std::nullopt;
}

Result<std::optional<Timestamp>> StoredReader::next_callback_due(const Endpoint& endpoint,
                                                                 Timestamp from) {
    return in_callbacks(endpoint.account, [&]() -> Result<std::optional<Timestamp>> {
        auto row = origin_due_.query(endpoint.account.value, endpoint.origin_key, from);
        return row.next() && !row.null(0) ? std::optional{due_of(endpoint.account, row.integer(0))}
                                          : std::nullopt;
    });
}

Result<std::size_t> StoredReader::callbacks_waiting(const Endpoint& endpoint, std::size_t most) {
    return guarded([&]() -> Result<std::size_t> {
        Statement count{connection_,
                        "SELECT count(*) FROM (SELECT 1 FROM callback WHERE state = 0 AND "
                        "account = ? AND origin_key = ? LIMIT ?) b"};
        return static_cast<std::size_t>(
            first_integer(count.query(endpoint.account.value, endpoint.origin_key, most)));
    });
}

/// The due time of a callback. One that nothing writes is recorded, and stops no other callback.
Timestamp StoredReader::due_of(model::AccountId account, std::int64_t due) {
    if (due < 0 || due > time_max_millis) {
        condition_.note_damage("a due time of callbacks of account " +
                               std::to_string(account.value));
    }
    return from_unix_millis(std::clamp<std::int64_t>(due, 0, time_max_millis));
}

}  // namespace merpati::store::sql
