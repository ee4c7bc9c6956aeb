// Requests of revision B that wait for the outcome of their message.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <queue>
#include <unordered_map>
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
/// passed. If the request had an Idempotency-Key, the answer is stored before it is sent; if the
/// committer is busy or stopping, it is sent without being stored.
///
/// Threads: any. Answers are sent on the caller's thread, or on the committer's.
///
/// Limits: one waiter per open request, so http's limits bound them. An entry in the queue of
/// deadlines stays until its deadline, also if the request was answered before.
class OutcomeWaiters {
public:
    explicit OutcomeWaiters(store::Committer& committer) : committer_(committer) {}

    struct Waiter {
        CallResponder responder;     // Holds the key: a repeat is refused idempotency_in_progress.
        std::string pending_answer;  // The body if the deadline passes first.
        std::optional<store::IdempotencyRecord> idempotency;
        SteadyTime deadline;
    };

    void add(model::MessageId message, Waiter waiter);

    void finished(const model::Message& message, const model::Completion& completion);

    void expire(SteadyTime now);

    /// For a stopping server: answers `pending` to all waiters, and at once to those added later.
    /// Their messages are in the store.
    void release_all();

private:
    void answer(Waiter waiter, http::Reply reply);
    void answer_pending(Waiter waiter);

    struct Deadline {
        SteadyTime time;
        model::MessageId message;
        bool operator>(const Deadline& other) const { return time > other.time; }
    };

    store::Committer& committer_;
    std::mutex mutex_;
    bool released_ = false;
    std::unordered_map<model::MessageId, Waiter> waiters_;
    std::priority_queue<Deadline, std::vector<Deadline>, std::greater<>> deadlines_;
};

}  // namespace merpati::api
