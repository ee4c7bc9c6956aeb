#include "store/sqlite/sqlite_reader.hpp"

#include <algorithm>
#include <limits>

#include "store/sqlite/rows.hpp"

namespace merpati::store::sqlite {
namespace {

std::string select(const char* columns, const char* rows) {
    return std::string{"SELECT "} + columns + rows;
}

QueueRow read_queue_row(const Cursor& row) {
    return {.bucket = row.integer(0),
            .id = uuid_of(row.integer(1), row.integer(2)),
            .due_at = row.time(3),
            .attempts = row.number<std::uint32_t>(4),
            .intent = row.integer(5) != 0,
            .failing_since = row.null(6) ? std::nullopt : std::optional{row.time(6)}};
}

}  // namespace

// Lists of lanes, accounts and origins seek from one to the next in the index, and do not read the
// rows between.
SqliteReader::SqliteReader(const std::string& path, const SecretBox& secrets, Condition& condition)
    : connection_(path, Access::read_only),
      secrets_(secrets),
      condition_(condition),
      next_lane_(connection_,
                 "SELECT device, source, bucket FROM queue WHERE (device, source) > (?, ?) "
                 "ORDER BY device, source, bucket LIMIT 1"),
      lane_rows_(connection_,
                 "SELECT bucket, id, tail, due_at, attempts, intent, failing_since FROM queue "
                 "WHERE device = ? AND source = ? AND bucket <= ? AND due_at < ? "
                 "ORDER BY bucket, id"),
      message_row_(connection_, select(message_columns, " FROM message m WHERE m.id = ?")),
      due_in_bucket_(connection_,
                     "SELECT min(due_at) FROM queue WHERE device = ? AND source = ? AND bucket = ? "
                     "AND due_at >= ?"),
      next_bucket_(connection_,
                   "SELECT bucket FROM queue WHERE device = ? AND source = ? AND bucket > ? "
                   "ORDER BY bucket LIMIT 1"),
      queue_place_(connection_,
                   "SELECT due_at, attempts, intent, last_details FROM queue WHERE device = ? AND "
                   "source = ? AND bucket = ? AND id = ?"),
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
                   "due_at < ? ORDER BY due_at, id"),
      callback_row_(connection_, select(callback_columns, " FROM callback b WHERE b.id = ?")),
      origin_due_(connection_,
                  "SELECT min(due_at) FROM callback WHERE state = 0 AND account = ? AND "
                  "origin_key = ? AND due_at >= ?") {}

template <class Record, class Read>
Result<std::vector<Record>> SqliteReader::list(const char* columns, const char* rows, Read read) {
    return guarded([&]() -> Result<std::vector<Record>> {
        std::vector<Record> all;
        Statement statement{connection_, select(columns, rows)};
        auto row = statement.query();
        while (row.next()) {
            Result<Record> record = read(row);
            if (!record) {
                return pass(record);
            }
            all.push_back(std::move(*record));
        }
        return all;
    });
}

Result<std::vector<model::Account>> SqliteReader::accounts() {
    return list<model::Account>(account_columns, " FROM account ORDER BY id",
                                [&](const Cursor& row) { return read_account(row, secrets_); });
}

Result<std::vector<model::ApiKey>> SqliteReader::keys() {
    return list<model::ApiKey>(key_columns, " FROM api_key ORDER BY id", read_key);
}

Result<std::vector<model::Device>> SqliteReader::devices() {
    return list<model::Device>(device_columns, " FROM device ORDER BY number", read_device);
}

