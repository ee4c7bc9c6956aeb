// Messages of listmonk, whose messengers post each message to an address (its manual, Messengers).

#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "api/manage/engine/fields.hpp"
#include "api/manage/engine/handlers.hpp"
#include "api/manage/engine/lookup.hpp"
#include "api/manage/engine/typed_number.hpp"
#include "api/manage/messages/sent_message.hpp"

namespace merpati::api::manage::messages {
namespace {

using boost::json::object;
using boost::json::value;

constexpr std::size_t listmonk_body_max = 256UL * 1024;
constexpr std::size_t listmonk_recipients_max = 100;
constexpr std::size_t uuid_bytes_max = 64;
constexpr std::string_view usual_attribute = "phone";

/// The parameters of the address.
struct ListmonkAddress {
    std::string from;
    std::string attribute;  // Of recipients: their number.
};

std::unexpected<Error> malformed(std::string_view what) {
    return fail(ErrorCode::invalid_argument, std::string{what});
}

/// The text in the field; empty: it is missing or of another type.
std::string text_in(const object& from, std::string_view name) {
    const auto* found = from.if_contains(name);
    const auto* text = found == nullptr ? nullptr : found->if_string();
    return text == nullptr ? std::string{} : std::string{*text};
}

Result<object> read_message(Upload& upload) {
    std::string body;
    for (;;) {
        const auto piece = upload.next();
        if (!piece) {
            return pass(piece);
        }
        if (!*piece) {
            break;
        }
        if (body.size() + (*piece)->size() > listmonk_body_max) {
            return malformed("the body is larger than a message of listmonk can be");
        }
        body += **piece;
    }
    return parse_object(body);
}

/// The recipients, each an object. Errors: invalid_argument.
Result<const boost::json::array*> recipients_in(const object& message) {
    const auto* found = message.if_contains("recipients");
    const auto* list = found == nullptr ? nullptr : found->if_array();
    if (list == nullptr || list->empty() || list->size() > listmonk_recipients_max) {
        return malformed("'recipients' must be a list of 1 to 100 objects");
    }
    for (const auto& one : *list) {
        if (!one.is_object()) {
            return malformed("'recipients' must be a list of 1 to 100 objects");
        }
    }
    return list;
}

/// listmonk makes HTML of all other forms, which people would see as it is.
Result<void> check_form(const object& message) {
    const auto form = text_in(message, "content_type");
    return form.empty() || form == "plain"
               ? Result<void>{}
               : malformed("'content_type' must be plain: choose plain text for the campaign");
}

std::string number_of(const object& recipient, std::string_view attribute,
                      std::string_view country) {
    const auto* attributes = recipient.if_contains("attribs");
    const auto* found = attributes == nullptr || !attributes->is_object()
                            ? nullptr
                            : attributes->get_object().if_contains(attribute);
    if (found == nullptr) {
        return {};
    }
    if (const auto* digits = found->if_int64()) {
        return std::to_string(*digits);
    }
    const auto* typed = found->if_string();
    return typed == nullptr ? std::string{} : international(*typed, country).value_or("");
}

/// A message of a campaign is sent to each recipient once, however often listmonk posts it.
std::optional<store::IdempotencyRecord> once_of(const Context& context,
                                                const model::Account& account,
                                                const object& message, const object& recipient) {
    const auto* campaign = message.if_contains("campaign");
    const auto of_campaign = campaign == nullptr || !campaign->is_object()
                                 ? std::string{}
                                 : text_in(campaign->get_object(), "uuid");
    const auto of_recipient = text_in(recipient, "uuid");
    if (of_campaign.empty() || of_recipient.empty() || of_campaign.size() > uuid_bytes_max ||
        of_recipient.size() > uuid_bytes_max) {
        return std::nullopt;
    }
    const auto key = fmt::format("listmonk {} {}", of_campaign, of_recipient);
    auto once = context.idempotency.record(account.id, key, key, context.queue_clock.now());
    once.status = 200;  // No answer is stored: each post is answered anew.
    return once;
}

SingleMessage message_to(const Context& context, const model::Account& account,
                         const ListmonkAddress& address, const object& message,
                         const object& recipient) {
    admission::Submission submission;
    submission.type = model::MessageType::text;
    submission.content = text_in(message, "body");
    submission.sender = address.from;
    submission.recipient = number_of(recipient, address.attribute, account.country);
    return {.submission = std::move(submission),
            .account = account.id,
            .once = once_of(context, account, message, recipient)};
}

}  // namespace

/// Sends one message after the other, and answers when all are stored. A refusal ends the call:
/// listmonk posts the message again, and those before it are not repeated.
Result<value> send_for_listmonk(const Context& context, Call& call, Upload& upload) {
    const auto named = call.fields.account();
    ListmonkAddress address{
        .from = call.fields.required_text("from", typed_number_bytes_max),
        .attribute = call.fields.text("number", 64).value_or(std::string{usual_attribute})};
    const auto account = find_own_account(context, call, named);
    if (!account) {
        return pass(account);
    }
    address.from = international(address.from, account->country).value_or("");
    const auto message = read_message(upload);
    if (!message) {
        return pass(message);
    }
    if (auto checked = check_form(*message); !checked) {
        return pass(checked);
    }
    const auto recipients = recipients_in(*message);
    if (!recipients) {
        return pass(recipients);
    }
    object answer;
    auto& ids = answer["messages"].emplace_array();
    for (const auto& recipient : **recipients) {
        const auto sent =
            send_message(context, call,
                         message_to(context, *account, address, *message, recipient.get_object()));
        if (!sent) {
            return pass(sent);
        }
        ids.emplace_back(sent->text());
    }
    return answer;
}

}  // namespace merpati::api::manage::messages
