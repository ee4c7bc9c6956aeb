// Writes messages and callbacks: all elements of a batch except changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "store/sql/connection.hpp"
#include "store/sql/credits.hpp"
#include "store/sql/damaged_rows.hpp"
#include "store/sql/grouped_insert.hpp"
#include "store/sql/ledger_writer.hpp"
#include "store/sql/message_blocks.hpp"
#include "store/sql/recipient_writer.hpp"
#include "store/sql/rows.hpp"
#include "store/sql/trail_writer.hpp"
#include "store/write_batch.hpp"

namespace merpati::store::sql {

/// Caches the owners of sending devices across commits. A device is changed by the node that works
/// for its account: call `forget` when this connection may have added or removed one, after a
/// rollback, and when accounts were taken over from another node.
class Senders {
public:
    explicit Senders(Connection& connection);

    /// Empty: there is no such device.
    [[nodiscard]] std::optional<model::AccountId> owner_of(model::PhoneNumber device);
    void forget() { owners_.clear(); }

private:
    static constexpr std::size_t owners_max = 1024;

    Statement select_;
    std::unordered_map<model::PhoneNumber, std::optional<model::AccountId>> owners_;
};

/// A coarse index of when an account had messages or callbacks: one row for each account and span
/// of ids (262 s), so that lists of one account skip spans in which it had none. An exact index
/// would cost every message about 2 microseconds; this one costs a look-up in memory.
class Activity {
public:
    explicit Activity(Connection& connection);

    /// Call for each message and callback, in the transaction that stores it.
    void note(model::AccountId account, std::int64_t sequence);

    /// Call after a rollback, which may have removed recorded rows.
    void forget() { noted_.clear(); }

    /// Call after a row of the account was removed.
    void forget(model::AccountId account) { noted_.erase(account); }

    /// The span of an id is `id >> span_bits`. The schemas contain this number in SQL.
    static constexpr int span_bits = 40;

private:
    Statement insert_;
    std::unordered_map<model::AccountId, std::int64_t> noted_;  // The newest span of each account.
};

/// Writes the elements of a batch, inside the transaction that Transaction began.
class MessageWriter {
public:
    explicit MessageWriter(Connection& connection);

    // The rows of messages that are accepted, of completions and their callbacks, and the results
    // of callbacks are written in groups: call `write_accepted`, `write_ended` and `write_results`
    // after the elements, which must live until then. Nothing may read these rows before.
    void accept(Accept& accept);
    void write_accepted();
    /// Stores a message with its queue row. Nothing is charged.
    void store(const model::Message& message);
    // Each of these elements first leaves its lane; after Connection::wait, `finish`, `reschedule`
    // and `hand_over` write the rest of those that were there. So a batch waits once for all.
    void leave_lane(Finish& finish);
    void leave_lane(Reschedule& reschedule);
    void leave_lane(HandOver& hand_over);
    void finish(const Finish& finish);
    void write_ended();
    void reschedule(const Reschedule& reschedule);
    /// Adds the row of a message that is in no lane, at `queue_at`, with its events. Where it was
    /// (`queued_at`) and `sent` do not matter.
    void enqueue(const Reschedule& place);
    void hand_over(HandOver& hand_over);
    /// Sets `decide_by` of those that were handed over. Waits.
    void note_decide_by();
    void record_intent(Intent& intent);
    void update_callback(const CallbackUpdate& update);
    void write_results();
    void add_callback(const model::Callback& callback);
    /// Ends a message that is in no lane. `event`: its callback.
    void add_completion(const model::MessageId& message, const model::Completion& completion,
                        std::optional<std::int64_t> event);

    /// Removes a message that is in no lane, with its steps.
    void remove_message(std::int64_t message);

    /// Refunds a message with this completion, if it was charged and not sent, counts it, and moves
    /// its recipient. `from`: the message's state before.
    void settle(const model::Message& message, const model::Completion& completion,
                model::MessageState from = model::MessageState::pending);

    /// Writes the SentRecords of the batch, one for each device. Leaves out the devices of which
    /// this has met damage.
    void flush_lanes();
    /// From now on each element writes its own rows, so that damage is met with its element. Call
    /// after damage.
    void write_singly() noexcept { singly_ = true; }
    /// Call after a rollback.
    void forget_rows() {
        accepted_.clear();
        ended_.clear();
        callbacks_.clear();
        results_.clear();
    }
    /// Call after a rollback.
    void forget_lanes() {
        sent_.clear();
        handed_over_.clear();
    }

    Credits& credits() { return credits_; }
    RecipientWriter& recipients() { return recipients_; }
    UsageWriter& usage() { return usage_; }
    Activity& activity() { return activity_; }
    MessageBlocks& blocks() { return blocks_; }
    Senders& senders() { return senders_; }
    TrailWriter& trail() { return trail_; }

private:
    void leave_lane(const model::MessageId& message, model::PhoneNumber device,
                    model::Source source, Timestamp queued_at, bool& was_there);
    [[nodiscard]] bool repeats(Accept& accept);
    [[nodiscard]] bool was_retried(Accept& accept);
    [[nodiscard]] bool is_erased(const model::MessageId& message);
    [[nodiscard]] Credits::Charge charge(model::Message& message);
    void withdraw(const Finish& finish);
    /// What is noted in memory of a message that is stored.
    void note(const model::Message& message);
    void write_messages(std::span<const model::Message* const> messages);
    void write_callbacks(std::span<const model::Callback* const> callbacks);
    void link_retry(const model::Message& message, const model::MessageId& retry_of);

    Connection& connection_;
    Credits credits_;
    RecipientWriter recipients_;
    UsageWriter usage_;
    Activity activity_;
    MessageBlocks blocks_;
    Senders senders_;
    TrailWriter trail_;
    GroupedInsert insert_message_;
    GroupedInsert insert_queue_;
    Statement delete_queue_;
    Statement mark_intent_;
    Statement mark_intent_unless_suppressed_;
    Statement insert_handed_over_;
    GroupedInsert insert_completion_;
    GroupedInsert insert_callback_;
    Statement find_idempotency_;
    Statement insert_idempotency_;
    Statement put_sent_;
    Statement find_retry_;
    Statement find_erased_;
    Statement find_completion_;
    Statement remove_message_;
    std::unordered_map<model::PhoneNumber, SentRecord> sent_;  // The latest of each device.
    struct HandedOver {
        HandOver& element;
        std::optional<std::int64_t> decide_by{};  // As stored.
    };
    std::deque<HandedOver> handed_over_;       // Whose `decide_by` is not noted yet.
    DamagedRows<std::int64_t> damaged_lanes_;  // By device number.
    // Whose rows are not written yet.
    std::vector<const model::Message*> accepted_;
    std::vector<const Finish*> ended_;
    std::vector<const model::Callback*> callbacks_;  // Of `ended_`.
    std::vector<const CallbackUpdate*> results_;
    bool singly_ = false;
};

}  // namespace merpati::store::sql
