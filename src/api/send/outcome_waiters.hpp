// Requests of revision B that wait for the outcome of their message.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "api/call.hpp"
#include "base/clock.hpp"
#include "http/reply.hpp"
#include "model/message.hpp"
#include "model/outcome.hpp"
#include "store/committer.hpp"
#include "store/records.hpp"

namespace merpati::api {

/// Keeps the responder of each waiting request; no thread waits.
///
/// Operation: call `add` before the message can be sent. `finished` answers with the outcome.
/// `expire`, which the daemon calls regularly, answers `pending` to requests whose deadline has
/// passed, and forgets requests whose clients have hung up. If the request had an Idempotency-Key,
/// the answer is stored before it is sent; if the committer is busy or stopping, it is sent without
/// being stored.
///
/// Threads: any. Answers are sent on the caller's thread, or on the committer's.
///
/// Limits: one waiter per open request, so http's limits bound them.
class OutcomeWaiters {
public:
    /// How often `expire` looks for clients that have hung up, which takes time for each waiter.
    static constexpr std::chrono::seconds gone_every{1};

    explicit OutcomeWaiters(store::Committer& committer) : committer_(committer) {}

    struct Waiter {
        CallResponder responder;     // Holds the key: a repeat is refused idempotency_in_progress.
        model::AccountId account;    // Of the message.
        std::string pending_answer;  // The body if the deadline passes first.
        std::optional<store::IdempotencyRecord> idempotency;
        SteadyTime deadline;
    };

    void add(model::MessageId message, Waiter waiter);

    void finished(const model::Message& message, const model::Completion& completion);

    void expire(SteadyTime now);

    /// For an account that moves to another process: answers `pending` to those that wait for its
    /// messages.
    void release(model::AccountId account);

    /// For a stopping server: answers `pending` to all waiters, and at once to those added later.
    /// Their messages are in the store.
    void release_all();

private:
    void answer(Waiter waiter, http::Reply reply);
    void answer_pending(Waiter waiter);

    using Waiters = std::unordered_map<model::MessageId, Waiter>;
    /// Takes the waiter out, with its deadline. Call with the lock held.
    [[nodiscard]] Waiters::node_type extract(const model::MessageId& message);
    /// As above, all of which `is_meant` is true.
    template <class Predicate>
    [[nodiscard]] std::vector<Waiter> take(Predicate is_meant);

    store::Committer& committer_;
    std::mutex mutex_;
    bool released_ = false;
    Waiters waiters_;
    std::set<std::pair<SteadyTime, model::MessageId>> deadlines_;  // Of each waiter.
    SteadyTime looked_for_gone_at_{};
};

}  // namespace merpati::api
