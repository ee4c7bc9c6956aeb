// What handlers ask of the messages of a running server, or of a stopped server's store.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "admission/principal.hpp"
#include "api/send/single_send.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "model/message.hpp"
#include "scheduler/scheduler.hpp"
#include "store/records.hpp"

namespace merpati::api::manage {

/// Operations on messages that differ between a running server, whose scheduler owns waiting
/// messages, and a stopped server's store.
class MessageControl {
public:
    virtual ~MessageControl() = default;

    /// Ends a waiting message as cancelled. Returns when that is durable.
    /// Errors: conflict (it is being sent, or has ended), busy (its account is moving to another
    /// process), timeout, store_failed, shutting_down.
    [[nodiscard]] virtual Result<void> cancel(store::QueuedMessage message) = 0;

    /// Ends these as cancelled. Returns, when that is durable, how many were. Messages that are
    /// being sent or have ended are left alone. Errors: busy (the account is moving to another
    /// process, so that some still wait), timeout, store_failed, shutting_down.
    [[nodiscard]] virtual Result<std::size_t> cancel_all(
        std::vector<store::QueuedMessage> messages) = 0;

    /// Ends a held message as failed. The same commit refunds its credit and stores its callback.
    /// Returns when that is durable. Errors: not_found, conflict (not held), elsewhere
    /// (another node works for the account now), store_failed.
    [[nodiscard]] virtual Result<void> fail_held(model::Message message) = 0;

    /// Makes a waiting message due now. Returns when that is durable.
    /// Errors: conflict (it is being sent, or has ended), timeout, store_failed, shutting_down.
    [[nodiscard]] virtual Result<void> hasten(store::QueuedMessage message) = 0;

    /// Sends a failed or cancelled message again as a new one, and answers the new message's id.
    /// Errors: refused (by admission, or the server is stopped), forbidden (the caller has lost its
    /// rights meanwhile), conflict (it was sent again before), busy, timeout.
    [[nodiscard]] virtual Result<model::MessageId> retry(const model::Message& failed,
                                                         const admission::Principal& caller) = 0;

    /// Sends a new message; it counts against the rate of the account's sends. Errors: refused (the
    /// server is stopped), forbidden (the caller has lost its rights meanwhile), timeout.
    [[nodiscard]] virtual Result<SingleSend::Sent> send(SingleMessage message,
                                                        const admission::Principal& caller) = 0;

    /// What a waiting message waits for. Empty: there is no scheduler, or it did not answer; the
    /// caller must derive it from the rows.
    [[nodiscard]] virtual std::optional<scheduler::Wait> wait_of(store::QueuedMessage message) = 0;

    /// Call after a held message was put back into its lane, due at `due`.
    virtual void released(const model::Message& message, Timestamp due) = 0;
};

}  // namespace merpati::api::manage
