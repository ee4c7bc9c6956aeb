#include "api/send/send.hpp"

#include <utility>

#include "api/send/answers.hpp"
#include "api/send/decode.hpp"
#include "api/send/judge.hpp"

namespace merpati::api {

/// What is needed to answer once the message is stored.
struct Send::Pending {
    CallResponder responder;
    std::chrono::milliseconds wait{0};  // For the outcome; 0: answer when stored.
    std::string answer;                 // If there is no wait.
    std::optional<store::IdempotencyRecord> idempotency;
};

Send::Send(Rooms rooms, SendOptions options) : rooms_(rooms), options_(options) {}
Send::~Send() = default;

void Send::handle(Call&& call) {
    auto message =
        rooms_.admission.admit(decode(std::move(call.fields), call.revision), call.principal);
    if (!message) {
        call.responder.answer(pass(message));
    } else if ((*message)->type == model::MessageType::media) {
        probe(std::move(call), std::move(*message));
    } else {
        store_message(std::move(call), std::move(*message));
    }
}

void Send::probe(Call&& call, std::unique_ptr<model::Message> message) {
    const auto account = message->account;
    const auto revision = message->revision;
    auto url = message->media_url;
    rooms_.media_fetcher.probe(account, std::move(url), revision,
                               [this, call = std::move(call),
                                message = std::move(message)](media::ProbeVerdict verdict) mutable {
                                   if (auto passed = judge(verdict, call.revision); !passed) {
                                       call.responder.answer(pass(passed));
                                       return;
                                   }
                                   store_message(std::move(call), std::move(message));
                               });
}

void Send::store_message(Call&& call, std::unique_ptr<model::Message> message) {
    // The delay begins now, after the probe of a file, and is counted in queue time.
    const auto delay = message->due_at - message->accepted_at;
    message->accepted_at = rooms_.clock.wall_now();
    message->due_at = rooms_.clock.now() + delay;
    message->id = rooms_.ids.next();
    const bool tells_outcome = call.revision == model::Revision::b && options_.revision_b_outcome;
    const auto wait = tells_outcome ? delay + options_.revision_b_wait : Millis{0};
    std::string answer;
    if (wait == Millis{0}) {
        answer = at_once_answer(*message);
    }
    store::Accept accept;
    if (call.idempotency) {
        call.idempotency->message = message->id;
        if (wait == Millis{0}) {
            call.idempotency->status = 200;
            call.idempotency->answer = answer;
        }
        accept.idempotency = call.idempotency;
    }
    auto pending = std::make_shared<Pending>(Pending{.responder = std::move(call.responder),
                                                     .wait = wait,
                                                     .answer = std::move(answer),
                                                     .idempotency = std::move(call.idempotency)});
    accept.message = std::move(message);
    const bool taken = rooms_.committer.accept(
        std::move(accept),
        [this, pending](store::Accept&& done) { stored(std::move(done), std::move(*pending)); });
    if (!taken) {
        pending->responder.answer(refuse(Refusal::overloaded));
    }
}

/// The answer before the outcome is known. `sent` is a guess, which the operator has chosen by
/// turning `revision_b_outcome` off.
std::string Send::at_once_answer(const model::Message& message) const {
    if (message.revision == model::Revision::a) {
        return accepted_answer(message);
    }
    return options_.revision_b_outcome ? still_pending_answer(message) : sent_answer(message);
}

void Send::stored(store::Accept&& accept, Pending&& pending) {
    if (auto passed = judge(accept); !passed) {
        pending.responder.answer(pass(passed));
        return;
    }
    if (accept.result != store::Accept::Result::stored) {
        pending.responder.answer(
            rooms_.idempotency.repeat(*accept.idempotency, *pending.idempotency));
        return;
    }
    if (on_accepted) {
        on_accepted(*accept.message);
    }
    if (pending.wait.count() > 0) {
        rooms_.waiters.add(accept.message->id,
                           {.responder = std::move(pending.responder),
                            .pending_answer = still_pending_answer(*accept.message),
                            .idempotency = std::move(pending.idempotency),
                            .deadline = rooms_.clock.steady_now() + pending.wait});
    } else {
        pending.responder.answer(http::Reply{.body = std::move(pending.answer)});
    }
    rooms_.scheduler.accepted(std::move(accept.message));
}

}  // namespace merpati::api
