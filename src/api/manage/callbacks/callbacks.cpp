// Callbacks: list, look-up, attempts and replay.

#include <fmt/format.h>

#include "api/manage/callbacks/callback_control.hpp"
#include "api/manage/callbacks/replay_rate.hpp"
#include "api/manage/engine/handlers.hpp"
#include "api/manage/engine/listing.hpp"
#include "api/manage/engine/lookup.hpp"
#include "api/manage/engine/views.hpp"

namespace merpati::api::manage::callbacks {

using boost::json::value;

Result<value> list(const Context& context, Call& call) {
    auto& fields = call.fields;
    store::CallbackFilter filter;
    filter.state =
        fields.word("state", model::parse_callback_state, "waiting, delivered, exhausted or gone");
    filter.message = fields.word("message", Uuid::parse, "a request id");
    if (auto taken = take_page(context, call, "callbacks", Uuid::parse, filter); !taken) {
        return pass(taken);
    }
    auto found = context.read([&](store::Reader& reader) { return reader.callbacks(filter); });
    if (!found) {
        return pass(found);
    }
    return page_of(
        found->records, found->next.transform(&model::EventId::text), "callbacks",
        [&](const store::QueuedCallback& queued) { return view(queued, call.principal); },
        [](const store::QueuedCallback& queued) { return queued.callback.id.text(); });
}

Result<value> show(const Context& context, Call& call) {
    const auto found = find_named_callback(context, call);
    if (!found) {
        return pass(found);
    }
    return view(*found, call.principal);
}

/// A caller who sees numbers masked does not see the receivers' answers, which may hold a number.
Result<value> attempts(const Context& context, Call& call) {
    const auto found = find_named_callback(context, call);
    if (!found) {
        return pass(found);
    }
    const auto kept =
        context.read([&](store::Reader& reader) { return reader.attempts(found->callback.id); });
    if (!kept) {
        return pass(kept);
    }
    const bool masked = call.principal.sees_masked(found->callback.account);
    boost::json::array items;
    for (const auto& attempt : *kept) {
        items.push_back({{"number", attempt.number},
                         {"at", to_rfc3339(attempt.at)},
                         {"status", number_or_null(attempt.status)},
                         {"took_ms", attempt.took ? value(attempt.took->count()) : nullptr},
                         {"error", text_or_null(attempt.error)},
                         {"answer", masked ? nullptr : text_or_null(attempt.answer)},
                         {"next_attempt_at", view(attempt.retry_at)},
                         {"batch", view(attempt.batch)}});
    }
    return page(std::move(items));
}

Result<value> replay(const Context& context, Call& call) {
    const auto found = find_named_callback(context, call);
    if (!found) {
        return pass(found);
    }
    if (found->progress.state == model::CallbackState::waiting) {
        return fail(ErrorCode::conflict,
                    fmt::format("callback {} is not through with its attempts; the next one is due "
                                "at {}",
                                call.id, to_rfc3339(found->progress.due_at)));
    }
    if (auto taken = take_replays(context, call.principal, found->callback.account, 1); !taken) {
        return pass(taken);
    }
    const auto due = context.queue_clock.now();
    auto replayed = context.change([&](store::Tables& tables) {
        return tables.replay_callback(found->callback.id, due, context.clock.now());
    });
    if (!replayed) {
        return pass(replayed);
    }
    context.callbacks.wake({found->callback.account, found->callback.origin_key});
    auto shown = find_named_callback(context, call);
    if (!shown) {
        return pass(shown);
    }
    return view(*shown, call.principal);
}

}  // namespace merpati::api::manage::callbacks
