#include "api/manage/engine/idempotent_calls.hpp"

#include <tuple>
#include <utility>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "api/idempotency.hpp"
#include "api/manage/engine/manage.hpp"

namespace merpati::api::manage {
namespace {

/// The Idempotency-Keys of an account's API keys are stored under the account. Those of people and
/// of the local operator are stored without an account, with the caller's name as a prefix.
store::IdempotencyRecord record_of(const Context& context, const Request& request,
                                   const admission::Principal& caller) {
    store::IdempotencyRecord record;
    if (caller.kind == admission::Principal::Kind::api_key) {
        record.account = caller.key.key->account;
    } else {
        record.key = caller.person ? caller.person->id.text() + ' ' : "local ";
    }
    record.key += *request.head.idempotency_key;
    record.created_at = context.queue_clock.now();
    // A key with the scope admin may act in other accounts. The account's other keys must not get
    // those answers.
    record.fingerprint = context.store.fingerprint(
        fmt::format("{}{} {}?{}\n{}", caller.is_administrator() ? "admin " : "",
                    http::to_string(request.method), request.path, request.query, request.body));
    return record;
}

Outcome in_progress() {
    auto outcome = problem(409, "idempotency_in_progress",
                           "the first request with this Idempotency-Key is still running");
    outcome.headers = "Retry-After: 1\r\n";
    return outcome;
}

Outcome key_reused() {
    return problem(422, "idempotency_key_reused",
                   "this Idempotency-Key came before with another request");
}

Outcome repeat(const store::IdempotencyRecord& first, const store::IdempotencyRecord& now) {
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

std::string without(std::string_view body, std::string_view field) {
    if (field.empty()) {
        return std::string{body};
    }
    auto answer = boost::json::parse({body.data(), body.size()});
    answer.as_object().erase({field.data(), field.size()});
    return boost::json::serialize(answer);
}

}  // namespace

Result<Outcome> IdempotentCalls::run(const Context& context, const Request& request,
                                     const admission::Principal& caller,
                                     std::string_view shown_once, const Work& work) {
    if (!well_formed_idempotency_key(*request.head.idempotency_key)) {
        return problem(400, "invalid_argument",
                       "the Idempotency-Key must be 1 to 255 printable characters");
    }
    auto record = record_of(context, request, caller);
    const auto hold = in_flight_.take(record);
    if (!hold) {
        return hold.error() == record.fingerprint ? in_progress() : key_reused();
    }
    const auto first = context.read(
        [&](store::Reader& reader) { return reader.idempotency(record.account, record.key); });
    if (!first) {
        return pass(first);
    }
    if (*first && (*first)->holds(record.created_at)) {
        return repeat(**first, record);
    }
    bool recorded = false;
    auto recording = context;
    recording.change = [&](auto change) {
        auto changed = context.change(
            [&, change = std::move(change)](store::Tables& tables) mutable -> Result<void> {
                if (recorded) {
                    return change(tables);
                }
                const auto other = tables.find_idempotency(record.account, record.key);
                if (!other) {
                    return pass(other);
                }
                if (*other && (*other)->holds(record.created_at)) {  // Of /v1/send in the meantime.
                    return fail(ErrorCode::conflict, "this Idempotency-Key was used meanwhile");
                }
                auto made = change(tables);
                return made ? tables.put_idempotency(record) : std::move(made);
            });
        recorded = recorded || changed.has_value();
        return changed;
    };
    auto outcome = work(recording);
    if (outcome.status < 400) {
        record.status = outcome.status;
        record.answer = without(outcome.body, shown_once);
        // If this fails after a commit, a repeat is answered 409, idempotency_unfinished.
        std::ignore =
            context.change([&](store::Tables& tables) { return tables.put_idempotency(record); });
    }
    return outcome;
}

}  // namespace merpati::api::manage
