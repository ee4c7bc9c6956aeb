#include "api/manage/engine/idempotency_answers.hpp"

#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "api/manage/engine/manage.hpp"

namespace merpati::api::manage {
namespace {

Outcome in_progress() {
    return with_retry_after(problem(409, "idempotency_in_progress",
                                    "the first request with this Idempotency-Key is still running"),
                            std::chrono::seconds{1});
}

Outcome key_reused() {
    return problem(422, "idempotency_key_reused",
                   "this Idempotency-Key came before with another request");
}

}  // namespace

store::IdempotencyRecord idempotency_record(const IdempotencyLedger& ledger, const Request& request,
                                            const admission::Principal& caller, Timestamp now) {
    model::AccountId account;
    std::string key;
    if (caller.kind == admission::Principal::Kind::api_key) {
        account = caller.key.key->account;
    } else {
        key = caller.person ? caller.person->id.text() + ' ' : "local ";
    }
    key += *request.head.idempotency_key;
    // A key with the scope admin may act in other accounts. The account's other keys must not get
    // those answers.
    return ledger.record(
        account, std::move(key),
        fmt::format("{}{} {}?{}\n{}", caller.is_administrator() ? "admin " : "",
                    http::to_string(request.method), request.path, request.query, request.body),
        now);
}

Outcome idempotency_key_malformed() {
    return problem(400, "invalid_argument",
                   "the Idempotency-Key must be 1 to 255 printable characters");
}

Outcome beside(const Sha256& in_flight, const store::IdempotencyRecord& now) {
    return in_flight == now.fingerprint ? in_progress() : key_reused();
}

Outcome repeat_of(const store::IdempotencyRecord& first, const store::IdempotencyRecord& now) {
    if (first.fingerprint != now.fingerprint) {
        return key_reused();
    }
    if (first.status == 0) {
        return problem(409, "idempotency_unfinished",
                       "the first request with this Idempotency-Key was carried out, at least in "
                       "part, but never answered: look before you ask for it with another key");
    }
    return {.status = first.status,
            .body = first.answer,
            .headers = std::string{not_stored} + "Idempotent-Replayed: true\r\n"};
}

}  // namespace merpati::api::manage
