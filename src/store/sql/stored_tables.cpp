#include "store/sql/stored_tables.hpp"

#include <iterator>
#include <string>

#include <fmt/format.h>

#include "base/assert.hpp"
#include "base/encoding.hpp"
#include "store/sql/rows.hpp"

namespace merpati::store::sql {
namespace {

void put_record(Statement& put, const IdempotencyRecord& record) {
    std::optional<std::int64_t> message;
    std::optional<std::int64_t> tail;
    if (record.message) {
        message = record.message->sequence();
        tail = tail_of(*record.message);
    }
    put.run(record.account.value, record.key, std::span<const std::byte>{record.fingerprint},
            message, tail, record.status, record.answer, record.created_at);
}

}  // namespace

void StoredTables::apply(Change& change, std::vector<RowChange>& row_changes) {
    row_changes_.clear();
    secrets_counted_.clear();
    savepoint_.run();
    try {
        change.result = change.run(*this);
        if (change.result) {
            writer_.write_accepted();
            flush();
        }
        connection_.wait();
    } catch (const Failure& failure) {
        // A violated constraint fails only the change; any other failure, the transaction.
        if (!failure.is_constraint()) {
            throw;
        }
        change.result = fail(ErrorCode::conflict, failure.what());
    }
    if (!change.result) {
        roll_back_.run();
        writer_.forget_rows();
        writer_.recipients().forget();
        writer_.credits().forget();
        writer_.usage().forget();
        writer_.senders().forget();
        writer_.activity().forget();
        writer_.blocks().forget();
        for (const auto counted : secrets_counted_) {
            secrets_at_most_.erase(counted);
        }
        row_changes_.clear();
    }
    release_.run();
    row_changes.insert(row_changes.end(), std::make_move_iterator(row_changes_.begin()),
                       std::make_move_iterator(row_changes_.end()));
}

Result<void> StoredTables::set_down_since(model::PhoneNumber device,
                                          std::optional<Timestamp> since) {
    Statement put{connection_,
                  "INSERT INTO lane(device, down_since) VALUES(?1, ?2) "
                  "ON CONFLICT(device) DO UPDATE SET down_since = ?2"};
    put.run(device.value(), since);
    return {};
}

Result<void> StoredTables::forget_lane(model::PhoneNumber device, model::AccountId former) {
    Statement remove{connection_,
                     "DELETE FROM lane WHERE device = ?1 AND NOT EXISTS (SELECT 1 FROM device "
                     "WHERE number = ?1 AND account <> ?2)"};
    remove.run(device.value(), former.value);
    return {};
}

/// Whatever an earlier device with the number has left: its process may have died meanwhile.
void StoredTables::remove_lane(model::PhoneNumber device) {
    Statement remove{connection_, "DELETE FROM lane WHERE device = ?"};
    remove.run(device.value());
}

Result<void> StoredTables::add_callback(const model::Callback& callback) {
    writer_.add_callback(callback);
    row_changes_.emplace_back(callback);
    return {};
}

Result<void> StoredTables::replay_callback(model::EventId event, Timestamp due, Timestamp at) {
    {
        Statement find{connection_, "SELECT state FROM callback WHERE id = ? AND tail = ?"};
        auto row = find.query(event.sequence(), tail_of(event));
        if (!row.next()) {
            return fail(ErrorCode::not_found, "there is no such callback");
        }
        if (row.integer(0) == static_cast<int>(model::CallbackState::waiting)) {
            return fail(ErrorCode::conflict, "the callback is not through with its attempts");
        }
    }
    writer_.trail().replay_callback(event, due, at);
    return {};
}

Result<void> StoredTables::release_message(model::MessageId message, Timestamp due, Timestamp at) {
    const auto held = find_held(message);
    if (!held) {
        return pass(held);
    }
    if (writer_.senders().owner_of(held->message.device) != held->message.account) {
        return fail(ErrorCode::refused, "the device that it was to leave by was removed");
    }
    Statement remove{connection_, "DELETE FROM completion WHERE id = ?"};
    remove.run(message.sequence());
    note_held(*held);
    const Reschedule place{.message = message,
                           .device = held->message.device,
                           .source = held->message.source,
                           .queue_at = due,
                           .perhaps_sent = true,
                           .as_template = held->completion.as_template,
                           .events = {{.step = model::MessageStep::released, .at = at}}};
    writer_.enqueue(place);
    if (held->message.campaign_row != 0) {
        writer_.recipients().released(held->message, at);
    }
    return {};
}

Result<void> StoredTables::fail_message(model::MessageId message,
                                        const model::Completion& completion,
                                        const std::optional<model::Callback>& callback) {
    const auto held = find_held(message);
    if (!held) {
        return pass(held);
    }
    std::optional<std::int64_t> event;
    if (callback) {
        event = callback->id.sequence();
        writer_.add_callback(*callback);
    }
    note_held(*held);
    Statement update{connection_,
                     "UPDATE completion SET state = ?2, code = ?3, details = ?4, "
                     "finished_at = ?5, event = ?6 WHERE id = ?1"};
    update.run(message.sequence(), static_cast<int>(completion.state),
               static_cast<int>(completion.code), completion.details, completion.finished_at,
               event);
    settle(held->message, completion, model::MessageState::held);
    return {};
}

/// Writes balances at once, because the change may read them.
void StoredTables::settle(const model::Message& message, const model::Completion& completion,
                          model::MessageState from) {
    writer_.settle(message, completion, from);
    flush();
}

/// Writes what the next change may read.
void StoredTables::flush() {
    writer_.recipients().flush(row_changes_);
    writer_.credits().flush();
    writer_.usage().flush();
}

/// Records that the message was held, because its completion is about to go.
void StoredTables::note_held(const Held& held) {
    writer_.trail().note(held.message.id, {.step = model::MessageStep::held,
                                           .at = held.completion.finished_at,
                                           .details = held.completion.details});
}

Result<StoredTables::Held> StoredTables::find_held(model::MessageId message) {
    Statement find{connection_, std::string{"SELECT c.state, "} + message_columns + ", " +
                                    completion_columns +
                                    " FROM message m LEFT JOIN completion c ON c.id = m.id "
                                    "WHERE m.id = ? AND m.tail = ?"};
    auto row = find.query(message.sequence(), tail_of(message));
    if (!row.next()) {
        return fail(ErrorCode::not_found, "there is no such message");
    }
    if (row.integer(0) != static_cast<int>(model::MessageState::held)) {
        return fail(ErrorCode::conflict, "the message is not held");
    }
    Held found;
    read_message(row, 1, found.message);
    found.completion = read_completion(row, 1 + message_column_count);
    return found;
}

Result<std::optional<IdempotencyRecord>> StoredTables::find_idempotency(model::AccountId account,
                                                                        std::string_view key) {
    return sql::find_idempotency(connection_, account, key);
}

Result<void> StoredTables::put_idempotency(const IdempotencyRecord& record) {
    Statement put{connection_, idempotency_put};
    put_record(put, record);
    return {};
}

/// The row is looked at again when another process's commit has ended, because its key conflicts.
Result<bool> StoredTables::claim_idempotency(const IdempotencyRecord& record) {
    static const auto sql = fmt::format("{} WHERE idempotency.created_at <= ?8 - {}",
                                        idempotency_put, Millis{IdempotencyRecord::kept}.count());
    Statement claim{connection_, sql};
    put_record(claim, record);
    return connection_.changes() == 1;
}

Result<void> StoredTables::set_clock_offset(Millis offset) {
    Statement put{connection_,
                  "INSERT INTO meta(name, value) VALUES('clock_offset', ?1) "
                  "ON CONFLICT(name) DO UPDATE SET value = ?1"};
    put.run(as_bytes(std::to_string(offset.count())));
    return {};
}

Result<PruneStep> StoredTables::prune(const PruneLimits& limits) {
    return retention_.step(limits);
}

Result<void> StoredTables::begin_summary() {
    writer_.blocks().begin();
    return {};
}

Result<bool> StoredTables::put_summary(const MessageSummary& summary) {
    const auto* block = dynamic_cast<const MessageBlock*>(&summary);
    invariant(block != nullptr, "a summary is stored by the engine that made it");
    return writer_.blocks().put(*block);
}

}  // namespace merpati::store::sql
