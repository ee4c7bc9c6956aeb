// Sending a message, now or again.

#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "api/errors.hpp"
#include "api/manage/engine/handlers.hpp"
#include "api/manage/engine/lookup.hpp"
#include "api/manage/engine/views.hpp"
#include "api/manage/messages/message_control.hpp"
#include "api/manage/messages/sent_message.hpp"
#include "api/manage/messages/waits.hpp"

namespace merpati::api::manage::messages {

using boost::json::value;

Result<model::MessageId> send_message(const Context& context, Call& call, SingleMessage message) {
    if (!message.once) {
        message.once = context.unstored_key();
    }
    const auto sent = context.messages.send(std::move(message), call.principal);
    if (!sent) {
        return pass(sent);
    }
    if (*sent) {
        context.key_was_stored(**sent);
        return **sent;
    }
    call.answer.refusal = sent->error().why;
    call.answer.retry_after = sent->error().retry_after;
    return fail(ErrorCode::refused, std::string{error_row(sent->error().why).text});
}

/// Makes a waiting message due. Pace, cap and window of its device still apply.
Result<value> send_now(const Context& context, Call& call) {
    auto record = find_named_message(context, call);
    if (!record) {
        return pass(record);
    }
    if (record->state != model::MessageState::pending) {
        return fail(ErrorCode::conflict,
                    fmt::format("message {} is {}: only one that waits can be sent now", call.id,
                                model::to_string(record->state)));
    }
    if (record->queued_at <= context.queue_clock.now()) {
        return fail(
            ErrorCode::conflict,
            fmt::format("message {} is due already: `waits` says what it waits for", call.id));
    }
    auto hastened = context.messages.hasten(queued(*std::move(record)));
    return hastened ? show_again(context, call) : pass(hastened);
}

/// Sends a failed or cancelled message as a new message, which is checked and charged like any
/// other.
Result<value> retry(const Context& context, Call& call) {
    auto record = find_named_message(context, call);
    if (!record) {
        return pass(record);
    }
    if (record->state != model::MessageState::failed &&
        record->state != model::MessageState::cancelled) {
        return fail(
            ErrorCode::conflict,
            fmt::format("message {} is {}: only one that failed or was cancelled can be sent again",
                        call.id, model::to_string(record->state)));
    }
    const auto sent = context.messages.retry(record->message, call.principal);
    if (!sent) {
        return pass(sent);
    }
    call.did = {{"retried_as", sent->text()}};
    const auto made = find_message(context, call, sent->text());
    if (!made) {
        return pass(made);
    }
    auto shown = view(*made, call.principal);
    shown["retry_of"] = record->message.id.text();
    return shown;
}

}  // namespace merpati::api::manage::messages
