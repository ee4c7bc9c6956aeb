#include "store/sql/stored_reader.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "store/sql/readable_rows.hpp"
#include "store/sql/rows.hpp"
#include "store/sql/shard_condition.hpp"
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

/// Its columns begin with `first`.
LaneRecord read_lane_record(const Cursor& row, int first = 0) {
    LaneRecord record{.device = model::PhoneNumber::from_stored(row.integer(first)),
                      .down_since = row.optional_time(first + 1)};
    if (!row.null(first + 2)) {
        record.sent = SentRecord{.last_at = row.time(first + 2),
                                 .jitter = row.span(first + 3),
                                 .day_ends_at = row.time(first + 4),
                                 .of_day = row.number<std::uint32_t>(first + 5)};
    }
    return record;
}

constexpr std::size_t starts_together = 64;    // Of one query.
constexpr std::size_t messages_together = 16;  // The same.

/// `count` times, separated by commas.
std::string repeated(const std::string& text, std::size_t count) {
    std::string all{text};
    for (std::size_t place = 1; place < count; ++place) {
        all += "," + text;
    }
    return all;
}

std::string select_lane_starts() {
    const auto bucket = [](int source) {
        return fmt::format(
            "(SELECT bucket FROM queue q WHERE q.device = w.device AND q.source = {} "
            "ORDER BY q.bucket LIMIT 1)",
            source);
    };
    return fmt::format(
        "WITH wanted(device) AS (VALUES {}) "
        "SELECT w.device, {}, {}, l.device, l.down_since, l.sent_at, l.jitter, l.day_ends_at, "
        "l.sent_of_day FROM wanted w LEFT JOIN lane l ON l.device = w.device WHERE w.device > 0",
        repeated("(?)", starts_together), bucket(static_cast<int>(model::Source::api)),
        bucket(static_cast<int>(model::Source::campaign)));
}

LaneStart read_lane_start(const Cursor& row) {
    LaneStart start{.device = model::PhoneNumber::from_stored(row.integer(0))};
    for (const auto source : {model::Source::api, model::Source::campaign}) {
        const auto place = static_cast<int>(source);
        if (!row.null(1 + place)) {
            start.due_from.at(static_cast<std::size_t>(place)) =
                bucket_start(row.between(1 + place, 0, bucket_max));
        }
    }
    if (!row.null(3)) {
        start.record = read_lane_record(row, 3);
    }
    return start;
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
      message_rows_(connection_, select(message_columns, " FROM message m WHERE m.id IN (") +
                                     repeated("?", messages_together) + ")"),
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
        return find_account(connection_, secrets_, id);
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
        return first_integer(find.query());
    } catch (const Failure& failure) {
        throw_unless_damage(failure);
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

Result<std::vector<LaneStart>> StoredReader::lane_starts(
    std::span<const model::PhoneNumber> devices) {
    return guarded([&]() -> Result<std::vector<LaneStart>> {
        std::vector<LaneStart> starts;
        Statement find{connection_, select_lane_starts()};
        for (auto rest = devices; !rest.empty();) {
            const auto some = rest.first(std::min(rest.size(), starts_together));
            int place = 0;
            for (const auto device : some) {
                place = find.bind_after(place, device.value());
            }
            while (place < static_cast<int>(starts_together)) {
                place = find.bind_after(place, 0);
            }
            for (auto row = find.query(); row.next();) {
                starts.push_back(read_lane_start(row));
            }
            rest = rest.subspan(some.size());
        }
        return starts;
    });
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
            const auto rows = earliest.take();
            auto messages = load_messages(rows);
            for (const auto& found : rows) {
                if (auto queued = load_queued(found, device, source, messages)) {
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

/// By their sequences. Several with one query, because a database answers each after a way through
/// the network. Some may be missing: those beside damage.
StoredReader::Messages StoredReader::load_messages(std::span<const QueueRow> rows) {
    Messages messages;
    for (; rows.size() > 1; rows = rows.subspan(std::min(rows.size(), messages_together))) {
        try {
            int place = 0;
            while (place < static_cast<int>(messages_together)) {
                // The last one is repeated.
                const auto at = std::min(static_cast<std::size_t>(place), rows.size() - 1);
                place = message_rows_.bind_after(place, rows[at].id.sequence());
            }
            for (auto row = message_rows_.query(); row.next();) {
                auto message = std::make_unique<model::Message>();
                read_message(row, 0, *message);
                const auto sequence = message->id.sequence();
                messages.insert_or_assign(sequence, std::move(message));
            }
        } catch (const Failure& failure) {
            throw_unless_damage(failure);
        }
    }
    return messages;
}

/// Empty: as load_message.
std::optional<QueuedMessage> StoredReader::load_queued(const QueueRow& found,
                                                       model::PhoneNumber device,
                                                       model::Source source, Messages& messages) {
    std::unique_ptr<model::Message> message;
    if (const auto known = messages.find(found.id.sequence()); known != messages.end()) {
        message = std::move(known->second);
    }
    if (message == nullptr || message->id != found.id || message->device != device ||
        message->source != source) {
        message = load_message(found.id, device, source);
    }
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
        throw_unless_damage(failure);
    }
    condition_.note_damage("message " + id.text());
    return nullptr;
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

}  // namespace merpati::store::sql
