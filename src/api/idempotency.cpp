#include "api/idempotency.hpp"

#include <algorithm>
#include <utility>

#include "api/send/answers.hpp"

namespace merpati::api {
namespace {

constexpr std::size_t key_bytes_max = 255;

}  // namespace

store::IdempotencyRecord Idempotency::record_of(const http::Request& request, std::string_view key,
                                                std::string_view revision, model::AccountId account,
                                                Timestamp now) const {
    return idempotency_record(store_,
                              {.path = request.path, .revision = revision, .body = request.body},
                              key, account, now);
}

void Idempotency::start() {
    look_ups_.on_fault = on_fault;
    look_ups_.start();
}

void Idempotency::enter(Call&& call, Proceed proceed) {
    auto hold = keys_in_flight_.take(*call.idempotency);
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
    if (put != manage::Workers::Put::taken) {
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
    auto first = readers_.read(
        [&](store::Reader& reader) { return reader.idempotency(now.account, now.key); });
    return first && *first && (*first)->holds(now.created_at) ? std::move(*first) : std::nullopt;
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

store::IdempotencyRecord idempotency_record(const store::Store& store, const FirstRequest& request,
                                            std::string_view key, model::AccountId account,
                                            Timestamp now) {
    store::IdempotencyRecord record;
    record.account = account;
    record.key = key;
    record.created_at = now;
    std::string scope{request.path};
    scope += '\n';
    scope += request.revision;
    scope += '\n';
    scope += request.body;
    record.fingerprint = store.fingerprint(scope);
    return record;
}

bool well_formed_idempotency_key(std::string_view key) noexcept {
    return !key.empty() && key.size() <= key_bytes_max &&
           std::ranges::all_of(key, [](char c) { return c >= 0x20 && c < 0x7f; });
}

}  // namespace merpati::api
