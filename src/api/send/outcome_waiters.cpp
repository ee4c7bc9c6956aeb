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
    deadlines_.emplace(waiter.deadline, message);
    waiters_.emplace(message, std::move(waiter));
}

void OutcomeWaiters::finished(const model::Message& message, const model::Completion& completion) {
    std::unique_lock lock{mutex_};
    auto found = extract(message.id);
    lock.unlock();
    if (!found.empty()) {
        answer(std::move(found.mapped()), outcome_answer(message, completion));
    }
}

template <class Predicate>
std::vector<OutcomeWaiters::Waiter> OutcomeWaiters::take(Predicate is_meant) {
    std::vector<Waiter> taken;
    for (auto next = waiters_.begin(); next != waiters_.end();) {
        const auto waiter = next++;
        if (is_meant(waiter->second)) {
            taken.push_back(std::move(extract(model::MessageId{waiter->first}).mapped()));
        }
    }
    return taken;
}

void OutcomeWaiters::expire(SteadyTime now) {
    std::vector<Waiter> late;
    std::vector<Waiter> gone;  // Destroyed without the lock.
    {
        const std::lock_guard lock{mutex_};
        while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
            auto found = extract(deadlines_.begin()->second);
            late.push_back(std::move(found.mapped()));
        }
        if (now - looked_for_gone_at_ >= gone_every) {
            looked_for_gone_at_ = now;
            gone = take([](const Waiter& waiter) { return waiter.responder.is_gone(); });
        }
    }
    for (auto& waiter : late) {
        answer_pending(std::move(waiter));
    }
}

OutcomeWaiters::Waiters::node_type OutcomeWaiters::extract(const model::MessageId& message) {
    auto found = waiters_.extract(message);
    if (!found.empty()) {
        deadlines_.erase({found.mapped().deadline, message});
    }
    return found;
}

void OutcomeWaiters::release(model::AccountId account) {
    std::vector<Waiter> released;
    {
        const std::lock_guard lock{mutex_};
        released = take([account](const Waiter& waiter) { return waiter.account == account; });
    }
    for (auto& waiter : released) {
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
