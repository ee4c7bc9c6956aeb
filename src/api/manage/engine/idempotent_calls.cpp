#include "api/manage/engine/idempotent_calls.hpp"

#include <tuple>
#include <utility>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "api/idempotency.hpp"
#include "api/manage/engine/idempotency_answers.hpp"
#include "api/manage/engine/manage.hpp"

namespace merpati::api::manage {
namespace {

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
        return idempotency_key_malformed();
    }
    auto record = idempotency_record(context.store, context.queue_clock, request, caller);
    const auto hold = in_flight_.take(record);
    if (!hold) {
        return beside(hold.error(), record);
    }
    const auto first = context.read(
        [&](store::Reader& reader) { return reader.idempotency(record.account, record.key); });
    if (!first) {
        return pass(first);
    }
    if (*first && (*first)->holds(record.created_at)) {
        return repeat_of(**first, record);
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
