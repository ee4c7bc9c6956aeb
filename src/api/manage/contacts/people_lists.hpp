// Lists of people, in pages and exported: of an account's contacts, or of its suppressions.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include <boost/json/value.hpp>

#include "admission/principal.hpp"
#include "api/manage/contacts/person_call.hpp"
#include "api/manage/engine/listing.hpp"
#include "api/manage/engine/lookup.hpp"
#include "api/manage/engine/record_lines.hpp"
#include "store/contacts.hpp"

namespace merpati::api::manage {

/// Takes `account`, `cursor` and `limit` as the call's last fields, and answers a page of the
/// people that the filter finds. `searches`: by what viewers do not see. `read` is the list's
/// function of store::ContactReader.
template <class Filter, class Read>
[[nodiscard]] Result<boost::json::value> list_people(const Context& context, Call& call,
                                                     std::string_view list, Filter filter,
                                                     bool searches, Read read) {
    const NumberCursor cursor{context.store};
    const auto account = call.fields.account();
    filter.after = take_cursor(call.fields, list, [&](auto text) { return cursor.parse(text); });
    filter.limit = take_limit(call.fields);
    const auto owner = find_own_account(context, call, account);
    if (!owner) {
        return pass(owner);
    }
    const auto sees = searches ? check_sees_people(call, owner->id) : Result<void>{};
    if (!sees) {
        return pass(sees);
    }
    filter.account = owner->id;
    const auto found = context.read(
        [&](store::Reader& reader) { return std::invoke(read, reader.contacts(), filter); });
    if (!found) {
        return pass(found);
    }
    return page_of(
        found->records, cursor.text(found->next), list,
        [&](const auto& person) { return view(person, call.principal); },
        [&](const auto& person) { return cursor.text(person.number); });
}

/// The records of an account's people, in the order of their numbers.
template <class Record>
class PeopleLines : public RecordLines<store::NumberedRecords<Record>> {
public:
    PeopleLines(const Context& context, ExportFormat format, admission::Principal caller)
        : RecordLines<Page>{context, format}, caller_(std::move(caller)) {}

protected:
    using Page = store::NumberedRecords<Record>;
    using Position = std::optional<model::PhoneNumber>;

private:
    Position position_of(const Record& record) const override { return record.number; }
    boost::json::object line_of(const Record& record) const override {
        return view(record, caller_);
    }

    const admission::Principal caller_;
};

}  // namespace merpati::api::manage
