// The elements of one transaction.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "store/records.hpp"
#include "store/tables.hpp"

namespace merpati::store {

/// Stores a message: message row, queue row, credit charge and idempotency record, or nothing.
struct Accept {
    std::unique_ptr<model::Message> message;  // `charged` is set by the store.
    std::optional<IdempotencyRecord> idempotency;
    /// The message that this one sends again; both get an event that names the other.
    std::optional<model::MessageId> retry_of{};

    enum class Result : std::uint8_t {
        stored,
        credit_exhausted,  // The account counts credit and has none left.
        repeated,          // The key was used with this fingerprint: `idempotency` is that record.
        key_reused,        // The key was used with another fingerprint.
        sender_gone,       // The device was removed, or belongs to another account now.
        no_room,           // The disk is full, or nearly.
        damaged,           // The store is damaged where it was to be written.
        retried_before,    // `retry_of` was sent again before; it is set to that message's id.
    };
    Result result = Result::stored;
};

/// Records that a send is about to begin, before the platform is called. Written only if recovery
/// needs it.
struct Intent {
    model::MessageId message;
    model::PhoneNumber device;
    model::Source source = model::Source::api;
    Timestamp queued_at;  // Its position in the lane's queue.

    bool damaged = false;  // It is not recorded, and the message must not be sent.
};

/// Ends a message: queue row removed, completion row, credit given back if it was charged and the
/// state is failed or cancelled, callback row. `held` gives no credit back.
struct Finish {
    std::unique_ptr<model::Message> message;
    Timestamp queued_at;
    model::Completion completion;
    std::optional<model::Callback> callback;
    std::optional<SentRecord> sent;             // What its device has sent by then; empty: no pace.
    std::vector<model::MessageEvent> events{};  // Written with it.

    bool finished = false;  // False: it had ended before, and nothing was written.
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
    std::string last_details;                // Why the last attempt did not succeed.
    std::optional<SentRecord> sent;          // As in Finish.
    std::vector<model::MessageEvent> events{};

    bool rescheduled = false;  // False: it had ended before.
    bool damaged = false;      // As in Finish.
};

/// Takes a message out of its lane whose platform has accepted it and reports the outcome later
/// (Outcome::Kind::accepted). From then on it is found by its platform id.
struct HandOver {
    model::MessageId message;
    model::PhoneNumber device;
    model::Source source = model::Source::api;
    Timestamp queued_at;  // Its position in the lane's queue.
    std::string platform_id;
    /// Queue time. If a status of the message was recorded before, the store sets it to the
    /// earliest time, so that the message is decided at once.
    Timestamp decide_by;
    std::uint32_t attempts = 0;
    std::optional<SentRecord> sent;  // As in Finish.
    Timestamp at{};                  // When it was, by the wall clock.
    std::vector<model::MessageEvent> events{};

    bool handed_over = false;  // False: it had ended before.
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
/// transaction, in a savepoint of its own: a failed one is undone alone. `busy`: the disk is full.
struct Change {
    std::move_only_function<Result<void>(Tables&)> run;
    /// It records what has happened already: a full disk does not refuse it, and `run` is called
    /// again until it is written.
    bool lasting = false;
    Result<void> result{};
};

/// One transaction. Each element succeeds or is refused by itself, without effect on the others.
struct WriteBatch {
    std::vector<Finish> finishes;
    std::vector<Reschedule> reschedules;
    std::vector<HandOver> hand_overs;
    std::vector<Intent> intents;
    std::vector<CallbackUpdate> callback_updates;
    std::vector<Change> changes;
    std::vector<Accept> accepts;

    /// Set by the store: the rows that `changes` wrote, in that order, without those of a change
    /// that failed.
    std::vector<RowChange> row_changes;

    /// Calls `visit` with each vector of elements, in the order in which they are written.
    template <class Visit>
    void for_each_kind(Visit&& visit) {
        visit(finishes);
        visit(reschedules);
        visit(hand_overs);
        visit(intents);
        visit(callback_updates);
        visit(changes);
        visit(accepts);
    }

    [[nodiscard]] bool empty() const noexcept {
        return finishes.empty() && reschedules.empty() && hand_overs.empty() && intents.empty() &&
               callback_updates.empty() && changes.empty() && accepts.empty();
    }
};

}  // namespace merpati::store
