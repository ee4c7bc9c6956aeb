// Exports of people: of an account's contacts, or of its suppressions.
#pragma once

#include <optional>
#include <utility>

#include "admission/principal.hpp"
#include "api/manage/contacts/person_call.hpp"
#include "api/manage/engine/record_lines.hpp"
#include "store/contacts.hpp"

namespace merpati::api::manage {

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
