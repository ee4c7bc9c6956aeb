#include "api/idempotency.hpp"

#include <algorithm>

namespace merpati::api {
namespace {

constexpr std::size_t key_bytes_max = 255;

}  // namespace

void KeyedResponder::answer(http::Reply reply) {
    hold_.release();
    reply.headers += headers_;
    responder_.send(std::move(reply));
}

std::optional<KeyedResponder> Idempotency::enter(const Caller& caller, http::Responder responder,
                                                 const Recall& recall) {
    KeyedResponder keyed{std::move(responder), caller.headers};
    if (!caller.idempotency) {
        return keyed;
    }
    auto taken = keys_under_way_.take(*caller.idempotency);
    if (const auto* other = std::get_if<Sha256>(&taken)) {
        keyed.answer(answer_beside(caller, *other, recall));
        return std::nullopt;
    }
    keyed.hold(std::get<KeysUnderWay::Hold>(std::move(taken)));
    if (const auto first = first_request(caller)) {
        keyed.answer(repeat_answer(*first, *caller.idempotency, caller.revision, recall));
        return std::nullopt;
    }
    return keyed;
}

http::Reply Idempotency::repeat_answer(const store::IdempotencyRecord& first,
                                       const store::IdempotencyRecord& now,
                                       model::Revision revision, const Recall& recall) const {
    if (first.fingerprint != now.fingerprint) {
        return refused(Refusal::idempotency_key_reused, revision);
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

/// The answer to a request while another with its key is under way, which has that fingerprint.
http::Reply Idempotency::answer_beside(const Caller& caller, const Sha256& under_way,
                                       const Recall& recall) {
    // Two repeats of an answered request may meet, or its answer be just on its way.
    const auto first = first_request(caller);
    if (first && first->status != 0) {
        return repeat_answer(*first, *caller.idempotency, caller.revision, recall);
    }
    if (under_way != caller.idempotency->fingerprint) {
        return refused(Refusal::idempotency_key_reused, caller.revision);
    }
    auto reply = refused(Refusal::idempotency_in_progress, caller.revision);
    reply.add_header("Retry-After", "1");
    return reply;
}

/// The request that was carried out with the caller's key in the last 24 hours. Where the store
/// cannot be read, the transaction will find it.
std::optional<store::IdempotencyRecord> Idempotency::first_request(const Caller& caller) {
    const std::lock_guard lock{reader_mutex_};
    if (reader_ == nullptr) {
        if (auto opened = store_.open_reader()) {
            reader_ = std::move(*opened);
        }
    }
    if (reader_ == nullptr) {
        return std::nullopt;
    }
    auto first = reader_->idempotency(caller.account().id, caller.idempotency->key);
    return first && *first && (*first)->holds(caller.idempotency->created_at) ? std::move(*first)
                                                                              : std::nullopt;
}

http::Reply Idempotency::refused(Refusal refusal, model::Revision revision) const {
    entrance_.note(refusal);
    return failure(refusal, revision);
}

bool well_formed_idempotency_key(std::string_view key) noexcept {
    return !key.empty() && key.size() <= key_bytes_max &&
           std::ranges::all_of(key, [](char c) { return c >= 0x20 && c < 0x7f; });
}

store::IdempotencyRecord idempotency_record(const http::Request& request, std::string_view key,
                                            std::string_view revision, model::AccountId account,
                                            Timestamp now) {
    store::IdempotencyRecord record;
    record.account = account;
    record.key = key;
    record.created_at = now;
    std::string scope{request.path};
    scope += '\n';
    scope += revision;
    scope += '\n';
    scope += request.body;
    record.fingerprint = sha256(scope);
    return record;
}

}  // namespace merpati::api
