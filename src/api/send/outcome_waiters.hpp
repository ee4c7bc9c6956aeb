// Revision B's requests that wait for the outcome of their message.
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

/// Holds the right to answer, not a thread, for each waiting request.
///
/// Operation: `add` before the message can be sent; `finished` answers with the outcome; `expire`,
/// called by the daemon's tick, answers `pending` to those whose wait ran out. Where the request
/// carried an Idempotency-Key, the answer is stored before it is given.
///
/// Threads: any. Limits: one entry per open request, so http's limits bound it.
class OutcomeWaiters {
public:
    explicit OutcomeWaiters(store::Committer& committer) : committer_(committer) {}

    struct Waiter {
        CallResponder responder;     // Holds its key meanwhile: a repeat is answered that it waits.
        std::string pending_answer;  // The body for when the wait runs out.
        std::optional<store::IdempotencyRecord> idempotency;
        SteadyTime deadline;
    };

    void add(model::MessageId message, Waiter waiter);

    void finished(const model::Message& message, const model::Completion& completion);

    void expire(SteadyTime now);

    /// Answers `pending` to all, and at once to those that still come: the server stops, the
    /// messages are in the store.
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
