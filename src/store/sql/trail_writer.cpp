#include "store/sql/trail_writer.hpp"

#include <cstddef>
#include <string>

#include <fmt/format.h>

#include "store/sql/rows.hpp"

namespace merpati::store::sql {
namespace {

/// A statement for fewer rows costs as much as one for each of them.
constexpr std::size_t delivered_min = 4;

bool is_delivered_at_once(const CallbackUpdate& update) {
    const auto& progress = update.progress;
    return progress.state == model::CallbackState::delivered && progress.attempts == 1 &&
           progress.last_error.empty();
}

/// Whether `next` has the same result as `one`, and the next id of the same UuidSource: `step` is
/// the difference between two of its ids.
bool follows(const CallbackUpdate& one, const CallbackUpdate& next, std::int64_t step) {
    const auto& had = one.progress;
    const auto& has = next.progress;
    return next.event.sequence() == one.event.sequence() + step && is_delivered_at_once(next) &&
           has.last_status == had.last_status && has.updated_at == had.updated_at &&
           has.batch == had.batch && next.took == one.took && next.answer == one.answer;
}

/// Results of callbacks that were delivered together, with ids that follow each other.
struct Together {
    std::size_t count = 0;  // 0: the first was not delivered at once.
    std::int64_t step = 1;  // Between two ids.
};

/// The first ones.
Together delivered_together(std::span<const CallbackUpdate* const> updates) {
    if (!is_delivered_at_once(*updates.front())) {
        return {};
    }
    Together found{.count = 1};
    if (updates.size() > 1 && follows(*updates[0], *updates[1], id_slots)) {
        found.step = id_slots;
    }
    while (found.count < updates.size() &&
           follows(*updates[found.count - 1], *updates[found.count], found.step)) {
        ++found.count;
    }
    return found;
}

}  // namespace

TrailWriter::TrailWriter(Connection& connection)
    : insert_event_(connection,
                    "INSERT INTO message_event SELECT ?1, 1 + coalesce(max(number), 0), "
                    "?2, ?3, ?4, ?5, ?6 FROM message_event WHERE message = ?1 RETURNING number"),
      drop_event_(connection, "DELETE FROM message_event WHERE message = ? AND number = ?"),
      keep_attempt_(
          connection,
          fmt::format(
              "INSERT INTO callback_attempt(event, number, at, took, status, error, "
              "answer, retry_at, batch, batch_tail, batch_events) SELECT id, {} FROM callback "
              "WHERE id = ? AND tail = ? AND attempts > 0 ON CONFLICT(event, number) DO UPDATE SET "
              "at = excluded.at, took = excluded.took, status = excluded.status, "
              "error = excluded.error, answer = excluded.answer, retry_at = excluded.retry_at, "
              "batch = excluded.batch, batch_tail = excluded.batch_tail, "
              "batch_events = excluded.batch_events",
              last_attempt_columns())),
      deliver_(connection,
               fmt::format("UPDATE{} callback SET state = {}, attempts = 1, last_status = ?3, "
                           "last_error = '', updated_at = ?4, last_took = ?5, "
                           "last_answer = ?6, batch = ?7, batch_tail = ?8, batch_events = ?9 "
                           "WHERE id BETWEEN ?1 AND ?2 AND (id - ?1) % ?10 = 0",
                           connection.or_fail(), number_of(model::CallbackState::delivered))),
      update_callback_(connection,
                       "UPDATE callback SET state = ?3, attempts = ?4, due_at = ?5, "
                       "last_status = ?6, last_error = ?7, updated_at = ?8, last_took = ?9, "
                       "last_answer = ?10, batch = ?11, batch_tail = ?12, batch_events = ?13 "
                       "WHERE id = ?1 AND tail = ?2"),
      replay_callback_(connection,
                       fmt::format("UPDATE callback SET state = {}, attempts_before = "
                                   "attempts_before + attempts, attempts = 0, due_at = ?3, "
                                   "updated_at = ?4 WHERE id = ?1 AND tail = ?2",
                                   number_of(model::CallbackState::waiting))),
      drop_attempts_(connection,
                     "DELETE FROM callback_attempt WHERE event = ?1 AND number <= "
                     "(SELECT max(number) FROM callback_attempt WHERE event = ?1) - ?2"),
      remove_steps_(connection, "DELETE FROM message_event WHERE message = ?"),
      remove_callback_(connection, "DELETE FROM callback WHERE id = ?"),
      remove_attempts_(connection, "DELETE FROM callback_attempt WHERE event = ?") {}

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

void TrailWriter::update_callbacks(std::span<const CallbackUpdate* const> updates) {
    while (!updates.empty()) {
        auto [count, step] = delivered_together(updates);
        if (count >= delivered_min) {
            deliver(*updates.front(), *updates[count - 1], step);
        } else {
            count = 1;
            update_callback(*updates.front());
        }
        updates = updates.subspan(count);
    }
}

/// Of each `step`th callback from `first` to `last`, whose results are equal. They stay due when
/// they were.
void TrailWriter::deliver(const CallbackUpdate& first, const CallbackUpdate& last,
                          std::int64_t step) {
    const auto& progress = first.progress;
    deliver_.run(first.event.sequence(), last.event.sequence(), progress.last_status,
                 progress.updated_at, first.took.count(), or_null(first.answer),
                 progress.batch.transform([](auto& one) { return one.id.sequence(); }),
                 progress.batch.transform([](auto& one) { return tail_of(one.id); }),
                 progress.batch.transform([](auto& one) { return one.events; }), step);
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

void TrailWriter::remove_steps(std::int64_t message) {
    remove_steps_.run(message);
}

void TrailWriter::remove_callback(std::int64_t event) {
    remove_callback_.run(event);
    remove_attempts_.run(event);
}

}  // namespace merpati::store::sql
