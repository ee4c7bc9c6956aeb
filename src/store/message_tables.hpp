// Messages, their callbacks and repeated requests, as a Change reads and writes them.
#pragma once

#include <optional>
#include <string_view>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "store/records.hpp"

namespace merpati::store {

struct Accept;

/// A part of Tables.
class MessageTables {
public:
    virtual ~MessageTables() = default;

    /// Stores a message as one of WriteBatch::accepts, so that a change may store many and decide
    /// by their results. Set Change::accepts.
    virtual void accept(Accept& accept) = 0;

    /// Puts a held message back into its lane, due at `due` (queue time); it is perhaps_sent. `at`:
    /// the present by the wall clock. Errors: not_found, conflict (not held), refused (its device
    /// was removed, or belongs to another account now).
    virtual Result<void> release_message(model::MessageId message, Timestamp due, Timestamp at) = 0;

    /// Ends a held message with `completion`, except its attempts and platform id, which stay as
    /// they were. Refunds the message if it was charged, and stores the callback, which is not
    /// reported as a row. Errors: not_found, conflict (not held).
    virtual Result<void> fail_message(model::MessageId message, const model::Completion& completion,
                                      const std::optional<model::Callback>& callback) = 0;

    /// Records a step of a message that is in the store.
    virtual Result<void> note_event(model::MessageId message, const model::MessageEvent& event) = 0;
    /// The account of the message; empty: there is no such message, or it is not of this device.
    virtual Result<std::optional<model::AccountId>> owner_of_message(
        model::MessageId message, std::optional<model::PhoneNumber> device) = 0;

    /// Stores a callback that no Finish brings, such as those of device webhooks.
    virtual Result<void> add_callback(const model::Callback& callback) = 0;
    /// Makes a callback that has ended due at `due` (queue time) and counts its attempts from 0
    /// again. `at`: the present by the wall clock. The caller wakes its endpoint: the row is not
    /// reported. Errors: not_found, conflict (it waits).
    virtual Result<void> replay_callback(model::EventId event, Timestamp due, Timestamp at) = 0;

    virtual Result<std::optional<IdempotencyRecord>> find_idempotency(model::AccountId account,
                                                                      std::string_view key) = 0;
    virtual Result<void> put_idempotency(const IdempotencyRecord& record) = 0;
    /// Stores the record if its key is free: unused, or expired by the record's time. While another
    /// process that shares the database is claiming the key, waits for its commit. False: taken.
    virtual Result<bool> claim_idempotency(const IdempotencyRecord& record) = 0;
};

}  // namespace merpati::store
