#include "api/send/send.hpp"

#include <utility>

#include "api/send/answers.hpp"
#include "api/send/decode.hpp"

namespace merpati::api {

/// One call, until it is answered.
class Send::Entry final : public intake::Intake::Entry {
public:
    Entry(Send& send, CallResponder responder, std::optional<store::IdempotencyRecord> idempotency)
        : send_(send), responder_(std::move(responder)), idempotency_(std::move(idempotency)) {}

    void complete(store::Accept& accept, Millis delay) override {
        const auto& message = *accept.message;
        wait_ = send_.wait_for(message.revision, delay);
        const bool at_once = wait_ == Millis{0};
        if (at_once) {
            answer_ = send_.at_once_answer(message);
        }
        if (idempotency_) {
            idempotency_->message = message.id;
            if (at_once) {
                idempotency_->status = 200;
                idempotency_->answer = answer_;
            }
            accept.idempotency = idempotency_;
        }
    }

    void refused(Refusal refusal) override { responder_.answer(refuse(refusal)); }

    void stored(const store::Accept& accept) override {
        auto& rooms = send_.rooms_;
        if (accept.result != store::Accept::Result::stored) {
            responder_.answer(rooms.idempotency.repeat(*accept.idempotency, *idempotency_));
        } else if (wait_ == Millis{0}) {
            responder_.answer(http::Reply{.body = std::move(answer_)});
        } else {
            rooms.waiters.add(accept.message->id,
                              {.responder = std::move(responder_),
                               .account = accept.message->account,
                               .pending_answer = still_pending_answer(*accept.message),
                               .idempotency = std::move(idempotency_),
                               .deadline = rooms.clock.steady_now() + wait_});
        }
    }

private:
    Send& send_;
    CallResponder responder_;
    std::optional<store::IdempotencyRecord> idempotency_;
    Millis wait_{0};      // For the outcome; 0: answer when stored.
    std::string answer_;  // If there is no wait.
};

void Send::handle(Call&& call) {
    auto submission = decode(std::move(call.fields), call.revision);
    const auto account = call.principal.key.account;
    rooms_.intake.submit(
        std::move(submission), account->account, std::move(call.principal),
        std::make_shared<Entry>(*this, std::move(call.responder), std::move(call.idempotency)));
}

Millis Send::wait_for(model::Revision revision, Millis delay) const {
    const bool tells_outcome = revision == model::Revision::b && options_.revision_b_outcome;
    return tells_outcome ? delay + options_.revision_b_wait : Millis{0};
}

/// The answer before the outcome is known. `sent` is a guess, which the operator has chosen by
/// turning `revision_b_outcome` off.
std::string Send::at_once_answer(const model::Message& message) const {
    if (message.revision == model::Revision::a) {
        return accepted_answer(message);
    }
    return options_.revision_b_outcome ? still_pending_answer(message) : sent_answer(message);
}

}  // namespace merpati::api
