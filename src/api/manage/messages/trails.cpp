// The history of a message, and the attempts of a callback.

#include <string>
#include <utility>

#include "api/manage/engine/handlers.hpp"
#include "api/manage/engine/lookup.hpp"
#include "api/manage/engine/views.hpp"
#include "api/manage/messages/timeline.hpp"

namespace merpati::api::manage {
namespace {

using boost::json::value;

Result<std::vector<CallbackStory>> stories_of(store::ListReader& reader,
                                              const model::MessageId& id) {
    auto callbacks = reader.callbacks({.message = id});
    if (!callbacks) {
        return pass(callbacks);
    }
    std::vector<CallbackStory> stories;
    for (auto& callback : callbacks->records) {
        auto attempts = reader.attempts(callback.callback.id);
        if (!attempts) {
            return pass(attempts);
        }
        stories.push_back({.callback = std::move(callback), .attempts = std::move(*attempts)});
    }
    return stories;
}

}  // namespace

Result<value> messages::timeline(const Context& context, Call& call) {
    return with_named_message(
        context, call,
        [](store::Reader& reader, const store::MessageRecord& record) -> Result<value> {
            const auto trail = reader.trail(record.message.id);
            if (!trail) {
                return pass(trail);
            }
            const auto stories = stories_of(reader, record.message.id);
            if (!stories) {
                return pass(stories);
            }
            return page(timeline_of(record, *trail, *stories));
        });
}

/// A caller who sees numbers masked does not see the receivers' answers, which may hold a number.
Result<value> callbacks::attempts(const Context& context, Call& call) {
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

}  // namespace merpati::api::manage
