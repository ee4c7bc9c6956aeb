// Callbacks: list, look-up and replay.

#include <fmt/format.h>

#include "api/manage/callbacks/replay_rate.hpp"
#include "api/manage/engine/handlers.hpp"
#include "api/manage/engine/listing.hpp"
#include "api/manage/engine/lookup.hpp"
#include "api/manage/engine/views.hpp"

namespace merpati::api::manage::callbacks {
namespace {

using boost::json::value;

}  // namespace

Result<value> list(const Context& context, Call& call) {
    auto& fields = call.fields;
    store::CallbackFilter filter;
    filter.state =
        fields.word("state", model::parse_callback_state, "waiting, delivered, exhausted or gone");
    filter.message = fields.word("message", Uuid::parse, "a request id");
    if (auto taken = take_page(context, call, "callbacks", filter); !taken) {
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
