#include "store/sql/message_writer.hpp"

#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>

#include "base/assert.hpp"

namespace merpati::store::sql {
namespace {

/// Inserts a row of `completion`.
template <class Insert>
void insert_completion(const Insert& insert, const model::MessageId& message,
                       const model::Completion& completion, std::optional<std::int64_t> event) {
    insert(message.sequence(), static_cast<int>(completion.state),
           static_cast<int>(completion.code), completion.details, completion.platform_id,
           completion.finished_at, completion.attempts, event, millis(completion.took),
           completion.as_template);
}

/// The row of a callback has this in place of an answer until its first attempt, whose result has
/// to fit there: its status, the id of its batch, and a short answer. The pages of new rows are
/// full, and SQLite moves half of a page's rows to another page when one grows beyond it.
constexpr std::size_t result_bytes = 32;

std::string new_callback_row() {
    return fmt::format("(?,?,?,?,?,?,?,?,?,?,{},0,?,0,'',?,0,NULL,'{:{}}',NULL,NULL,NULL)",
                       number_of(model::CallbackState::waiting), "", result_bytes);
}

/// Why a message of a recipient of the campaign is not sent again by itself: it would return to the
/// campaign, and be removed, before it is sent. Null: there is no such campaign.
std::optional<Accept::Result> refusal_of(const CampaignRow* found) {
    if (found == nullptr || found->is_removed) {
        return std::nullopt;
    }
    if (found->campaign.state == model::CampaignState::paused) {
        return Accept::Result::campaign_paused;
    }
    return found->campaign.state == model::CampaignState::cancelled
               ? std::optional{Accept::Result::campaign_cancelled}
               : std::nullopt;
}

}  // namespace

Senders::Senders(Connection& connection)
    : select_(connection, "SELECT account FROM device WHERE number = ?") {}

std::optional<model::AccountId> Senders::owner_of(model::PhoneNumber device) {
    if (const auto found = owners_.find(device); found != owners_.end()) {
        return found->second;
    }
    if (owners_.size() >= owners_max) {
        owners_.clear();
    }
    std::optional<model::AccountId> owner;
    if (auto row = select_.query(device.value()); row.next()) {
        owner = model::AccountId{row.integer(0)};
    }
    owners_.emplace(device, owner);
    return owner;
}

Activity::Activity(Connection& connection)
    : insert_(connection,
              "INSERT INTO activity(account, span) VALUES(?,?) ON CONFLICT DO NOTHING") {}

void Activity::note(model::AccountId account, std::int64_t sequence) {
    const auto span = sequence >> span_bits;
    const auto [found, is_new] = noted_.try_emplace(account, span);
    if (is_new || found->second != span) {
        insert_.run(account.value, span);
        found->second = span;
    }
}

MessageWriter::MessageWriter(Connection& connection)
    : connection_(connection),
      credits_(connection),
      recipients_(connection, credits_),
      usage_(connection),
      activity_(connection),
      blocks_(connection),
      senders_(connection),
      trail_(connection),
      insert_message_(connection, "message", "(?,?,?,?,?,?,?,?,?,?,?,?,?,?)"),
      insert_queue_(connection, "queue", "(?,?,?,?,?,?,?,0,?,?,?,?,?)"),
      delete_queue_(connection,
                    "DELETE FROM queue WHERE device = ? AND source = ? AND bucket = ? AND id = ?"),
      mark_intent_(connection,
                   "UPDATE queue SET intent = 1 "
                   "WHERE device = ? AND source = ? AND bucket = ? AND id = ?"),
      mark_intent_unless_suppressed_(
          connection,
          "UPDATE queue SET intent = 1 WHERE device = ? AND source = ? AND bucket = ? AND id = ? "
          "AND NOT EXISTS (SELECT 1 FROM suppression WHERE account = ? AND number = ?)"),
      insert_handed_over_(
          connection,
          fmt::format(
              "INSERT INTO handed_over(id, device, platform_id, attempts, decide_by, at, "
              "perhaps_sent, without_status, failing_since, crashes, as_template, sent_as) "
              "SELECT ?1, ?2, p.id, ?4, CASE WHEN EXISTS (SELECT 1 FROM platform_event "
              "WHERE device = ?2 AND about = {0} AND platform_id = p.id) "
              "THEN 0 ELSE ?5 END, ?6, ?7, ?8, ?9, ?10, ?11, ?12 "
              "FROM (SELECT CASE WHEN ?3 <> '' THEN ?3 ELSE coalesce((SELECT platform_id "
              "FROM platform_event WHERE message = ?1 AND device = ?2 AND about = {0} "
              "ORDER BY progress DESC LIMIT 1), '') END AS id) p WHERE 1 = 1 "
              "ON CONFLICT(id) DO UPDATE SET device = excluded.device, "
              "platform_id = excluded.platform_id, attempts = excluded.attempts, "
              "decide_by = excluded.decide_by, at = excluded.at, "
              "perhaps_sent = excluded.perhaps_sent, without_status = excluded.without_status, "
              "failing_since = excluded.failing_since, crashes = excluded.crashes, "
              "as_template = excluded.as_template, sent_as = excluded.sent_as RETURNING decide_by",
              number_of(About::status))),
      insert_completion_(connection, "completion", "(?,?,?,?,?,?,?,?,?,?)",
                         " ON CONFLICT DO NOTHING"),
      insert_callback_(connection, "callback", new_callback_row()),
      find_idempotency_(connection, std::string{"SELECT "} + idempotency_columns +
                                        " FROM idempotency WHERE account = ? AND key = ?"),
      insert_idempotency_(connection, idempotency_put),
      put_sent_(connection,
                "INSERT INTO lane(device, sent_at, jitter, day_ends_at, sent_of_day) "
                "VALUES(?1, ?2, ?3, ?4, ?5) ON CONFLICT(device) DO UPDATE SET "
                "sent_at = ?2, jitter = ?3, day_ends_at = ?4, sent_of_day = ?5"),
      find_retry_(connection, "SELECT details FROM message_event WHERE message = ? AND step = ?"),
      find_erased_(connection,
                   "SELECT 1 FROM message WHERE id = ? AND body = '' AND media_url IS NULL "
                   "AND template IS NULL"),
      find_completion_(connection, "SELECT state FROM completion WHERE id = ?"),
      remove_message_(connection, "DELETE FROM message WHERE id = ?") {}

void MessageWriter::accept(Accept& accept) {
    auto& message = *accept.message;
    if (accept.is_permitted && !accept.is_permitted(message)) {
        accept.result = Accept::Result::not_permitted;
        return;
    }
    if (accept.idempotency && repeats(accept)) {
        return;
    }
    if (senders_.owner_of(message.device) != message.account) {
        accept.result = Accept::Result::sender_gone;
        return;
    }
    if (accept.retry_of && was_retried(accept)) {
        return;
    }
    if (accept.retry_of && is_erased(*accept.retry_of)) {
        accept.result = Accept::Result::erased;
        return;
    }
    if (accept.retry_of && message.campaign_row != 0) {
        if (const auto refused = refusal_of(recipients_.campaigns().find(*message.campaign))) {
            accept.result = *refused;
            return;
        }
        if (recipients_.is_taken(message, *accept.retry_of)) {
            accept.result = Accept::Result::recipient_taken;
            return;
        }
    }
    switch (charge(message)) {
        case Credits::Charge::exhausted:
            accept.result = Accept::Result::credit_exhausted;
            return;
        case Credits::Charge::charged:
            message.charged = true;
            break;
        case Credits::Charge::uncounted:
            message.charged = false;
            break;
    }
    note(message);
    accepted_.push_back(&message);
    if (accept.idempotency) {
        const auto& record = *accept.idempotency;
        insert_idempotency_.run(record.account.value, record.key,
                                std::span<const std::byte>{record.fingerprint},
                                message.id.sequence(), tail_of(message.id), record.status,
                                record.answer, record.created_at);
    }
    if (accept.retry_of) {
        link_retry(message, *accept.retry_of);
        if (message.campaign_row != 0) {
            recipients_.retried(message, *accept.retry_of);
        }
    }
    accept.result = Accept::Result::stored;
    if (singly_) {
        write_accepted();
    }
}

/// A message of a recipient is charged from its campaign's reserve. One whose campaign was removed
/// is a message of no recipient.
Credits::Charge MessageWriter::charge(model::Message& message) {
    if (message.campaign_row != 0) {
        if (const auto charged = recipients_.charge(message)) {
            return *charged;
        }
        message.campaign_row = 0;
    }
    return credits_.charge(message.account, message.accepted_at);
}

void MessageWriter::store(const model::Message& message) {
    note(message);
    const std::array one{&message};
    write_messages(one);
}

void MessageWriter::note(const model::Message& message) {
    activity_.note(message.account, message.id.sequence());
    blocks_.note(message.id.sequence());
}

void MessageWriter::write_accepted() {
    write_messages(accepted_);
    accepted_.clear();
}

void MessageWriter::write_messages(std::span<const model::Message* const> messages) {
    insert_message_.run(messages, [](auto insert, const model::Message& message) {
        const auto row = message.campaign_row == 0 ? std::optional<std::uint32_t>{}
                                                   : std::optional{message.campaign_row};
        insert(message.id.sequence(), tail_of(message.id), message.account.value,
               message.device.value(), message.recipient, message.body, or_null(message.media_url),
               or_null(message.callback_url), flags_of(message), message.accepted_at,
               message.due_at,
               message.campaign.transform([](auto campaign) { return campaign.value; }), row,
               template_text(message));
    });
    insert_queue_.run(messages, [](auto insert, const model::Message& message) {
        insert(message.device.value(), static_cast<int>(message.source), bucket_of(message.due_at),
               message.id.sequence(), tail_of(message.id), message.due_at, 0,
               std::optional<std::string_view>{}, std::optional<Timestamp>{}, 0, 0, 0);
    });
}

/// Prevents a second retry, for instance when two people click at the same time.
bool MessageWriter::was_retried(Accept& accept) {
    auto row = find_retry_.query(accept.retry_of->sequence(),
                                 static_cast<int>(model::MessageStep::retried_as));
    if (!row.next()) {
        return false;
    }
    accept.retried_as = Uuid::parse(row.text(0));
    accept.result = Accept::Result::retried_before;
    return true;
}

/// Its text was read before it was erased, and must not come back. Any other message has a text,
/// a file or a template.
bool MessageWriter::is_erased(const model::MessageId& message) {
    return find_erased_.query(message.sequence()).next();
}

void MessageWriter::link_retry(const model::Message& message, const model::MessageId& retry_of) {
    trail_.note(message.id, {.step = model::MessageStep::retry_of,
                             .at = message.accepted_at,
                             .details = retry_of.text()});
    // Without a completion, retention has removed the message and its events.
    if (find_completion_.query(retry_of.sequence()).next()) {
        trail_.note(retry_of, {.step = model::MessageStep::retried_as,
                               .at = message.accepted_at,
                               .details = message.id.text()});
    }
}

bool MessageWriter::repeats(Accept& accept) {
    const auto& wanted = *accept.idempotency;
    auto row = find_idempotency_.query(wanted.account.value, wanted.key);
    if (!row.next()) {
        return false;
    }
    auto first = read_idempotency(row);
    if (!first.holds(wanted.created_at)) {
        return false;
    }
    if (first.fingerprint != wanted.fingerprint) {
        accept.result = Accept::Result::key_reused;
        return true;
    }
    accept.result = Accept::Result::repeated;
    accept.idempotency = std::move(first);
    return true;
}

void MessageWriter::leave_lane(Finish& finish) {
    const auto& message = *finish.message;
    leave_lane(message.id, message.device, message.source, finish.queued_at, finish.finished);
}

void MessageWriter::leave_lane(Reschedule& reschedule) {
    leave_lane(reschedule.message, reschedule.device, reschedule.source, reschedule.queued_at,
               reschedule.rescheduled);
}

void MessageWriter::leave_lane(HandOver& hand_over) {
    leave_lane(hand_over.message, hand_over.device, hand_over.source, hand_over.queued_at,
               hand_over.handed_over);
}

void MessageWriter::leave_lane(const model::MessageId& message, model::PhoneNumber device,
                               model::Source source, Timestamp queued_at, bool& was_there) {
    delete_queue_.run(device.value(), static_cast<int>(source), bucket_of(queued_at),
                      message.sequence());
    connection_.note_changed(was_there);
}

void MessageWriter::finish(const Finish& finish) {
    const auto& message = *finish.message;
    const auto& completion = finish.completion;
    if (finish.sent) {
        sent_[message.device] = *finish.sent;
    }
    if (!finish.finished) {
        return;
    }
    if (finish.withdrawn) {
        withdraw(finish);
        return;
    }
    if (finish.callback) {
        callbacks_.push_back(&*finish.callback);
        activity_.note(finish.callback->account, finish.callback->id.sequence());
    }
    ended_.push_back(&finish);
    trail_.note(message.id, finish.events);
    settle(message, completion);
    if (singly_) {
        write_ended();
    }
}

/// Lanes end their messages in turn. In the order of ids, SQLite adds most rows behind all others,
/// and searches no place among them.
void MessageWriter::write_ended() {
    write_callbacks(callbacks_);
    callbacks_.clear();
    std::ranges::sort(ended_, {}, [](const Finish* ended) { return ended->message->id; });
    insert_completion_.run(
        std::span<const Finish* const>{ended_}, [](auto insert, const Finish& finish) {
            const auto event = finish.callback.transform(
                [](const model::Callback& callback) { return callback.id.sequence(); });
            insert_completion(insert, finish.message->id, finish.completion, event);
        });
    ended_.clear();
}

void MessageWriter::add_completion(const model::MessageId& message,
                                   const model::Completion& completion,
                                   std::optional<std::int64_t> event) {
    insert_completion([this](const auto&... values) { insert_completion_.run_one(values...); },
                      message, completion, event);
}

void MessageWriter::settle(const model::Message& message, const model::Completion& completion,
                           model::MessageState from) {
    if (message.campaign_row != 0) {
        recipients_.ended(message, completion, from);
    } else if (message.charged && (completion.state == model::MessageState::failed ||
                                   completion.state == model::MessageState::cancelled)) {
        credits_.refund(message.account, completion.finished_at);
    }
    usage_.count(message, completion);
}

/// Searches and summaries pass over a message that is missing.
void MessageWriter::withdraw(const Finish& finish) {
    const auto& message = *finish.message;
    remove_message(message.id.sequence());
    const auto at = std::max(message.accepted_at, finish.completion.finished_at);
    if (message.campaign_row != 0) {
        recipients_.withdrawn(message, at);
    } else if (message.charged) {
        credits_.refund(message.account, at);
    }
}

void MessageWriter::remove_message(std::int64_t message) {
    remove_message_.run(message);
    trail_.remove_steps(message);
}

void MessageWriter::reschedule(const Reschedule& reschedule) {
    if (reschedule.sent) {
        sent_[reschedule.device] = *reschedule.sent;
    }
    if (reschedule.rescheduled) {
        enqueue(reschedule);
    }
}

void MessageWriter::enqueue(const Reschedule& place) {
    insert_queue_.run_one(place.device.value(), static_cast<int>(place.source),
                          bucket_of(place.queue_at), place.message.sequence(),
                          tail_of(place.message), place.queue_at, place.attempts,
                          or_null(place.last_details), place.failing_since, place.crashes,
                          place.perhaps_sent ? 1 : 0, place.as_template ? 1 : 0);
    trail_.note(place.message, place.events);
}

void MessageWriter::hand_over(HandOver& hand_over) {
    if (hand_over.sent) {
        sent_[hand_over.device] = *hand_over.sent;
    }
    if (hand_over.handed_over) {
        insert_handed_over_.run_returning(
            handed_over_.emplace_back(hand_over).decide_by, hand_over.message.sequence(),
            hand_over.device.value(), hand_over.platform_id, hand_over.attempts,
            hand_over.decide_by, hand_over.at, hand_over.perhaps_sent,
            static_cast<int>(hand_over.without_status), hand_over.failing_since, hand_over.crashes,
            hand_over.as_template, sent_template_text(hand_over.sent_as.get()));
        trail_.note(hand_over.message, hand_over.events);
    }
}

void MessageWriter::note_decide_by() {
    connection_.wait();
    for (const auto& [element, decide_by] : handed_over_) {
        invariant(decide_by.has_value(), "a row that is inserted is returned");
        element.decide_by = from_unix_millis(*decide_by);
    }
    handed_over_.clear();
}

void MessageWriter::flush_lanes() {
    for (const auto& [device, sent] : sent_) {
        damaged_lanes_.write(device.value(), [&] {
            put_sent_.run(device.value(), sent.last_at, sent.jitter.count(), sent.day_ends_at,
                          sent.of_day);
        });
    }
    sent_.clear();
}

void MessageWriter::record_intent(Intent& intent) {
    const auto source = static_cast<int>(intent.source);
    const auto bucket = bucket_of(intent.queued_at);
    if (!intent.unless_suppressed) {
        mark_intent_.run(intent.device.value(), source, bucket, intent.message.sequence());
        return;
    }
    mark_intent_unless_suppressed_.run(intent.device.value(), source, bucket,
                                       intent.message.sequence(), intent.account.value,
                                       intent.unless_suppressed->value());
    connection_.note_changed(intent.recorded);
}

void MessageWriter::update_callback(const CallbackUpdate& update) {
    results_.push_back(&update);
    if (singly_) {
        write_results();
    }
}

void MessageWriter::write_results() {
    trail_.update_callbacks(results_);
    results_.clear();
}

void MessageWriter::add_callback(const model::Callback& callback) {
    activity_.note(callback.account, callback.id.sequence());
    const std::array one{&callback};
    write_callbacks(one);
}

void MessageWriter::write_callbacks(std::span<const model::Callback* const> callbacks) {
    insert_callback_.run(callbacks, [](auto insert, const model::Callback& callback) {
        std::optional<std::int64_t> message;
        std::optional<std::int64_t> message_tail;
        if (callback.message) {
            message = callback.message->sequence();
            message_tail = tail_of(*callback.message);
        }
        insert(callback.id.sequence(), tail_of(callback.id), callback.account.value,
               static_cast<int>(callback.kind), message, message_tail, callback.url,
               callback.origin_key, callback.body, callback.created_at, callback.created_at,
               callback.created_at);
    });
}

}  // namespace merpati::store::sql
