// The reader's lists, for people and the management API.
#include <string>

#include "store/sqlite/guard.hpp"
#include "store/sqlite/rows.hpp"
#include "store/sqlite/sqlite_reader.hpp"

namespace merpati::store::sqlite {
namespace {

const std::string message_record_columns =
    std::string{message_columns} + ", c.id IS NULL, " + completion_columns;
constexpr int completion_missing = message_column_count;
constexpr int completion_first = message_column_count + 1;

MessageRecord read_record(const Cursor& row) {
    MessageRecord record;
    read_message(row, 0, record.message);
    if (row.integer(completion_missing) == 0) {
        record.completion = read_completion(row, completion_first);
        record.state = record.completion->state;
        record.attempts = record.completion->attempts;
    }
    return record;
}

/// Which messages a state means, in terms of completion rows. `sending` is a waiting message whose
/// intent was recorded.
const char* state_condition(std::optional<model::MessageState> state) {
    if (!state) {
        return "1";
    }
    switch (*state) {
        case model::MessageState::pending:
        case model::MessageState::sending:
            return "c.id IS NULL";
        case model::MessageState::sent:
            return "c.state = 2";
        case model::MessageState::failed:
            return "c.state = 3";
        case model::MessageState::cancelled:
            return "c.state = 4";
        case model::MessageState::held:
            return "c.state = 5";
    }
    return "1";
}

std::optional<std::int64_t> value_of(const std::optional<model::AccountId>& account) {
    return account ? std::optional{account->value} : std::nullopt;
}
std::optional<std::int64_t> value_of(const std::optional<Uuid>& id) {
    return id ? std::optional{id->sequence()} : std::nullopt;
}

}  // namespace

/// Where a waiting message stands: mostly where it was accepted to; a retried one is searched for
/// in its lane.
void SqliteReader::add_queue_place(MessageRecord& record) {
    const auto& message = record.message;
    for (const char* where : {" AND bucket = ?4", " AND ?4 IS NOT NULL"}) {
        Statement find{connection_,
                       std::string{"SELECT due_at, attempts, intent, last_details FROM queue "
                                   "WHERE device = ?1 AND source = ?2 AND id = ?3"} +
                           where};
        auto row = find.query(message.device.value(), static_cast<int>(message.source),
                              message.id.sequence(), bucket_of(message.due_at));
        if (row.next()) {
            record.queued_at = row.time(0);
            record.attempts = static_cast<std::uint32_t>(row.integer(1));
            record.state =
                row.integer(2) != 0 ? model::MessageState::sending : model::MessageState::pending;
            record.last_details = row.text(3);
            return;
        }
    }
}

Result<std::optional<MessageRecord>> SqliteReader::message(model::MessageId id) {
    return guarded([&]() -> Result<std::optional<MessageRecord>> {
        Statement find{connection_, "SELECT " + message_record_columns +
                                        " FROM message m LEFT JOIN completion c ON c.id = m.id "
                                        "WHERE m.id = ? AND m.tail = ?"};
        auto row = find.query(id.sequence(), tail_of(id));
        if (!row.next()) {
            return std::optional<MessageRecord>{};
        }
        auto record = read_record(row);
        if (!record.completion) {
            add_queue_place(record);
        }
        return std::optional{std::move(record)};
    });
}

Result<std::vector<MessageRecord>> SqliteReader::messages(const MessageFilter& filter) {
    return guarded([&]() -> Result<std::vector<MessageRecord>> {
        std::vector<MessageRecord> page;
        Statement find{connection_, "SELECT " + message_record_columns +
                                        " FROM message m LEFT JOIN completion c ON c.id = m.id "
                                        "WHERE (?1 IS NULL OR m.id < ?1) AND "
                                        "(?2 IS NULL OR m.account = ?2) AND " +
                                        state_condition(filter.state) + " ORDER BY m.id DESC"};
        auto row = find.query(value_of(filter.before), value_of(filter.account));
        while (page.size() < filter.limit && row.next()) {
            auto record = read_record(row);
            if (!record.completion) {
                add_queue_place(record);
                if (filter.state && record.state != *filter.state) {
                    continue;
                }
            }
            page.push_back(std::move(record));
        }
        return page;
    });
}

Result<std::optional<QueuedCallback>> SqliteReader::callback(model::EventId id) {
    return guarded([&]() -> Result<std::optional<QueuedCallback>> {
        Statement find{connection_, std::string{"SELECT "} + callback_columns +
                                        " FROM callback WHERE id = ? AND tail = ?"};
        auto row = find.query(id.sequence(), tail_of(id));
        return row.next() ? std::optional{read_callback(row)} : std::nullopt;
    });
}

Result<std::vector<QueuedCallback>> SqliteReader::callbacks(const CallbackFilter& filter) {
    return guarded([&]() -> Result<std::vector<QueuedCallback>> {
        std::vector<QueuedCallback> page;
        std::optional<std::int64_t> state;
        if (filter.state) {
            state = static_cast<std::int64_t>(*filter.state);
        }
        // A message's callback is named by its completion row, so that no index of messages is
        // kept.
        Statement find{connection_,
                       std::string{"SELECT "} + callback_columns +
                           " FROM callback WHERE (?1 IS NULL OR id < ?1) AND "
                           "(?2 IS NULL OR account = ?2) AND (?3 IS NULL OR state = ?3) AND "
                           "(?4 IS NULL OR id = (SELECT event FROM completion WHERE id = ?4)) "
                           "ORDER BY id DESC LIMIT ?5"};
        auto row = find.query(value_of(filter.before), value_of(filter.account), state,
                              value_of(filter.message), filter.limit);
        while (row.next()) {
            page.push_back(read_callback(row));
        }
        return page;
    });
}

Result<std::optional<IdempotencyRecord>> SqliteReader::idempotency(model::AccountId account,
                                                                   std::string_view key) {
    return guarded([&]() -> Result<std::optional<IdempotencyRecord>> {
        Statement find{connection_, std::string{"SELECT "} + idempotency_columns +
                                        " FROM idempotency WHERE account = ? AND key = ?"};
        auto row = find.query(account.value, key);
        return row.next() ? std::optional{read_idempotency(row)} : std::nullopt;
    });
}

Result<std::uint64_t> SqliteReader::waiting_messages() {
    return guarded([&]() -> Result<std::uint64_t> {
        Statement count{connection_, "SELECT count(*) FROM queue"};
        auto row = count.query();
        return row.next() ? static_cast<std::uint64_t>(row.integer(0)) : 0;
    });
}

}  // namespace merpati::store::sqlite
