// The hot writes: accepting, ending and putting back messages, and callbacks' progress.
#pragma once

#include <optional>
#include <unordered_map>

#include "store/sqlite/activity.hpp"
#include "store/sqlite/connection.hpp"
#include "store/sqlite/rows.hpp"
#include "store/write_batch.hpp"

namespace merpati::store::sqlite {

/// Balances of the accounts that one batch touches: read once, written once, however many messages
/// are charged. `flush` before anything else reads or writes balances.
class Credits {
public:
    explicit Credits(Connection& connection);

    /// Takes one credit. `uncounted` accounts pay nothing.
    enum class Charge : std::uint8_t { charged, uncounted, exhausted };
    [[nodiscard]] Charge charge(model::AccountId account);
    void give_back(model::AccountId account);

    void flush();
    /// After a rolled-back transaction.
    void forget() { balances_.clear(); }

private:
    struct Balance {
        std::optional<std::int64_t> credit;
        bool changed = false;
    };
    Balance& balance_of(model::AccountId account);

    Statement select_;
    Statement update_;
    std::unordered_map<model::AccountId, Balance> balances_;
};

/// Whose the devices are that one batch sends from: read once. `forget` when a device may have
/// changed.
class Senders {
public:
    explicit Senders(Connection& connection);

    /// Empty: there is no such device.
    [[nodiscard]] std::optional<model::AccountId> owner_of(model::PhoneNumber device);
    void forget() { owners_.clear(); }

private:
    Statement select_;
    std::unordered_map<model::PhoneNumber, std::optional<model::AccountId>> owners_;
};

/// Writes the elements of a batch, inside the transaction that sqlite_store.cpp opens.
class MessageWriter {
public:
    explicit MessageWriter(Connection& connection);

    void accept(Accept& accept);
    void finish(Finish& finish);
    void reschedule(Reschedule& reschedule);
    void hand_over(HandOver& hand_over);
    void record_intent(const Intent& intent);
    void update_callback(const CallbackUpdate& update);
    void add_callback(const model::Callback& callback);

    /// Writes what the batch's ends told of their lanes: one row a lane, however many they are.
    void flush_lanes();
    /// After a rolled-back transaction.
    void forget_lanes() { sent_.clear(); }

    Credits& credits() { return credits_; }
    Activity& activity() { return activity_; }
    Senders& senders() { return senders_; }

private:
    [[nodiscard]] bool repeats(Accept& accept);

    Connection& connection_;
    Credits credits_;
    Activity activity_;
    Senders senders_;
    Statement insert_message_;
    Statement insert_queue_;
    Statement delete_queue_;
    Statement mark_intent_;
    Statement insert_handed_over_;
    Statement insert_completion_;
    Statement insert_callback_;
    Statement update_callback_;
    Statement find_idempotency_;
    Statement insert_idempotency_;
    Statement put_sent_;
    std::unordered_map<model::PhoneNumber, SentRecord> sent_;  // The latest of each lane.
};

}  // namespace merpati::store::sqlite
