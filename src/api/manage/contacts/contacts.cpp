// Contacts: list, look-up, change, removal and import.

#include "store/contacts.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "api/manage/campaigns/people_upload.hpp"
#include "api/manage/contacts/people_lists.hpp"
#include "api/manage/contacts/person_call.hpp"
#include "api/manage/engine/entity_tag.hpp"
#include "api/manage/engine/handlers.hpp"
#include "api/manage/engine/lookup.hpp"
#include "campaign/audience/people_import.hpp"
#include "campaign/erasure.hpp"

namespace merpati::api::manage::contacts {
namespace {

using boost::json::value;
using model::Contact;

constexpr std::size_t name_bytes_most = 200;
constexpr std::size_t source_bytes_max = 200;
constexpr std::size_t consent_text_bytes_max = 2'000;
constexpr std::size_t search_bytes_max = 128;

std::unexpected<Error> no_contact(const Call& call) {
    return fail(ErrorCode::not_found, fmt::format("there is no contact {}", call.id));
}

/// Takes `consent`, whose time is now if it is not given.
std::optional<model::Consent> take_contact_consent(Fields& fields, Timestamp now) {
    if (fields.none("consent")) {
        return std::nullopt;
    }
    auto given = fields.object("consent");
    if (!given) {
        return std::nullopt;
    }
    model::Consent consent{.source = given->required_text("source", source_bytes_max),
                           .at = given->time("at").value_or(now),
                           .text = given->prose("text", consent_text_bytes_max).value_or("")};
    fields.add_mistakes("consent", *given);
    return consent;
}

std::vector<std::string> take_contact_tags(Fields& fields) {
    auto tags = fields.text_list("tags", Contact::tags_max, Contact::tag_bytes_max)
                    .value_or(std::vector<std::string>{});
    if (std::ranges::find(tags, "") != tags.end()) {
        fields.mistake("tags", "must not have an empty text");
    }
    std::ranges::sort(tags);
    const auto repeats = std::ranges::unique(tags);
    tags.erase(repeats.begin(), repeats.end());
    return tags;
}

/// The contact of the call's fields; account and number are the caller's task.
Contact take_contact(Fields& fields, Timestamp now) {
    Contact contact;
    if (!fields.none("name")) {
        contact.name = fields.text("name", name_bytes_most).value_or("");
    }
    contact.values = fields.texts("values", Contact::values_max, value_limits);
    contact.tags = take_contact_tags(fields);
    contact.consent = take_contact_consent(fields, now);
    contact.created_at = contact.updated_at = now;
    return contact;
}

/// Checks If-Match and `If-None-Match: *` against the contact that is there. Errors:
/// precondition_failed.
Result<void> check_contact(const Call& call, const std::optional<Contact>& found) {
    if (found && call.head.if_none_match == "*") {
        return fail(ErrorCode::precondition_failed, "there is a contact with this number");
    }
    return check_match(call, found ? view(*found, call.principal) : boost::json::object{});
}

}  // namespace

Result<value> list(const Context& context, Call& call) {
    store::ContactFilter filter;
    filter.tags = call.fields.words("tag", Contact::tags_max).value_or(filter.tags);
    filter.text = call.fields.text("text", search_bytes_max).value_or("");
    return list_people(context, call, "contacts", filter, !filter.text.empty(),
                       &store::ContactReader::contacts);
}

Result<value> show(const Context& context, Call& call) {
    const auto asked = take_asked_person(context, call);
    if (!asked) {
        return pass(asked);
    }
    const auto found = context.read([&](store::Reader& reader) {
        return reader.contacts().contact(asked->account, asked->number);
    });
    if (!found) {
        return pass(found);
    }
    return *found ? Result<value>{view(**found, call.principal)} : no_contact(call);
}

Result<value> put(const Context& context, Call& call) {
    const auto account = call.fields.account();
    auto contact = take_contact(call.fields, context.clock.now());
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    return context.commit_and_show(
        [&](store::Tables& tables) -> Result<Contact> {
            const auto asked = find_asked_person(tables, call, account);
            if (!asked) {
                return pass(asked);
            }
            contact.account = asked->account;
            contact.number = asked->number;
            const auto found = tables.contacts().find_contact(asked->account, asked->number);
            if (!found) {
                return pass(found);
            }
            if (auto match = check_contact(call, *found); !match) {
                return pass(match);
            }
            return tables.contacts().put_contact(contact);
        },
        [&](const Contact& stored) -> value { return view(stored, call.principal); });
}

Result<value> remove(const Context& context, Call& call) {
    const auto account = call.fields.account();
    const bool everywhere = call.fields.boolean("everywhere").value_or(false);
    const auto owner = find_own_account(context, call, account);
    if (!owner) {
        return pass(owner);
    }
    const auto number = person_of(call);
    if (!number) {
        return pass(number);
    }
    const store::Erasure erasure{
        .account = owner->id, .number = *number, .at = context.clock.now()};
    bool was_there = false;
    auto removed = context.change([&](store::Tables& tables) -> Result<void> {
        const auto found = tables.contacts().find_contact(owner->id, *number);
        if (!found) {
            return pass(found);
        }
        if (auto match = check_contact(call, *found); !match) {
            return match;
        }
        if (!*found && !everywhere) {
            return no_contact(call);
        }
        const auto gone = tables.contacts().remove_contact(owner->id, *number);
        was_there = gone.value_or(false);
        if (gone && everywhere) {
            return tables.contacts().put_erasure(erasure);
        }
        return gone ? Result<void>{} : pass(gone);
    });
    if (removed && everywhere) {
        // Of messages that are under way, the server erases what is left later.
        const auto erased = campaign::erase_person(
            {.change = context.change, .readers = context.readers, .clock = context.clock},
            erasure);
        removed = erased ? Result<void>{} : pass(erased);
    }
    return removed ? Result<value>{{{"number", number->text()}, {"removed", was_there}}}
                   : pass(removed);
}

Result<value> import_list(const Context& context, Call& call, Upload& upload) {
    const auto account = call.fields.account();
    auto tags = call.fields.words("tag", Contact::tags_max).value_or(std::vector<std::string>{});
    const UploadFields given{call};
    const auto owner = find_own_account(context, call, account);
    if (!owner) {
        return pass(owner);
    }
    const auto imported =
        import_all(context, call, owner->id, given, upload, [&](const auto& rooms, auto options) {
            return campaign::ContactImport::begin(rooms, owner->id, std::move(options),
                                                  std::move(tags));
        });
    if (!imported) {
        return pass(imported);
    }
    call.did = {{"added", imported->added}, {"merged", imported->changed}};
    return boost::json::object{
        {"rows", imported->rows},
        {"added", imported->added},
        {"merged", imported->changed},
        {"invalid", imported->invalid},
        {"duplicate", imported->duplicate},
        {"columns", boost::json::array(imported->columns.begin(), imported->columns.end())}};
}

}  // namespace merpati::api::manage::contacts
