#include "store/sql/trail_writer.hpp"

#include "store/sql/rows.hpp"

namespace merpati::store::sql {

TrailWriter::TrailWriter(Connection& connection)
    : insert_event_(connection,
                    "INSERT INTO message_event SELECT ?1, 1 + coalesce(max(number), 0), "
                    "?2, ?3, ?4, ?5, ?6 FROM message_event WHERE message = ?1 RETURNING number"),
      drop_event_(connection, "DELETE FROM message_event WHERE message = ? AND number = ?"),
      keep_attempt_(
          connection,
          "INSERT INTO callback_attempt(event, number, at, took, status, error, answer, "
          "retry_at, batch, batch_tail, batch_events) SELECT id, attempts_before + "
          "attempts, updated_at, last_took, last_status, last_error, last_answer, "
          "CASE state WHEN 0 THEN due_at END, batch, batch_tail, batch_events FROM callback "
          "WHERE id = ? AND tail = ? AND attempts > 0 ON CONFLICT(event, number) DO UPDATE SET "
          "at = excluded.at, took = excluded.took, status = excluded.status, "
          "error = excluded.error, answer = excluded.answer, retry_at = excluded.retry_at, "
          "batch = excluded.batch, batch_tail = excluded.batch_tail, "
          "batch_events = excluded.batch_events"),
      update_callback_(connection,
                       "UPDATE callback SET state = ?3, attempts = ?4, due_at = ?5, "
                       "last_status = ?6, last_error = ?7, updated_at = ?8, last_took = ?9, "
                       "last_answer = ?10, batch = ?11, batch_tail = ?12, batch_events = ?13 "
                       "WHERE id = ?1 AND tail = ?2"),
      replay_callback_(connection,
                       "UPDATE callback SET state = 0, attempts_before = attempts_before + "
                       "attempts, attempts = 0, due_at = ?3, updated_at = ?4 "
                       "WHERE id = ?1 AND tail = ?2"),
      drop_attempts_(connection,
                     "DELETE FROM callback_attempt WHERE event = ?1 AND number <= "
                     "(SELECT max(number) FROM callback_attempt WHERE event = ?1) - ?2"),
      forget_message_(connection, "DELETE FROM message_event WHERE message = ?"),
      forget_callback_(connection, "DELETE FROM callback_attempt WHERE event = ?") {}

void TrailWriter::note(const model::MessageId& message,
                       const std::vector<model::MessageEvent>& events) {
    for (const auto& event : events) {
        note(message, event);
    }
}

void TrailWriter::note(const model::MessageId& message, const model::MessageEvent& event) {
    using model::MessageEvent;
    std::int64_t number = 0;
    {
        auto row = insert_event_.query(message.sequence(), static_cast<int>(event.step), event.at,
                                       event.until, event.code, or_null(event.details));
        while (row.next()) {
            number = row.integer(0);
        }
    }
    if (number > MessageEvent::first_kept + MessageEvent::last_kept) {
        drop_event_.run(message.sequence(), number - MessageEvent::last_kept);
    }
}

void TrailWriter::update_callback(const CallbackUpdate& update) {
    const auto& progress = update.progress;
    const auto id = update.event.sequence();
    const auto tail = tail_of(update.event);
    if (progress.attempts > 1) {
        keep_attempt_.run(id, tail);
    }
    update_callback_.run(id, tail, static_cast<int>(progress.state), progress.attempts,
                         progress.due_at, progress.last_status, progress.last_error,
                         progress.updated_at, update.took.count(), or_null(update.answer),
                         progress.batch.transform([](auto& one) { return one.id.sequence(); }),
                         progress.batch.transform([](auto& one) { return tail_of(one.id); }),
                         progress.batch.transform([](auto& one) { return one.events; }));
}

void TrailWriter::replay_callback(const model::EventId& event, Timestamp due, Timestamp at) {
    keep_attempt_.run(event.sequence(), tail_of(event));
    drop_attempts_.run(event.sequence(), attempts_kept);
    replay_callback_.run(event.sequence(), tail_of(event), due, at);
}

void TrailWriter::forget_message(std::int64_t message) {
    forget_message_.run(message);
}

void TrailWriter::forget_callback(std::int64_t event) {
    forget_callback_.run(event);
}

}  // namespace merpati::store::sql
