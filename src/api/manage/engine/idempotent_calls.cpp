#include "api/manage/engine/idempotent_calls.hpp"

#include <tuple>
#include <utility>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "api/idempotency_ledger.hpp"
#include "api/manage/engine/idempotency_answers.hpp"
#include "api/manage/engine/manage.hpp"

namespace merpati::api::manage {
namespace {

std::string without(std::string_view body, std::string_view field) {
    if (field.empty()) {
        return std::string{body};
    }
    auto answer = boost::json::parse(body);
    answer.as_object().erase(field);
    return boost::json::serialize(answer);
}

}  // namespace

Result<Outcome> IdempotentCalls::run(const Request& request, const admission::Principal& caller,
                                     std::string_view shown_once, const Work& work) const {
    if (!IdempotencyLedger::is_well_formed(*request.head.idempotency_key)) {
        return idempotency_key_malformed();
    }
    auto& ledger = context_.idempotency;
    CallKey key{.record = idempotency_record(ledger, request, caller, context_.queue_clock.now())};
    auto& record = key.record;
    const auto hold = ledger.hold(record);
    if (!hold) {
        return beside(hold.error(), record);
    }
    const auto first = ledger.first(record);
    if (!first) {
        return pass(first);
    }
    if (*first) {
        return repeat_of(**first, record);
    }
    auto recording = context_;
    recording.key = &key;
    recording.change = [&](auto change) {
        auto changed = context_.change([&, change = std::move(change)](
                                           store::Tables& tables) mutable -> Result<void> {
            if (key.is_stored) {
                return change(tables);
            }
            const auto claimed = tables.claim_idempotency(record);
            if (!claimed) {
                return pass(claimed);
            }
            return *claimed ? change(tables)
                            : fail(ErrorCode::conflict, "this Idempotency-Key was used meanwhile");
        });
        key.is_stored = key.is_stored || changed.has_value();
        return changed;
    };
    auto outcome = work(recording);
    if (outcome.status < 400) {
        record.status = outcome.status;
        record.answer = without(outcome.body, shown_once);
        // If this fails after a commit, a repeat is answered 409, idempotency_unfinished.
        std::ignore =
            context_.change([&](store::Tables& tables) { return tables.put_idempotency(record); });
    }
    return outcome;
}

}  // namespace merpati::api::manage
