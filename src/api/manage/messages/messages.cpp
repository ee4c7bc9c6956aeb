// Messages: list and look-up, and cancel, release and fail.

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "api/manage/engine/handlers.hpp"
#include "api/manage/engine/listing.hpp"
#include "api/manage/engine/lookup.hpp"
#include "api/manage/engine/views.hpp"
#include "api/manage/messages/message_control.hpp"
#include "api/manage/messages/message_filters.hpp"
#include "api/manage/messages/sent_message.hpp"
#include "api/manage/messages/waits.hpp"

namespace merpati::api::manage::messages {
namespace {

using boost::json::value;

/// Null: it is not sent as a template.
value shown_variables(const model::Message& message) {
    const auto* filled = message.filled_template.get();
    return filled == nullptr
               ? nullptr
               : value(boost::json::array(filled->values.begin(), filled->values.end()));
}

/// Null: it was not sent as a template, or the template's text was not known.
value shown_sent(const std::optional<model::SentTemplate>& sent) {
    return !sent
               ? nullptr
               : value{{"name", sent->name},
                       {"language", sent->language},
                       {"header", text_or_null(sent->header)},
                       {"body", sent->body},
                       {"footer", text_or_null(sent->footer)},
                       {"buttons", boost::json::array(sent->buttons.begin(), sent->buttons.end())}};
}

/// Adds the ids of the message that this one sends again, and of the one that sends this one again.
void add_links(boost::json::object& shown, const store::MessageTrail& trail) {
    shown["retry_of"] = nullptr;
    shown["retried_as"] = nullptr;
    for (const auto& event : trail.events) {
        if (event.step == model::MessageStep::retry_of ||
            event.step == model::MessageStep::retried_as) {
            shown[model::to_string(event.step)] = event.details;
        }
    }
}

}  // namespace

Result<value> list(const Context& context, Call& call) {
    const MessageFilters filters{call.fields};
    const auto before = take_cursor(call.fields, filters.list(), Uuid::parse);
    const auto limit = take_limit(call.fields);
    auto filter = filters.of(context, call);
    if (!filter) {
        return pass(filter);
    }
    filter->before = before;
    filter->limit = limit;
    const auto found =
        context.read([&](store::Reader& reader) { return reader.messages(*filter); });
    if (!found) {
        return pass(found);
    }
    return page_of(
        found->records, found->next.transform(&model::MessageId::text), filters.list(),
        [&](const store::MessageRecord& record) { return view(record, call.principal); },
        [](const store::MessageRecord& record) { return record.message.id.text(); });
}

Result<boost::json::object> details_of(const Context& context, const Call& call,
                                       store::ListReader& reader,
                                       const store::MessageRecord& record, Texts texts) {
    const auto callbacks = reader.callbacks({.message = record.message.id});
    if (!callbacks) {
        return pass(callbacks);
    }
    const auto trail = reader.trail(record.message.id);
    if (!trail) {
        return pass(trail);
    }
    auto shown = view(record, call.principal);
    shown["waits"] = waits_of(context, record, *trail);
    add_links(shown, *trail);
    auto& list = shown["callbacks"].emplace_array();
    for (const auto& callback : callbacks->records) {
        list.push_back(view(callback, call.principal));
    }
    if (texts == Texts::shown) {
        shown["body"] = record.message.body;
        shown["variables"] = shown_variables(record.message);
        shown["sent_as"] = shown_sent(trail->sent_as);
    }
    return shown;
}

/// Shows the message's text only if `body=true` was given, and not to viewers.
Result<value> show(const Context& context, Call& call) {
    const bool with_body = call.fields.boolean("body").value_or(false);
    return with_named_message(
        context, call,
        [&](store::Reader& reader, const store::MessageRecord& record) -> Result<value> {
            if (with_body && call.principal.sees_masked(record.message.account)) {
                return fail(ErrorCode::forbidden, "viewers do not see the texts of messages");
            }
            auto shown =
                details_of(context, call, reader, record, with_body ? Texts::shown : Texts::hidden);
            return shown ? Result<value>{*std::move(shown)} : pass(shown);
        });
}

Result<value> show_again(const Context& context, const Call& call) {
    const auto record = find_named_message(context, call);
    if (!record) {
        return pass(record);
    }
    return view(*record, call.principal);
}

store::QueuedMessage queued(store::MessageRecord record) {
    return {.message = std::make_unique<model::Message>(std::move(record.message)),
            .queued_at = record.queued_at,
            .attempts = record.attempts,
            .intent_recorded = record.state == model::MessageState::sending};
}

Result<value> cancel(const Context& context, Call& call) {
    auto record = find_named_message(context, call);
    if (!record) {
        return pass(record);
    }
    if (record->completion || record->state == model::MessageState::handed_over) {
        return fail(ErrorCode::conflict,
                    fmt::format("message {} is {}: only one that waits can be cancelled", call.id,
                                model::to_string(record->state)));
    }
    auto cancelled = context.messages.cancel(queued(*std::move(record)));
    return cancelled ? show_again(context, call) : pass(cancelled);
}

/// Queues a held message again. It may then arrive twice, which the caller accepts.
Result<value> release(const Context& context, Call& call) {
    const auto record = find_named_message(context, call);
    if (!record) {
        return pass(record);
    }
    const auto due = context.queue_clock.now();
    auto released = context.change([&](store::Tables& tables) {
        return tables.release_message(record->message.id, due, context.clock.now());
    });
    if (!released && released.error().code == ErrorCode::refused) {
        return fail(
            ErrorCode::refused,
            fmt::format("device {} is not there any more, or is another account's: fail the "
                        "message, or add the device again",
                        record->message.device.text()));
    }
    if (!released) {
        return released.error().code == ErrorCode::conflict
                   ? fail(ErrorCode::conflict,
                          fmt::format("message {} is {}: only a held one can be released", call.id,
                                      model::to_string(record->state)))
                   : Result<value>{pass(released)};
    }
    context.messages.released(record->message, due);
    return show_again(context, call);
}

/// Fails a held message. It may have arrived nevertheless, which the caller accepts.
Result<value> give_up(const Context& context, Call& call) {
    auto record = find_named_message(context, call);
    if (!record) {
        return pass(record);
    }
    if (auto failed = context.messages.fail_held(std::move(record->message)); !failed) {
        return failed.error().code == ErrorCode::conflict
                   ? fail(ErrorCode::conflict,
                          fmt::format("message {} is {}: only a held one can be failed", call.id,
                                      model::to_string(record->state)))
                   : Result<value>{pass(failed)};
    }
    return show_again(context, call);
}

}  // namespace merpati::api::manage::messages
