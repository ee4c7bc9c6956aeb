// The methods of StoredReader for steps of messages and attempts of callbacks.
#include "store/sql/rows.hpp"
#include "store/sql/stored_reader.hpp"

namespace merpati::store::sql {
namespace {

model::CallbackAttempt read_attempt(const Cursor& row) {
    return {.number = row.number<std::uint32_t>(0),
            .at = row.time(1),
            .took = row.null(2) ? std::nullopt : std::optional{row.span(2)},
            .status = row.number<std::uint16_t>(3),
            .error = std::string{row.text(4)},
            .answer = std::string{row.text(5)},
            .retry_at = row.optional_time(6),
            .batch = read_batch(row, 7)};
}

}  // namespace

Result<MessageTrail> StoredReader::trail(model::MessageId id) {
    return guarded([&]() -> Result<MessageTrail> {
        MessageTrail found;
        Statement events{connection_,
                         "SELECT number, step, at, until, code, details FROM message_event "
                         "WHERE message = ? ORDER BY number"};
        for (auto row = events.query(id.sequence()); row.next();) {
            auto& event = found.events.emplace_back();
            event.number = row.number<std::uint32_t>(0);
            event.step = row.enumerator(1, model::MessageStep::retried_as);
            event.at = row.time(2);
            event.until = row.optional_time(3);
            event.code =
                event.step == model::MessageStep::waited
                    ? static_cast<std::uint16_t>(row.enumerator(4, model::wait_reason_last))
                    : row.number<std::uint16_t>(4);
            event.details = row.text(5);
        }
        Statement handed_over{connection_, "SELECT at, sent_as FROM handed_over WHERE id = ?"};
        if (auto row = handed_over.query(id.sequence()); row.next()) {
            found.handed_over_at = row.optional_time(0);
            found.sent_as = read_sent_template(row, 1);
        }
        return found;
    });
}

Result<std::vector<model::CallbackAttempt>> StoredReader::attempts(model::EventId id) {
    return guarded([&]() -> Result<std::vector<model::CallbackAttempt>> {
        Statement earlier{connection_,
                          "SELECT number, at, took, status, error, answer, retry_at, "
                          "batch, batch_tail, batch_events "
                          "FROM callback_attempt WHERE event = ? ORDER BY number"};
        auto found = all_rows(earlier.query(id.sequence()), read_attempt);
        Statement last{connection_,
                       "SELECT " + last_attempt_columns() +
                           " FROM callback WHERE id = ? AND tail = ? AND attempts > 0"};
        if (auto row = last.query(id.sequence(), tail_of(id)); row.next()) {
            found.push_back(read_attempt(row));
        }
        return found;
    });
}

}  // namespace merpati::store::sql
