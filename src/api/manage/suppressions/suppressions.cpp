// Numbers that campaigns must not reach: list, change, removal and import.

#include <string>
#include <utility>

#include "api/manage/campaigns/people_upload.hpp"
#include "api/manage/contacts/person_call.hpp"
#include "api/manage/engine/handlers.hpp"
#include "api/manage/engine/listing.hpp"
#include "api/manage/engine/lookup.hpp"
#include "campaign/audience/people_import.hpp"
#include "store/campaigns.hpp"

namespace merpati::api::manage::suppressions {
namespace {

using boost::json::value;
using model::Suppression;

/// The suppression that was just written, or the one that it did not replace.
Result<Suppression> written(store::Tables& tables, const Suppression& wished) {
    const auto found = tables.campaigns().find_suppression(wished.account, wished.number);
    return found ? Result<Suppression>{found->value_or(wished)} : pass(found);
}

}  // namespace

Result<value> list(const Context& context, Call& call) {
    const NumberCursor cursor{context.store};
    const auto account = call.fields.text("account", 32);
    const auto after =
        take_cursor(call.fields, "suppressions", [&](auto text) { return cursor.parse(text); });
    const auto limit = take_limit(call.fields);
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    const auto owner = find_own_account(context, call, account);
    if (!owner) {
        return pass(owner);
    }
    const auto found = context.read([&](store::Reader& reader) {
        return reader.campaigns().suppressions(owner->id, after, limit);
    });
    if (!found) {
        return pass(found);
    }
    return page_of(
        found->records, cursor.text(found->next), "suppressions",
        [&](const Suppression& suppression) { return view(suppression, call.principal); },
        [&](const Suppression& suppression) { return cursor.text(suppression.number); });
}

Result<value> put(const Context& context, Call& call) {
    const auto account = call.fields.text("account", 32);
    const auto reason = call.fields.word("reason", model::parse_suppression_reason,
                                         "manual, import, opt_out or unregistered");
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    return context.commit_and_show(
        [&](store::Tables& tables) -> Result<Suppression> {
            const auto owner = find_own_account(tables, call, account);
            if (!owner) {
                return pass(owner);
            }
            const auto number = person_of(call);
            if (!number) {
                return pass(number);
            }
            const Suppression wished{.account = owner->id,
                                     .number = *number,
                                     .reason = reason.value_or(model::SuppressionReason::manual),
                                     .at = context.clock.now(),
                                     .campaign = {}};
            const auto put = tables.campaigns().put_suppression(wished);
            if (!put) {
                return pass(put);
            }
            call.changed_nothing = !*put;
            return written(tables, wished);
        },
        [&](const Suppression& stored) -> value { return view(stored, call.principal); });
}

Result<value> remove(const Context& context, Call& call) {
    const auto account = call.fields.text("account", 32);
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    return context.commit_and_show(
        [&](store::Tables& tables) -> Result<model::PhoneNumber> {
            const auto owner = find_own_account(tables, call, account);
            if (!owner) {
                return pass(owner);
            }
            const auto number = person_of(call);
            if (!number) {
                return number;
            }
            const auto removed = tables.campaigns().remove_suppression(owner->id, *number);
            if (!removed) {
                return pass(removed);
            }
            if (!*removed) {
                return fail(ErrorCode::not_found, "the number is not suppressed");
            }
            return number;
        },
        [](model::PhoneNumber number) -> value {
            return {{"number", number.text()}, {"removed", true}};
        });
}

Result<value> import_list(const Context& context, Call& call, Upload& upload) {
    const auto account = call.fields.text("account", 32);
    const UploadFields given{call};
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    const auto owner = find_own_account(context, call, account);
    if (!owner) {
        return pass(owner);
    }
    auto options = given.options(context, owner->id);
    if (!options) {
        return pass(options);
    }
    const auto means = import_means(context);
    const auto imported =
        import_all(call, *std::move(options), upload, [&](campaign::UploadOptions used) {
            return campaign::SuppressionImport::begin(means, owner->id, std::move(used));
        });
    if (!imported) {
        return pass(imported);
    }
    call.did = {{"added", imported->added}};
    return boost::json::object{{"rows", imported->rows},
                               {"added", imported->added},
                               {"invalid", imported->invalid},
                               {"duplicate", imported->duplicate}};
}

}  // namespace merpati::api::manage::suppressions
