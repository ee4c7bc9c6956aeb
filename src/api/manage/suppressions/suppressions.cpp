// Numbers that campaigns must not reach: list, record, change, removal, import and export.

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/manage/campaigns/people_upload.hpp"
#include "api/manage/contacts/people_lists.hpp"
#include "api/manage/contacts/person_call.hpp"
#include "api/manage/engine/handlers.hpp"
#include "api/manage/engine/lookup.hpp"
#include "base/number.hpp"
#include "campaign/audience/people_import.hpp"
#include "store/contacts.hpp"

namespace merpati::api::manage::suppressions {
namespace {

using boost::json::value;
using model::Suppression;

/// The suppression that was just written, or the one that it did not replace.
Result<Suppression> written(store::Tables& tables, const Suppression& wished) {
    const auto found = tables.contacts().find_suppression(wished.account, wished.number);
    return found ? Result<Suppression>{found->value_or(wished)} : pass(found);
}

/// "62812": the first digits of numbers. Empty: the text is something else.
std::optional<std::int64_t> parse_beginning(std::string_view text) {
    constexpr std::size_t digits_max = 15;
    const auto digits = text.size() <= digits_max ? parse_whole<std::int64_t>(text) : std::nullopt;
    return digits && text.front() >= '1' && text.front() <= '9' ? digits : std::nullopt;
}

/// In the order of numbers.
class AllSuppressions final : public PeopleLines<Suppression> {
public:
    AllSuppressions(const Context& context, ExportFormat format, admission::Principal caller,
                    model::AccountId account)
        : PeopleLines{context, format, std::move(caller)}, account_(account) {}

private:
    Result<Page> read(store::Reader& reader, const Position& after,
                      std::size_t limit) const override {
        return reader.contacts().suppressions(
            {.account = account_, .after = after, .limit = limit});
    }
    void add_header(std::string& csv) const override {
        add_cells(csv, std::array<std::string_view, 4>{"number", "reason", "at", "campaign"});
    }
    void add_row(std::string& csv, const Suppression& suppression) const override {
        add_cell(csv, suppression.number.text());
        add_cell(csv, model::to_string(suppression.reason));
        add_cell(csv, to_rfc3339(suppression.at));
        add_cell(csv, suppression.campaign ? suppression.campaign->text() : "");
    }

    const model::AccountId account_;
};

}  // namespace

Result<value> list(const Context& context, Call& call) {
    const auto beginning = call.fields.word("number", parse_beginning,
                                            "the first digits of a number, with its country code");
    const store::SuppressionFilter filter{.account = {}, .beginning = beginning.value_or(0)};
    return list_people(context, call, "suppressions", filter, beginning.has_value(),
                       &store::ContactReader::suppressions);
}

Result<value> show(const Context& context, Call& call) {
    const auto asked = take_asked_person(context, call);
    if (!asked) {
        return pass(asked);
    }
    const auto found = context.read([&](store::Reader& reader) {
        return reader.contacts().suppression(asked->account, asked->number);
    });
    if (!found) {
        return pass(found);
    }
    return *found ? Result<value>{view(**found, call.principal)}
                  : fail(ErrorCode::not_found, "the number is not suppressed");
}

Result<value> put(const Context& context, Call& call) {
    const auto account = call.fields.account();
    const auto reason = call.fields.word("reason", model::parse_suppression_reason,
                                         "manual, import, opt_out or unregistered");
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    return context.commit_and_show(
        [&](store::Tables& tables) -> Result<Suppression> {
            const auto asked = find_asked_person(tables, call, account);
            if (!asked) {
                return pass(asked);
            }
            const Suppression wished{.account = asked->account,
                                     .number = asked->number,
                                     .reason = reason.value_or(model::SuppressionReason::manual),
                                     .at = context.clock.now(),
                                     .campaign = {}};
            const auto put = tables.contacts().put_suppression(wished);
            if (!put) {
                return pass(put);
            }
            call.changed_nothing = !*put;
            return written(tables, wished);
        },
        [&](const Suppression& stored) -> value { return view(stored, call.principal); });
}

Result<value> remove(const Context& context, Call& call) {
    const auto account = call.fields.account();
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    return context.commit_and_show(
        [&](store::Tables& tables) -> Result<model::PhoneNumber> {
            const auto asked = find_asked_person(tables, call, account);
            if (!asked) {
                return pass(asked);
            }
            const auto removed =
                tables.contacts().remove_suppression(asked->account, asked->number);
            if (!removed) {
                return pass(removed);
            }
            if (!*removed) {
                return fail(ErrorCode::not_found, "the number is not suppressed");
            }
            return asked->number;
        },
        [](model::PhoneNumber number) -> value {
            return {{"number", number.text()}, {"removed", true}};
        });
}

Result<value> import_list(const Context& context, Call& call, Upload& upload) {
    const auto account = call.fields.account();
    const UploadFields given{call};
    const auto owner = find_own_account(context, call, account);
    if (!owner) {
        return pass(owner);
    }
    const auto imported =
        import_all(context, call, owner->id, given, upload, [&](const auto& rooms, auto options) {
            return campaign::SuppressionImport::begin(rooms, owner->id, std::move(options));
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

Result<std::unique_ptr<Lines>> export_all(const Context& context, Call& call) {
    const auto named = call.fields.account();
    const auto format = take_export_format(call.fields, ExportFormat::csv);
    const auto account = find_exported_account(context, call, named);
    if (!account) {
        return pass(account);
    }
    return std::make_unique<AllSuppressions>(context, format, call.principal, *account);
}

}  // namespace merpati::api::manage::suppressions
