#include "store/sqlite/sqlite_tables.hpp"

#include <iterator>
#include <string>

#include <fmt/format.h>

#include "base/encoding.hpp"

namespace merpati::store::sqlite {
namespace {

/// A step of retention visits this many times the rows that it may remove.
constexpr std::size_t visits_per_removal = 8;

/// By the wall clock, as messages and callbacks record their ends.
Timestamp ended_before(const PruneLimits& limits) {
    return limits.messages_before - limits.clock_offset;
}

}  // namespace

void SqliteTables::apply(Change& change, std::vector<RowChange>& row_changes) {
    row_changes_.clear();
    secrets_counted_.clear();
    connection_.execute("SAVEPOINT change");
    try {
        change.result = change.run(*this);
    } catch (const Failure& failure) {
        // A violated constraint fails only the change; any other failure, the transaction.
        if ((failure.code() & 0xff) != SQLITE_CONSTRAINT) {
            throw;
        }
        change.result = fail(ErrorCode::conflict, failure.what());
    }
    if (!change.result) {
        connection_.execute("ROLLBACK TO change");
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
    connection_.execute("RELEASE change");
    row_changes.insert(row_changes.end(), std::make_move_iterator(row_changes_.begin()),
                       std::make_move_iterator(row_changes_.end()));
}

Result<void> SqliteTables::set_down_since(model::PhoneNumber device,
                                          std::optional<Timestamp> since) {
    Statement put{connection_,
                  "INSERT INTO lane(device, down_since) VALUES(?1, ?2) "
                  "ON CONFLICT(device) DO UPDATE SET down_since = ?2"};
    put.run(device.value(), since);
    return {};
}

Result<void> SqliteTables::forget_lane(model::PhoneNumber device) {
    Statement remove{connection_, "DELETE FROM lane WHERE device = ?"};
    remove.run(device.value());
    return {};
}

Result<void> SqliteTables::add_callback(const model::Callback& callback) {
    writer_.add_callback(callback);
    row_changes_.emplace_back(callback);
    return {};
}

Result<void> SqliteTables::replay_callback(model::EventId event, Timestamp due, Timestamp at) {
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

Result<void> SqliteTables::release_message(model::MessageId message, Timestamp due, Timestamp at) {
    const auto held = find_held(message);
    if (!held) {
        return pass(held);
    }
    if (writer_.senders().owner_of(held->message.device) != held->message.account) {
        return fail(ErrorCode::refused, "the device that it was to leave by was removed");
    }
    Statement remove{connection_, "DELETE FROM completion WHERE id = ?"};
    remove.run(message.sequence());
    Statement insert{connection_, "INSERT INTO queue VALUES(?,?,?,?,?,?,0,0,NULL,NULL)"};
    insert.run(held->message.device.value(), static_cast<int>(held->message.source), bucket_of(due),
               message.sequence(), tail_of(message), due);
    note_held(*held);
    writer_.trail().note(message, {.step = model::MessageStep::released, .at = at});
    return {};
}

Result<void> SqliteTables::fail_message(model::MessageId message,
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
    settle(held->message, completion);
    return {};
}

/// Writes balances at once, because the next change may read them.
void SqliteTables::settle(const model::Message& message, const model::Completion& completion) {
    writer_.settle(message, completion);
    writer_.credits().flush();
    writer_.usage().flush();
}

/// Records that the message was held, because its completion is about to go.
void SqliteTables::note_held(const Held& held) {
    writer_.trail().note(held.message.id, {.step = model::MessageStep::held,
                                           .at = held.completion.finished_at,
                                           .details = held.completion.details});
}

Result<SqliteTables::Held> SqliteTables::find_held(model::MessageId message) {
    Statement find{connection_, std::string{"SELECT coalesce(c.state, 0), "} + message_columns +
                                    ", " + completion_columns +
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

Result<std::optional<IdempotencyRecord>> SqliteTables::find_idempotency(model::AccountId account,
                                                                        std::string_view key) {
    Statement find{connection_, std::string{"SELECT "} + idempotency_columns +
                                    " FROM idempotency WHERE account = ? AND key = ?"};
    auto row = find.query(account.value, key);
    return row.next() ? std::optional{read_idempotency(row)} : std::nullopt;
}

Result<void> SqliteTables::put_idempotency(const IdempotencyRecord& record) {
    std::optional<std::int64_t> message;
    std::optional<std::int64_t> tail;
    if (record.message) {
        message = record.message->sequence();
        tail = tail_of(*record.message);
    }
    Statement put{connection_, "INSERT OR REPLACE INTO idempotency VALUES(?,?,?,?,?,?,?,?)"};
    put.run(record.account.value, record.key, std::span<const std::byte>{record.fingerprint},
            message, tail, record.status, record.answer, record.created_at);
    return {};
}

Result<void> SqliteTables::set_clock_offset(Millis offset) {
    Statement put{connection_, "INSERT OR REPLACE INTO meta VALUES('clock_offset', ?)"};
    put.run(as_bytes(std::to_string(offset.count())));
    return {};
}

Result<PruneStep> SqliteTables::prune(const PruneLimits& limits) {
    Statement idempotency{connection_,
                          "DELETE FROM idempotency WHERE (account, key) IN (SELECT account, key "
                          "FROM idempotency WHERE created_at < ? LIMIT ?)"};
    idempotency.run(limits.idempotency_before, limits.rows_max);
    auto removed = static_cast<std::size_t>(connection_.changes());
    Statement events{connection_,
                     "DELETE FROM platform_event WHERE (device, about, platform_id) IN "
                     "(SELECT device, about, platform_id FROM platform_event "
                     "WHERE noted_at < ? LIMIT ?)"};
    events.run(limits.platform_events_before, limits.rows_max);
    removed += static_cast<std::size_t>(connection_.changes());
    Statement media{connection_,
                    "DELETE FROM received_media WHERE id IN "
                    "(SELECT id FROM received_media WHERE id < ? ORDER BY id LIMIT ?)"};
    media.run(Uuid::sequence_at(limits.received_media_before), limits.rows_max);
    removed += static_cast<std::size_t>(connection_.changes());
    removed += people_.prune(limits);
    PruneStep step;
    if (!prunes_callbacks_) {
        step = prune_messages(limits);
        removed += step.removed;
        prunes_callbacks_ = step.complete;
        step.complete = false;
    }
    if (prunes_callbacks_ && removed == 0) {
        step = prune_callbacks(limits);
        removed += step.removed;
        prunes_callbacks_ = !step.complete;
    }
    if (step.complete && removed == 0) {
        Statement oldest{connection_,
                         "SELECT min(coalesce((SELECT min(id) FROM message), ?1), "
                         "coalesce((SELECT min(id) FROM callback), ?1), ?1)"};
        auto row = oldest.query(Uuid::sequence_at(limits.messages_before));
        if (row.next()) {
            writer_.activity().prune(row.integer(0), limits.rows_max);
            writer_.blocks().prune(row.integer(0));
        }
    }
    return PruneStep{.removed = removed, .complete = step.complete};
}

Result<std::size_t> SqliteTables::summarise(std::size_t block) {
    return writer_.blocks().step(block);
}

/// Removes old messages that have ended, with everything that belongs to them. Continues where the
/// last step stopped, so that completions that cannot be removed yet (held, ended lately, callback
/// waiting) do not delay the others. Messages that have not ended have no completion and are not
/// visited.
PruneStep SqliteTables::prune_messages(const PruneLimits& limits) {
    struct Old {
        std::int64_t id;
        std::optional<std::int64_t> event;
        std::optional<std::int64_t> payer;  // The account, if it stays charged for the message.
    };
    std::vector<Old> finished;
    std::size_t seen = 0;
    const auto seen_max = limits.rows_max * visits_per_removal;
    {
        Statement walk{connection_,
                       "SELECT c.id, c.state, c.finished_at, c.event, b.state, "
                       "(SELECT account FROM message m WHERE m.id = c.id AND m.flags & 64 AND "
                       "c.state = 2) FROM completion c "
                       "LEFT JOIN callback b ON b.id = c.event "
                       "WHERE c.id > ? AND c.id < ? ORDER BY c.id LIMIT ?"};
        auto row =
            walk.query(messages_pruned_to_, Uuid::sequence_at(limits.messages_before), seen_max);
        while (finished.size() < limits.rows_max && row.next()) {
            ++seen;
            messages_pruned_to_ = row.integer(0);
            // A row with impossible values stays, and delays no other.
            const auto state = row.integer(1);
            const bool ended = state >= 0 &&
                               state <= static_cast<std::int64_t>(model::MessageState::held) &&
                               model::is_final(static_cast<model::MessageState>(state)) &&
                               row.integer(2) < to_unix_millis(ended_before(limits));
            const bool callback_done = row.null(4) || row.integer(4) != 0;
            if (ended && callback_done) {
                finished.push_back(
                    {.id = row.integer(0),
                     .event = row.null(3) ? std::nullopt : std::optional{row.integer(3)},
                     .payer = row.null(5) ? std::nullopt : std::optional{row.integer(5)}});
            }
        }
    }
    const bool complete = seen < seen_max && finished.size() < limits.rows_max;
    if (complete) {
        messages_pruned_to_ = 0;
    }
    Statement message{connection_, "DELETE FROM message WHERE id = ?"};
    Statement completion{connection_, "DELETE FROM completion WHERE id = ?"};
    Statement handed_over{connection_, "DELETE FROM handed_over WHERE id = ?"};
    Statement callback{connection_, "DELETE FROM callback WHERE id = ?"};
    Statement paid{connection_,
                   "INSERT INTO ledger_pruned VALUES(?, 1) "
                   "ON CONFLICT DO UPDATE SET charged = charged + 1"};
    for (const auto& old : finished) {
        if (old.payer) {
            paid.run(*old.payer);
        }
        message.run(old.id);
        completion.run(old.id);
        handed_over.run(old.id);
        writer_.trail().forget_message(old.id);
        if (old.event) {
            callback.run(*old.event);
            writer_.trail().forget_callback(*old.event);
        }
    }
    return {.removed = finished.size(), .complete = complete};
}

/// Removes old callbacks that no completion names: those of device webhooks, and those of messages
/// that were released.
PruneStep SqliteTables::prune_callbacks(const PruneLimits& limits) {
    std::vector<std::int64_t> finished;
    std::size_t seen = 0;
    const auto seen_max = limits.rows_max * visits_per_removal;
    {
        Statement walk{connection_,
                       "SELECT id, state <> 0 AND updated_at < ?3 AND (message IS NULL OR NOT "
                       "EXISTS (SELECT 1 FROM completion c WHERE c.event = callback.id AND "
                       "c.id = callback.message)) "
                       "FROM callback WHERE id > ?1 AND id < ?2 ORDER BY id LIMIT ?4"};
        auto row = walk.query(callbacks_pruned_to_, Uuid::sequence_at(limits.messages_before),
                              ended_before(limits), seen_max);
        while (finished.size() < limits.rows_max && row.next()) {
            ++seen;
            callbacks_pruned_to_ = row.integer(0);
            if (row.integer(1) != 0) {
                finished.push_back(row.integer(0));
            }
        }
    }
    const bool complete = seen < seen_max && finished.size() < limits.rows_max;
    if (complete) {
        callbacks_pruned_to_ = 0;
    }
    Statement callback{connection_, "DELETE FROM callback WHERE id = ?"};
    for (const auto event : finished) {
        callback.run(event);
        writer_.trail().forget_callback(event);
    }
    return {.removed = finished.size(), .complete = complete};
}

}  // namespace merpati::store::sqlite
