#include "store/sql/stored_reader.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "store/sql/readable_rows.hpp"
#include "store/sql/rows.hpp"
#include "telemetry/log.hpp"

namespace merpati::store::sql {
namespace {

std::string select(const char* columns, const char* rows) {
    return std::string{"SELECT "} + columns + rows;
}

constexpr char account_noun[] = "account";
constexpr char key_noun[] = "API key";

/// A device whose row cannot be read does not send: its messages wait for a repair of the store.
void note_lane(Condition& condition, std::int64_t device) {
    condition.note_damaged_lane(model::PhoneNumber::from_stored(device));
}

void note_lane_record(Condition& condition, std::int64_t device) {
    condition.note_damage("what was sent by device " +
                          telemetry::mask_number(std::to_string(device)));
}

LaneRecord read_lane_record(const Cursor& row) {
    LaneRecord record{.device = model::PhoneNumber::from_stored(row.integer(0)),
                      .down_since = row.optional_time(1)};
    if (!row.null(2)) {
        record.sent = SentRecord{.last_at = row.time(2),
                                 .jitter = row.span(3),
                                 .day_ends_at = row.time(4),
                                 .of_day = row.number<std::uint32_t>(5)};
    }
    return record;
}

}  // namespace

// Lists of lanes, accounts and origins seek from one to the next in the index, and do not read the
// rows between.
StoredReader::StoredReader(std::unique_ptr<Connection> connection, const SecretBox& secrets,
                           Condition& condition)
    : owned_(std::move(connection)),
      connection_(*owned_),
      secrets_(secrets),
      condition_(condition),
      // Two searches, because SQLite does not seek to the second column of (device, source) > (?,
      // ?).
      next_lane_(connection_,
                 "SELECT device, source, bucket FROM (SELECT device, source, bucket FROM queue "
                 "WHERE device = ?1 AND source > ?2 ORDER BY source, bucket LIMIT 1) a "
                 "UNION ALL SELECT device, source, bucket FROM (SELECT device, source, bucket "
                 "FROM queue WHERE device > ?1 ORDER BY device, source, bucket LIMIT 1) b "
                 "ORDER BY 1, 2 LIMIT 1"),
      lane_rows_(connection_,
                 "SELECT bucket, id, tail, due_at, attempts, intent, failing_since, crashes, "
                 "perhaps_sent, as_template FROM queue "
                 "WHERE device = ? AND source = ? AND bucket <= ? "
                 "ORDER BY bucket, id",
                 Rows::many),
      message_row_(connection_, select(message_columns, " FROM message m WHERE m.id = ?")),
      due_in_bucket_(
          connection_,
          "SELECT min(CASE WHEN due_at >= ?4 AND due_at <= ?5 THEN due_at END), count(*) "
          "FROM (SELECT due_at FROM queue WHERE device = ?1 AND source = ?2 "
          "AND bucket = ?3 ORDER BY id LIMIT ?6) q"),
      next_bucket_(connection_,
                   "SELECT bucket FROM queue WHERE device = ? AND source = ? AND bucket > ? "
                   "ORDER BY bucket LIMIT 1"),
      queue_place_(
          connection_,
          "SELECT due_at, attempts, intent, last_details, failing_since, crashes, perhaps_sent, "
          "as_template FROM queue WHERE device = ? AND source = ? AND bucket = ? AND id = ?"),
      handed_over_(connection_,
                   "SELECT platform_id, attempts, decide_by FROM handed_over "
                   "WHERE id = ? AND decide_by IS NOT NULL"),
      next_account_(connection_,
                    "SELECT account FROM callback WHERE state = 0 AND account > ? "
                    "ORDER BY account, origin_key LIMIT 1"),
      next_origin_(connection_,
                   "SELECT origin_key, due_at FROM callback WHERE state = 0 AND account = ? AND "
                   "origin_key > ? ORDER BY origin_key, due_at LIMIT 1"),
      origin_rows_(connection_,
                   "SELECT id FROM callback WHERE state = 0 AND account = ? AND origin_key = ? AND "
                   "due_at < ? ORDER BY due_at, id",
                   Rows::many),
      callback_row_(connection_, select(callback_columns, " FROM callback b WHERE b.id = ?")),
      origin_due_(connection_,
                  "SELECT min(due_at) FROM callback WHERE state = 0 AND account = ? AND "
                  "origin_key = ? AND due_at >= ?") {}

Result<std::vector<model::Account>> StoredReader::accounts() {
    return readable_rows<model::Account>(
        connection_, condition_,
        {.columns = account_columns,
         .name = "account",
         .key = "id",
         .note = note_row<account_noun>,
         .needed = true},
        [&](const Cursor& row) { return read_account(row, secrets_); });
}

Result<std::vector<model::ApiKey>> StoredReader::keys() {
    return readable_rows<model::ApiKey>(
        connection_, condition_,
        {.columns = key_columns, .name = "api_key", .key = "id", .note = note_row<key_noun>},
        [](const Cursor& row) -> Result<model::ApiKey> { return read_key(row); });
}

Result<std::vector<model::Device>> StoredReader::devices() {
    return readable_rows<model::Device>(
        connection_, condition_,
        {.columns = device_columns, .name = "device", .key = "number", .note = note_lane},
        [](const Cursor& row) -> Result<model::Device> { return read_device(row); });
}

Result<std::optional<model::Account>> StoredReader::account(model::AccountId id) {
    return guarded([&]() -> Result<std::optional<model::Account>> {
        Statement statement{connection_, select(account_columns, " FROM account WHERE id = ?")};
        auto row = statement.query(id.value);
        if (!row.next()) {
            return std::optional<model::Account>{};
        }
        auto account = read_account(row, secrets_);
        if (!account) {
            return pass(account);
        }
        return std::optional{std::move(*account)};
    });
}

Result<std::vector<model::Account>> StoredReader::accounts_after(
    std::optional<model::AccountId> after, std::size_t limit) {
    return guarded([&]() -> Result<std::vector<model::Account>> {
        std::vector<model::Account> page;
        Statement find{connection_,
                       select(account_columns, " FROM account WHERE id > ? ORDER BY id LIMIT ?")};
        auto row = find.query(after ? after->value : 0, limit);
        while (row.next()) {
            auto account = read_account(row, secrets_);
            if (!account) {
                return pass(account);
            }
            page.push_back(std::move(*account));
        }
        return page;
    });
}

Result<std::int64_t> StoredReader::last_sequence() {
    return guarded([&]() -> Result<std::int64_t> {
        // A completion has the id of its message, and stands in for it if the table's end is
        // damaged.
        return std::max({highest("message"), highest("completion"), highest("callback"),
                         highest("received_media")});
    });
}

/// 0: the table is empty, or its end cannot be read; then nothing can be added to it either.
std::int64_t StoredReader::highest(const char* table) {
    try {
        Statement find{connection_, std::string{"SELECT max(id) FROM "} + table};
        auto row = find.query();
        return row.next() ? row.integer(0) : 0;
    } catch (const Failure& failure) {
        if (!failure.is_damage()) {
            throw;
        }
        condition_.note_damage(std::string{"the end of table "} + table);
        return 0;
    }
}

Result<std::vector<LaneSummary>> StoredReader::lanes() {
    auto all = walk_lanes();
    return all || all.error().code != ErrorCode::damaged ? std::move(all) : lanes_of_devices();
}

/// Looks up the lanes of each device. Used if walk_lanes meets damage.
Result<std::vector<LaneSummary>> StoredReader::lanes_of_devices() {
    const auto known = devices();
    if (!known) {
        return pass(known);
    }
    std::vector<LaneSummary> all;
    for (const auto& device : *known) {
        for (const auto source : {model::Source::api, model::Source::campaign}) {
            const auto due = in_lane(device.number, [&]() -> Result<std::optional<Timestamp>> {
                auto row = next_bucket_.query(device.number.value(), static_cast<int>(source), -1);
                return row.next() ? std::optional{bucket_start(row.integer(0))} : std::nullopt;
            });
            if (due && *due) {
                all.push_back({.device = device.number, .source = source, .due_from = **due});
            }
        }
    }
    return all;
}

Result<std::vector<LaneSummary>> StoredReader::walk_lanes() {
    return guarded([&]() -> Result<std::vector<LaneSummary>> {
        std::vector<LaneSummary> all;
        std::int64_t device = 0;
        std::int64_t source = -1;  // Before the first.
        for (;;) {
            auto row = next_lane_.query(device, source);
            if (!row.next()) {
                return all;
            }
            device = row.integer(0);
            source = row.integer(1);
            const auto number = model::PhoneNumber::from_stored(device);
            const auto bucket = row.integer(2);
            if (source < 0 || source > static_cast<std::int64_t>(model::Source::campaign) ||
                bucket < 0 || bucket > bucket_max) {
                condition_.note_damaged_lane(number);
                continue;
            }
            all.push_back({.device = number,
                           .source = static_cast<model::Source>(source),
                           .due_from = bucket_start(bucket)});
        }
    });
}

Result<std::vector<LaneRecord>> StoredReader::lane_records() {
    return readable_rows<LaneRecord>(
        connection_, condition_,
        {.columns = "device, down_since, sent_at, jitter, day_ends_at, sent_of_day",
         .name = "lane",
         .key = "device",
         .note = note_lane_record},
        [](const Cursor& row) -> Result<LaneRecord> { return read_lane_record(row); });
}

Result<std::optional<LaneRecord>> StoredReader::lane_record(model::PhoneNumber device) {
    return guarded([&]() -> Result<std::optional<LaneRecord>> {
        Statement find{connection_,
                       "SELECT device, down_since, sent_at, jitter, day_ends_at, sent_of_day "
                       "FROM lane WHERE device = ?"};
        auto row = find.query(device.value());
        return row.next() ? std::optional{read_lane_record(row)} : std::nullopt;
    });
}

Result<std::vector<QueuedMessage>> StoredReader::load_lane(model::PhoneNumber device,
                                                           model::Source source, Timestamp before,
                                                           std::size_t limit, const Known& known) {
    return in_lane(device, [&]() -> Result<std::vector<QueuedMessage>> {
        for (;;) {
            EarliestRows earliest{limit};
            pick(earliest, device, source, before, known);
            std::vector<QueuedMessage> loaded;
            bool all = true;
            for (const auto& found : earliest.take()) {
                if (auto queued = load_queued(found, device, source)) {
                    loaded.push_back(*std::move(queued));
                } else {
                    unreadable_.insert(found.id);
                    all = false;
                }
            }
            if (all) {
                return loaded;
            }
        }
    });
}

void StoredReader::pick(EarliestRows& earliest, model::PhoneNumber device, model::Source source,
                        Timestamp before, const Known& known) {
    std::size_t not_due = 0;  // Of the last bucket.
    auto row = lane_rows_.query(device.value(), static_cast<int>(source), bucket_of(before));
    while (row.next()) {
        const auto found = read_queued(row);
        if (!found || known(found->id) || unreadable_.contains(found->id)) {
            continue;
        }
        const bool is_due = found->due_at < before;
        if (is_due ? !earliest.offer(*found) : ++not_due == step_rows_max) {
            return;
        }
    }
}

/// Empty: as load_message.
std::optional<QueuedMessage> StoredReader::load_queued(const QueueRow& found,
                                                       model::PhoneNumber device,
                                                       model::Source source) {
    auto message = load_message(found.id, device, source);
    if (message == nullptr) {
        return std::nullopt;
    }
    return QueuedMessage{.message = std::move(message),
                         .queued_at = found.due_at,
                         .attempts = found.attempts,
                         .intent_recorded = found.intent,
                         .failing_since = found.failing_since,
                         .crashes = found.crashes,
                         .perhaps_sent = found.perhaps_sent,
                         .as_template = found.as_template};
}

/// Empty: the row has a value that nothing writes. The lane's other messages are sent.
std::optional<QueueRow> StoredReader::read_queued(const Cursor& row) {
    const auto id = uuid_of(row.integer(1), row.integer(2));
    try {
        return QueueRow{.bucket = row.integer(0),
                        .id = id,
                        .due_at = row.time(3),
                        .attempts = row.number<std::uint32_t>(4),
                        .intent = row.integer(5) != 0,
                        .failing_since = row.optional_time(6),
                        .crashes = row.number<std::uint32_t>(7),
                        .perhaps_sent = row.integer(8) != 0,
                        .as_template = row.integer(9) != 0};
    } catch (const Failure&) {
        condition_.note_damage("message " + id.text());
        return std::nullopt;
    }
}

/// Null: the row cannot be read. The damage is recorded, and the lane's other messages are sent.
std::unique_ptr<model::Message> StoredReader::load_message(const Uuid& id,
                                                           model::PhoneNumber device,
                                                           model::Source source) {
    try {
        auto row = message_row_.query(id.sequence());
        if (row.next()) {
            auto message = std::make_unique<model::Message>();
            read_message(row, 0, *message);
            if (message->id == id && message->device == device && message->source == source) {
                return message;
            }
        }
    } catch (const Failure& failure) {
        if (!failure.is_damage()) {
            throw;
        }
    }
    condition_.note_damage("message " + id.text());
    return nullptr;
}

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

/// Runs `body`. Damage that it meets stops only this lane.
template <class Body>
auto StoredReader::in_lane(model::PhoneNumber device, Body body) -> decltype(body()) {
    auto read = guarded(body);
    if (!read && read.error().code == ErrorCode::damaged) {
        condition_.note_damaged_lane(device);
    }
    return read;
}

Result<std::optional<Timestamp>> StoredReader::next_due(model::PhoneNumber device,
                                                        model::Source source, Timestamp from) {
    return in_lane(device, [&]() -> Result<std::optional<Timestamp>> {
        const auto bucket = bucket_of(from);
        const auto place = static_cast<int>(source);
        {
            auto row = due_in_bucket_.query(device.value(), place, bucket, from, time_max_millis,
                                            step_rows_max);
            if (row.next() && !row.null(0)) {
                return std::optional{row.time(0)};
            }
            if (row.integer(1) == static_cast<std::int64_t>(step_rows_max)) {
                return std::optional{bucket_start(bucket + 1)};  // There may be more.
            }
        }
        auto row = next_bucket_.query(device.value(), place, bucket);
        return row.next() ? std::optional{bucket_start(row.integer(0))} : std::nullopt;
    });
}

Result<std::vector<model::AccountId>> StoredReader::callback_accounts() {
    auto all = walk_callback_accounts();
    if (all || all.error().code != ErrorCode::damaged) {
        return all;
    }
    // All accounts: the scan of each one's origins shows whether it has callbacks.
    condition_.note_damage("the queue of callbacks");
    return readable_rows<model::AccountId>(
        connection_, condition_,
        {.columns = "id", .name = "account", .key = "id", .note = note_row<account_noun>},
        [](const Cursor& row) -> Result<model::AccountId> {
            return model::AccountId{row.integer(0)};
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
        if (!failure.is_damage()) {
            throw;
        }
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

/// The due time of a callback. One that nothing writes is recorded, and stops no other callback.
Timestamp StoredReader::due_of(model::AccountId account, std::int64_t due) {
    if (due < 0 || due > time_max_millis) {
        condition_.note_damage("a due time of callbacks of account " +
                               std::to_string(account.value));
    }
    return from_unix_millis(std::clamp<std::int64_t>(due, 0, time_max_millis));
}

}  // namespace merpati::store::sql
