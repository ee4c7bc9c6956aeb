#include "api/idempotency.hpp"

#include <utility>

#include "api/send/answers.hpp"

namespace merpati::api {

store::IdempotencyRecord Idempotency::record_of(const http::Request& request, std::string_view key,
                                                std::string_view revision, model::AccountId account,
                                                Timestamp now) const {
    return ledger_.record(account, std::string{key},
                          published_request(request.path, revision, request.body), now);
}

void Idempotency::start() {
    look_ups_.on_fault = on_fault;
    look_ups_.start();
}

void Idempotency::enter(Call&& call, Proceed proceed) {
    auto hold = ledger_.hold(*call.idempotency);
    std::optional<Sha256> in_flight;
    if (hold) {
        call.responder.hold(std::move(*hold));
    } else {
        in_flight = hold.error();
    }
    const manage::Share share{.kind = manage::Share::Kind::account,
                              .id = call.idempotency->account.value};
    auto waiting = std::make_shared<Call>(std::move(call));
    const auto put = look_ups_.put(
        share, [this, waiting, in_flight, proceed = std::move(proceed)](bool runs) mutable {
            if (runs) {
                look_up(std::move(*waiting), in_flight, proceed);
            } else {
                waiting->responder.answer(refuse(Refusal::overloaded));
            }
        });
    if (put != manage::CallThreads::Put::taken) {
        waiting->responder.answer(refuse(Refusal::overloaded));
    }
}

void Idempotency::look_up(Call&& call, const std::optional<Sha256>& in_flight, Proceed& proceed) {
    const auto& now = *call.idempotency;
    if (auto held = rights_.check(call.principal); !held) {
        call.responder.answer(pass(held));
    } else if (in_flight) {
        call.responder.answer(answer_beside(now, *in_flight));
    } else if (const auto first = first_request(now)) {
        call.responder.answer(repeat(*first, now));
    } else {
        proceed(std::move(call));
    }
}

Checked<http::Reply> Idempotency::repeat(const store::IdempotencyRecord& first,
                                         const store::IdempotencyRecord& now) const {
    if (first.fingerprint != now.fingerprint) {
        return refuse(Refusal::idempotency_key_reused);
    }
    http::Reply reply;
    if (first.status != 0) {
        reply.status = first.status;
        reply.body = first.answer;
    } else {
        reply = recall(first);
    }
    reply.add_header("Idempotent-Replayed", "true");
    return reply;
}

/// The answer to a request while another one with its key is in flight. `in_flight` is the
/// fingerprint of that other request.
Checked<http::Reply> Idempotency::answer_beside(const store::IdempotencyRecord& now,
                                                const Sha256& in_flight) {
    // The other request may be a repeat too, or its answer may be stored but not sent yet.
    const auto first = first_request(now);
    if (first && first->status != 0) {
        return repeat(*first, now);
    }
    return refuse(in_flight == now.fingerprint ? Refusal::idempotency_in_progress
                                               : Refusal::idempotency_key_reused);
}

/// The request that was carried out with the key in the last 24 hours. Empty also where the store
/// cannot be read: the operation's transaction looks again.
std::optional<store::IdempotencyRecord> Idempotency::first_request(
    const store::IdempotencyRecord& now) {
    auto first = ledger_.first(now);
    return first ? *std::move(first) : std::nullopt;
}

/// The answer to a repeat of a request that was carried out but never answered, from the state of
/// its message. Only requests of revision B that wait for the outcome are stored without an answer.
http::Reply Idempotency::recall(const store::IdempotencyRecord& first) const {
    if (first.message) {
        const auto record =
            readers_.read([&](store::Reader& reader) { return reader.message(*first.message); });
        if (record && *record) {
            return outcome_answer((*record)->message,
                                  (*record)->completion.value_or(
                                      model::Completion{.state = model::MessageState::pending}));
        }
    }
    return failure(Refusal::internal);
}

std::string published_request(std::string_view path, std::string_view revision,
                              std::string_view body) {
    std::string request{path};
    request += '\n';
    request += revision;
    request += '\n';
    request += body;
    return request;
}

}  // namespace merpati::api
