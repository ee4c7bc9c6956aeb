// Sending one message, for people and for programs that use the catalogue.

#include <array>
#include <string>
#include <utility>

#include <boost/json/serialize.hpp>

#include "api/json_fields.hpp"
#include "api/manage/engine/handlers.hpp"
#include "api/manage/engine/lookup.hpp"
#include "api/manage/engine/typed_number.hpp"
#include "api/manage/messages/sent_message.hpp"
#include "api/send/decode.hpp"

namespace merpati::api::manage::messages {
namespace {

using boost::json::value;

/// A field, and its name in revision A.
struct FieldName {
    std::string_view here;
    std::string_view in_revision_a;
};

constexpr std::array field_names{FieldName{"from", "from"},       FieldName{"to", "to"},
                                 FieldName{"type", "Type"},       FieldName{"url", "url"},
                                 FieldName{"message", "message"}, FieldName{"delay", "delay"},
                                 FieldName{"typing", "typing"}};

/// Numbers are taken as people type them. Others are refused as revision A refuses them.
void make_international(value& number) {
    const auto* typed = number.if_string();
    auto digits = typed == nullptr ? std::nullopt : international(*typed);
    if (digits) {
        number = *std::move(digits);
    }
}

/// Reads the fields as revision A does, so that the same checks give the same answers.
admission::Submission take_submission(Fields& fields) {
    boost::json::object body;
    for (const auto& name : field_names) {
        if (auto given = fields.value(name.here)) {
            body[name.in_revision_a] = *std::move(given);
        }
    }
    for (const auto* number : {"from", "to"}) {
        if (auto* given = body.if_contains(number)) {
            make_international(*given);
        }
    }
    auto decoded = JsonFields::parse(boost::json::serialize(body));
    return decoded ? decode(*std::move(decoded), model::Revision::a) : admission::Submission{};
}

}  // namespace

Result<value> create(const Context& context, Call& call) {
    const auto named = call.fields.account();
    auto submission = take_submission(call.fields);
    const auto account = find_own_account(context, call, named);
    if (!account) {
        return pass(account);
    }
    const auto sent =
        send_message(context, call, {.submission = std::move(submission), .account = account->id});
    if (!sent) {
        return pass(sent);
    }
    call.did = {{"message", sent->text()}};
    const auto record = find_message(context, call, sent->text());
    if (!record) {
        return pass(record);
    }
    return context.read([&](store::Reader& reader) -> Result<value> {
        auto shown = details_of(context, call, reader, *record);
        return shown ? Result<value>{*std::move(shown)} : pass(shown);
    });
}

}  // namespace merpati::api::manage::messages
