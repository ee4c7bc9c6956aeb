// The elements of one transaction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/error.hpp"
#include "store/records.hpp"
#include "store/tables.hpp"

namespace merpati::store {

/// Stores a message with its queue row, credit charge and idempotency record; or nothing of them.
struct Accept {
    std::unique_ptr<model::Message> message;  // `charged` is set by the store.
    std::optional<IdempotencyRecord> idempotency;
    /// The message that this one sends again. Both get an event that names the other. If it was the
    /// latest of a campaign's row, and this one has campaign and row too, the row is queued again.
    std::optional<model::MessageId> retry_of{};
    std::optional<model::MessageId> retried_as{};  // Set for `retried_before`.
    /// Asked in the transaction, on the committer's thread; perhaps more than once. Copies in
    /// memory that follow the commits (Committer::on_row_changed) hold all earlier ones then. Must
    /// not block. Empty: permitted.
    std::move_only_function<bool(const model::Message&)> is_permitted{};

    enum class Result : std::uint8_t {
        stored,
        credit_exhausted,  // The account counts credit and has none left.
        repeated,          // The key was used with this fingerprint; `idempotency` is its record.
        key_reused,        // The key was used with another fingerprint.
        not_permitted,     // `is_permitted` said no.
        sender_gone,       // The device was removed, or belongs to another account now.
        no_room,           // The disk is full, or nearly.
        unavailable,       // The database is away.
        locked,            // Another program has locked the store for some seconds.
        damaged,           // The store is damaged where the message would be written.
        retried_before,    // `retry_of` was sent again before, as `retried_as`.
        erased,            // `retry_of` has been erased: its text must not come back.
        recipient_taken,   // Its campaign sends to the recipient of `retry_of` again by itself.
        // `retry_of` is of a recipient of such a campaign, which would take the message back:
        campaign_paused,
        campaign_cancelled,
    };
    Result result = Result::stored;
};

/// Records that a send is about to begin, before the platform is called. Made only where recovery
/// needs it.
struct Intent {
    model::MessageId message;
    model::PhoneNumber device;
    model::Source source = model::Source::api;
    Timestamp queued_at;  // Its position in the lane's queue.
    /// Of a message that returns to its campaign if the account has suppressed this number since
    /// the message was queued. Empty: it is sent all the same.
    std::optional<model::PhoneNumber> unless_suppressed{};
    model::AccountId account{};

    // Where one of these is so, nothing was written, and the message must not be sent.
    bool damaged = false;
    bool recorded = true;  // False: the number is suppressed.
};

/// Ends a message: removes its queue row, adds its completion and callback rows, and refunds a
/// charged message that failed or was cancelled. A held message is not refunded.
struct Finish {
    std::unique_ptr<model::Message> message;
    Timestamp queued_at;
    model::Completion completion;
    std::optional<model::Callback> callback;
    std::optional<SentRecord> sent;             // What its device has sent; empty: no pace.
    std::vector<model::MessageEvent> events{};  // Written with the completion.
    /// The message returns to its campaign: it is removed as if it had never been, and its
    /// recipient is pending again, with its device. Of `completion`, `finished_at` alone is used.
    bool withdrawn = false;

    bool finished = false;  // False: the message was not in its lane, and was not changed.
    bool damaged = false;   // The store is damaged there, and nothing was written.
};

/// Puts a message back into its lane for a later attempt.
struct Reschedule {
    model::MessageId message;
    model::PhoneNumber device;
    model::Source source = model::Source::api;
    Timestamp queued_at;  // Its position in the lane's queue,
    Timestamp queue_at;   // and its new one: the time of the next attempt.
    std::uint32_t attempts = 0;
    std::optional<Timestamp> failing_since;  // As in QueuedMessage.
    std::uint32_t crashes = 0;               // The same.
    bool perhaps_sent = false;               // The same.
    bool as_template = false;                // The same.
    std::string last_details;                // Why the last attempt did not succeed.
    std::optional<SentRecord> sent;          // As in Finish.
    std::vector<model::MessageEvent> events{};