Result<std::optional<model::Account>> SqliteReader::account(model::AccountId id) {
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

Result<std::int64_t> SqliteReader::last_sequence() {
    return guarded([&]() -> Result<std::int64_t> {
        Statement statement{connection_,
                            "SELECT max(coalesce((SELECT max(id) FROM message), 0), "
                            "coalesce((SELECT max(id) FROM callback), 0), "
                            "coalesce((SELECT max(id) FROM received_media), 0))"};
        auto row = statement.query();
        return row.next() ? row.integer(0) : 0;
    });
}

Result<Millis> SqliteReader::clock_offset() {
    return guarded([&]() -> Result<Millis> {
        Statement find{connection_,
                       "SELECT CAST(CAST(value AS TEXT) AS INTEGER) FROM meta "
                       "WHERE name = 'clock_offset'"};
        auto row = find.query();
        return Millis{row.next() ? row.integer(0) : 0};
    });
}

Result<std::vector<LaneSummary>> SqliteReader::lanes() {
    auto all = walk_lanes();
    return all || all.error().code != ErrorCode::damaged ? std::move(all) : lanes_of_devices();
}

/// Looks up the lanes of each device. Used if walk_lanes meets damage.
Result<std::vector<LaneSummary>> SqliteReader::lanes_of_devices() {
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

Result<std::vector<LaneSummary>> SqliteReader::walk_lanes() {
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

Result<std::vector<LaneRecord>> SqliteReader::lane_records() {
    return guarded([&]() -> Result<std::vector<LaneRecord>> {
        std::vector<LaneRecord> all;
        Statement statement{connection_,
                            "SELECT device, down_since, sent_at, jitter, day_ends_at, sent_of_day "
                            "FROM lane"};
        auto row = statement.query();
        while (row.next()) {
            auto& record = all.emplace_back();
            record.device = model::PhoneNumber::from_stored(row.integer(0));
            record.down_since = row.null(1) ? std::nullopt : std::optional{row.time(1)};
            if (!row.null(2)) {
                record.sent = SentRecord{.last_at = row.time(2),
                                         .jitter = row.span(3),
                                         .day_ends_at = row.time(4),
                                         .of_day = row.number<std::uint32_t>(5)};
            }
        }
        return all;
    });
}

Result<std::vector<QueuedMessage>> SqliteReader::load_lane(model::PhoneNumber device,
                                                           model::Source source, Timestamp before,
                                                           std::size_t limit, const Known& known) {
    return in_lane(device, [&]() -> Result<std::vector<QueuedMessage>> {
        for (;;) {
            EarliestRows earliest{limit};
            pick(earliest, device, source, before, known);
            std::vector<QueuedMessage> loaded;
            bool all = true;
            for (const auto& found : earliest.take()) {
                auto message = load_message(found.id);
                if (message == nullptr) {
                    unreadable_.insert(found.id);
                    all = false;
                    continue;
                }
                auto& queued = loaded.emplace_back();
                queued.message = std::move(message);
                queued.queued_at = found.due_at;
                queued.attempts = found.attempts;
                queued.intent_recorded = found.intent;
                queued.failing_since = found.failing_since;
            }
            if (all) {
                return loaded;
            }
        }
    });
}

void SqliteReader::pick(EarliestRows& earliest, model::PhoneNumber device, model::Source source,
                        Timestamp before, const Known& known) {
    auto row =
        lane_rows_.query(device.value(), static_cast<int>(source), bucket_of(before), before);
    while (row.next()) {
        const auto found = read_queue_row(row);
        if (!known(found.id) && !unreadable_.contains(found.id) && !earliest.offer(found)) {
            return;
        }
    }
}

/// Null: the row cannot be read. The damage is recorded, and the lane's other messages are sent.
std::unique_ptr<model::Message> SqliteReader::load_message(const Uuid& id) {
    try {
        auto row = message_row_.query(id.sequence());
        if (row.next()) {
            auto message = std::make_unique<model::Message>();
            read_message(row, 0, *message);
            return message;
        }
    } catch (const Failure& failure) {
        if (!failure.is_damage()) {
            throw;
        }
    }
    condition_.note_damage("message " + id.text());
    return nullptr;
}

/// Runs `body`. Damage that it meets stops only this lane.
template <class Body>
auto SqliteReader::in_lane(model::PhoneNumber device, Body body) -> decltype(body()) {
    auto read = guarded(body);
    if (!read && read.error().code == ErrorCode::damaged) {
        condition_.note_damaged_lane(device);
    }
    return read;
}

Result<std::optional<Timestamp>> SqliteReader::next_due(model::PhoneNumber device,
                                                        model::Source source, Timestamp from) {
    return in_lane(device, [&]() -> Result<std::optional<Timestamp>> {
        const auto bucket = bucket_of(from);
        const auto place = static_cast<int>(source);
        {
            auto row = due_in_bucket_.query(device.value(), place, bucket, from);
            if (row.next() && !row.null(0)) {
                return std::optional{row.time(0)};
            }
        }
        auto row = next_bucket_.query(device.value(), place, bucket);
        return row.next() ? std::optional{bucket_start(row.integer(0))} : std::nullopt;
    });
}

Result<std::vector<model::AccountId>> SqliteReader::callback_accounts() {
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

Result<std::vector<OriginSummary>> SqliteReader::callback_origins(model::AccountId account,
                                                                  std::optional<std::int64_t> after,
                                                                  std::size_t limit) {
    return guarded([&]() -> Result<std::vector<OriginSummary>> {
        std::vector<OriginSummary> page;
        std::int64_t origin = after.value_or(std::numeric_limits<std::int64_t>::min());
        while (page.size() < limit) {
            auto row = next_origin_.query(account.value, origin);
            if (!row.next()) {
                break;
            }
            origin = row.integer(0);
            page.push_back({.origin_key = origin, .due_from = row.time(1)});
        }
        return page;
    });
}

Result<std::vector<QueuedCallback>> SqliteReader::load_callbacks(const Endpoint& endpoint,
                                                                 Timestamp before,
                                                                 std::size_t limit,
                                                                 const Known& known) {
    return guarded([&]() -> Result<std::vector<QueuedCallback>> {
        std::vector<QueuedCallback> loaded;
        auto row = origin_rows_.query(endpoint.account.value, endpoint.origin_key, before);
        while (loaded.size() < limit && row.next()) {
            if (auto callback = load_callback(row.integer(0), known)) {
                loaded.push_back(std::move(*callback));
            }
        }
        return loaded;
    });
}

/// Empty: the callback is in `known`, or cannot be read. Damage is recorded, and the origin's other
/// callbacks are delivered.
std::optional<QueuedCallback> SqliteReader::load_callback(std::int64_t sequence,
                                                          const Known& known) {
    try {
        auto row = callback_row_.query(sequence);
        if (row.next()) {
            return known(uuid_of(row.integer(0), row.integer(1)))
                       ? std::nullopt
                       : std::optional{read_callback(row)};
        }
    } catch (const Failure& failure) {
        if (!failure.is_damage()) {
            throw;
        }
    }
    condition_.note_damage("callback " + std::to_string(sequence));
    return std::nullopt;
}

Result<std::optional<Timestamp>> SqliteReader::next_callback_due(const Endpoint& endpoint,
                                                                 Timestamp from) {
    return guarded([&]() -> Result<std::optional<Timestamp>> {
        auto row = origin_due_.query(endpoint.account.value, endpoint.origin_key, from);
        return row.next() && !row.null(0) ? std::optional{row.time(0)} : std::nullopt;
    });
}

}  // namespace merpati::store::sqlite
