// Everything one transaction does.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "model/callback.hpp"
#include "model/message.hpp"
#include "model/outcome.hpp"
#include "store/idempotency.hpp"
#include "store/lane_record.hpp"
#include "store/row_change.hpp"
#include "store/tables.hpp"

namespace merpati::store {

/// Stores a message: message row, queue row, credit charge and idempotency record, or nothing.
struct Accept {
    std::unique_ptr<model::Message> message;  // `charged` is set by the store.
    std::optional<IdempotencyRecord> idempotency;

    enum class Result : std::uint8_t {
        stored,
        credit_exhausted,  // The account counts credit and has none left.
        repeated,     // The same key and fingerprint came before: `idempotency` is that record.
        key_reused,   // The same key came before with another fingerprint.
        sender_gone,  // The device is not there any more, or is another account's now.
        no_room,      // The disk is full, or nearly.
        damaged,      // Where it belongs the store cannot be read.
    };
    Result result = Result::stored;
};

/// Records, before the platform is called, that it is about to be. Written only where recovery
/// would decide by it.
struct Intent {
    model::MessageId message;
    model::PhoneNumber device;
    model::Source source = model::Source::api;
    Timestamp queued_at;  // Where the message stands in its lane's queue.

    bool damaged = false;  // It is not recorded: do not send.
};

/// Ends a message: queue row removed, completion row, credit given back if it was charged and the
/// state is failed or cancelled, callback row. `held` gives no credit back.
struct Finish {
    std::unique_ptr<model::Message> message;
    Timestamp queued_at;
    model::Completion completion;
    std::optional<model::Callback> callback;
    std::optional<SentRecord> sent;  // What its device has sent by then, where that is to be kept.

    bool finished = false;  // False: no queue row was there (ended before), so nothing was done.
    bool damaged = false;   // Where it belongs the store cannot be read: nothing was done.
};

/// Puts a message back into its lane for a later attempt.
struct Reschedule {
    model::MessageId message;
    model::PhoneNumber device;
    model::Source source = model::Source::api;
    Timestamp queued_at;  // Where it stands now.
    Timestamp queue_at;   // Where it shall stand: the time of the next attempt.
    std::uint32_t attempts = 0;
    std::optional<Timestamp> failing_since;  // As in QueuedMessage.
    std::string last_details;                // Why the last attempt did not succeed.
    std::optional<SentRecord> sent;          // As in Finish.

    bool rescheduled = false;
    bool damaged = false;  // Where it belongs the store cannot be read: nothing was done.
};

/// Takes a message out of its lane that its platform took, and said that it will tell later what
/// became of it (Outcome::Kind::accepted). From now on it is found by its platform id.
struct HandOver {
    model::MessageId message;
    model::PhoneNumber device;
    model::Source source = model::Source::api;
    Timestamp queued_at;  // Where it stands in its lane's queue.
    std::string platform_id;
    /// In queue time. Where the platform spoke of it already, the store makes it the earliest time
    /// of all.
    Timestamp decide_by;
    std::uint32_t attempts = 0;
    std::optional<SentRecord> sent;  // As in Finish.

    bool handed_over = false;  // False: no queue row was there (ended before).
    bool damaged = false;      // Where it belongs the store cannot be read: nothing was done.
};

/// Records how far a callback has come.
struct CallbackUpdate {
    model::EventId event;
    model::CallbackProgress progress;

    bool damaged = false;  // Where it belongs the store cannot be read: nothing was done.
};

/// A rare write (accounts, keys, devices, replay, pruning). It runs inside the batch's transaction
/// in a savepoint of its own: a failed one is undone alone. `busy`: the disk is full.
struct Change {
    std::move_only_function<Result<void>(Tables&)> run;
    /// It says what has happened already, and `run` may be called more than once: a full disk does
    /// not refuse it, it is written again.
    bool lasting = false;
    Result<void> result{};
};

/// One transaction. Elements succeed or are refused each on its own; none poisons the others.
struct WriteBatch {
    std::vector<Finish> finishes;
    std::vector<Reschedule> reschedules;
    std::vector<HandOver> hand_overs;
    std::vector<Intent> intents;
    std::vector<CallbackUpdate> callback_updates;
    std::vector<Change> changes;
    std::vector<Accept> accepts;

    /// Filled by the store: the rows that `changes` wrote, in their order, without those of a
    /// change that failed.
    std::vector<RowChange> row_changes;

    [[nodiscard]] bool empty() const noexcept {
        return finishes.empty() && reschedules.empty() && hand_overs.empty() && intents.empty() &&
               callback_updates.empty() && changes.empty() && accepts.empty();
    }
};

}  // namespace merpati::store
