#include "api/send/outcome_waiters.hpp"

#include "api/send/answers.hpp"

namespace merpati::api {

void OutcomeWaiters::add(model::MessageId message, Waiter waiter) {
    std::unique_lock lock{mutex_};
    if (released_) {
        lock.unlock();
        answer_pending(std::move(waiter));
        return;
    }
    deadlines_.push({.time = waiter.deadline, .message = message});
    waiters_.emplace(message, std::move(waiter));
}

void OutcomeWaiters::finished(const model::Message& message, const model::Completion& completion) {
    std::unique_lock lock{mutex_};
    auto found = waiters_.extract(message.id);
    lock.unlock();
    if (!found.empty()) {
        answer(std::move(found.mapped()), outcome_answer(message, completion));
    }
}

void OutcomeWaiters::expire(SteadyTime now) {
    std::vector<Waiter> late;
    {
        const std::lock_guard lock{mutex_};
        while (!deadlines_.empty() && deadlines_.top().time <= now) {
            // A waiter that was answered before is no longer in the map.
            if (auto found = waiters_.extract(deadlines_.top().message); !found.empty()) {
                late.push_back(std::move(found.mapped()));
            }
            deadlines_.pop();
        }
    }
    for (auto& waiter : late) {
        answer_pending(std::move(waiter));
    }
}

void OutcomeWaiters::release_all() {
    {
        const std::lock_guard lock{mutex_};
        released_ = true;
    }
    expire(SteadyTime::max());
}

void OutcomeWaiters::answer_pending(Waiter waiter) {
    http::Reply reply;
    reply.body = waiter.pending_answer;
    answer(std::move(waiter), std::move(reply));
}

void OutcomeWaiters::answer(Waiter waiter, http::Reply reply) {
    if (!waiter.idempotency) {
        waiter.responder.answer(std::move(reply));
        return;
    }
    auto record = *waiter.idempotency;
    record.status = reply.status;
    record.answer = reply.body;
    struct Answer {
        CallResponder responder;
        http::Reply reply;
    };
    auto given = std::make_shared<Answer>(std::move(waiter.responder), std::move(reply));
    const bool taken = committer_.change(
        [record = std::move(record)](store::Tables& tables) {
            return tables.put_idempotency(record);
        },
        [given](const Result<void>&) { given->responder.answer(std::move(given->reply)); });
    if (!taken) {
        // Busy or stopping. A repeat will be answered from the state of the message.
        given->responder.answer(std::move(given->reply));
    }
}

}  // namespace merpati::api