    bool rescheduled = false;  // False: the message was not in its lane.
    bool damaged = false;      // As in Finish.
};

/// Takes a message out of its lane, because its platform has accepted it and reports the outcome
/// later (Outcome::Kind::accepted), or may have it and would report that (Outcome::status_within).
/// From then on its platform id identifies it.
struct HandOver {
    model::MessageId message;
    model::PhoneNumber device;
    model::Source source = model::Source::api;
    Timestamp queued_at;      // Its position in the lane's queue.
    std::string platform_id;  // Empty: the answer was lost; a status that names it brings one.
    /// Queue time. If a status of the message is already recorded, the store sets this to 1970, so
    /// that the message is decided at once.
    Timestamp decide_by;
    std::uint32_t attempts = 0;
    bool perhaps_sent = false;  // Of the attempts before this one.
    model::WithoutStatus without_status = model::WithoutStatus::failed;
    std::optional<Timestamp> failing_since;                // As of Reschedule.
    std::uint32_t crashes = 0;                             // The same.
    bool as_template = false;                              // The same.
    std::shared_ptr<const model::SentTemplate> sent_as{};  // As in model::Outcome.
    std::optional<SentRecord> sent;                        // As in Finish.
    std::optional<Timestamp> at{};  // When the platform accepted it, by the wall clock; if it did.
    std::vector<model::MessageEvent> events{};

    bool handed_over = false;  // False: the message was not in its lane.
    bool damaged = false;      // As in Finish.
};

/// Records the progress of a callback, and its last attempt.
struct CallbackUpdate {
    model::EventId event;
    model::CallbackProgress progress;
    Millis took{0};        // Of the attempt.
    std::string answer{};  // As in model::CallbackAttempt.

    bool damaged = false;  // As in Finish.
};

/// A rare write (accounts, keys, devices, replay, retention). It runs inside the batch's
/// transaction, in a savepoint of its own, so that a failed change is undone alone. `result` is
/// `busy` if the disk was full, or if damage to another element undid this change, `unavailable` if
/// the database was away.
///
/// `run` must be repeatable: it may be called again after everything that it did in the store was
/// undone, and must then do the same. So it moves nothing out of what it captured, and sets its
/// results anew each time.
struct Change {
    std::move_only_function<Result<void>(Tables&)> run;
    /// The change records something that has already happened: a full disk does not refuse it, and
    /// `run` is called again until it is written.
    bool lasting = false;
    /// How many messages it may store (Tables::accept). If any, a nearly full disk refuses it.
    std::size_t accepts = 0;
    Result<void> result{};
};

/// One transaction. Each element succeeds or is refused by itself.
struct WriteBatch {
    std::vector<Finish> finishes;
    std::vector<Reschedule> reschedules;
    std::vector<HandOver> hand_overs;
    std::vector<Intent> intents;
    std::vector<CallbackUpdate> callback_updates;
    std::vector<Change> changes;
    std::vector<Accept> accepts;

    /// Set by the store: the rows that `changes` wrote, in the order of writing. Failed changes
    /// have none.
    std::vector<RowChange> row_changes;

    /// Set by a store that failed as `unavailable` and does not know yet whether the batch was
    /// committed: the next call of `write` has to have this batch, unchanged, and finds out.
    bool undecided = false;

    /// The vectors of elements, in the order in which they are written. What is done alike with
    /// every kind of element, by whomever, follows from this list.
    [[nodiscard]] auto kinds(this auto& self) noexcept {
        return std::tie(self.finishes, self.reschedules, self.hand_overs, self.intents,
                        self.callback_updates, self.changes, self.accepts);
    }

    /// Calls `visit` with each vector of elements.
    template <class Visit>
    void for_each_kind(Visit&& visit) {
        std::apply([&visit](auto&... elements) { (visit(elements), ...); }, kinds());
    }

    [[nodiscard]] bool empty() const noexcept {
        return std::apply([](const auto&... elements) { return (elements.empty() && ...); },
                          kinds());
    }
};

}  // namespace merpati::store
