// The export of contacts.

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <boost/json/serialize.hpp>

#include "api/manage/campaigns/people_upload.hpp"
#include "api/manage/contacts/people_lists.hpp"
#include "api/manage/engine/handlers.hpp"
#include "campaign/audience/column_names.hpp"
#include "campaign/audience/contact_columns.hpp"
#include "campaign/audience/upload.hpp"
#include "store/contacts.hpp"

namespace merpati::api::manage::contacts {
namespace {

/// The columns of the values of exported contacts.
class ValueColumns {
public:
    /// With those of the fields no more than an upload may have, one is for the rest.
    static constexpr std::size_t names_max =
        campaign::upload_columns_max - campaign::exported_columns.size() - 1;

    /// False: the contact has a name for which there is no column any more.
    bool add(const model::Contact& contact) {
        for (const auto& [name, text] : contact.values) {
            if (!places_.contains(name)) {
                has_rest_ = places_.size() == names_max;
                if (has_rest_) {
                    return false;
                }
                places_.emplace(name, places_.size());
                campaign::append_column(header_,
                                        campaign::is_contact_field(name) ? name + "_2" : name);
            }
        }
        return true;
    }
    [[nodiscard]] std::vector<std::string> header() const {
        auto columns = header_;
        if (has_rest_) {
            campaign::append_column(columns, "other_values");
        }
        return columns;
    }
    void add_cells(std::string& csv, const model::Contact& contact) const {
        std::vector<std::string_view> cells(places_.size());
        boost::json::object rest;
        for (const auto& [name, text] : contact.values) {
            if (const auto place = places_.find(name); place != places_.end()) {
                cells[place->second] = text;
            } else {
                rest[name] = text;
            }
        }
        manage::add_cells(csv, cells);
        if (has_rest_) {
            add_cell(csv, rest.empty() ? "" : boost::json::serialize(rest));
        }
    }

private:
    std::map<std::string, std::size_t, std::less<>> places_;
    std::vector<std::string> header_{campaign::exported_columns.begin(),
                                     campaign::exported_columns.end()};
    bool has_rest_ = false;
};

/// A table begins with the names of all its columns, so contacts are read twice for one. A value
/// with a new name that comes in between is left out.
class AllContacts final : public PeopleLines<model::Contact> {
public:
    AllContacts(const Context& context, ExportFormat format, admission::Principal caller,
                store::ContactFilter filter)
        : PeopleLines{context, format, std::move(caller)},
          filter_(std::move(filter)),
          has_all_columns_(format != ExportFormat::csv) {}

    Result<Piece> next() override {
        return has_all_columns_ ? PeopleLines::next() : find_columns();
    }

private:
    Result<Piece> find_columns() {
        const auto page = read_page(named_, page_size);
        if (!page) {
            return pass(page);
        }
        const bool all_fit = std::ranges::all_of(
            page->records, [this](const auto& contact) { return columns_.add(contact); });
        named_ = page->next;
        has_all_columns_ = !all_fit || !named_;
        return Piece{};
    }

    Result<Page> read(store::Reader& reader, const Position& after,
                      std::size_t limit) const override {
        auto filter = filter_;
        filter.after = after;
        filter.limit = limit;
        return reader.contacts().contacts(filter);
    }
    void add_header(std::string& csv) const override { add_cells(csv, columns_.header()); }
    void add_row(std::string& csv, const model::Contact& contact) const override {
        std::string tags;
        for (const auto& tag : contact.tags) {
            tags.append(tags.empty() ? "" : ",").append(tag);
        }
        add_cell(csv, contact.number.text());
        add_cell(csv, contact.name);
        add_cell(csv, tags);
        add_cell(csv, contact.consent ? contact.consent->source : "");
        add_cell(csv, contact.consent ? to_rfc3339(contact.consent->at) : "");
        add_cell(csv, contact.consent ? contact.consent->text : "");
        columns_.add_cells(csv, contact);
    }

    const store::ContactFilter filter_;
    ValueColumns columns_;
    bool has_all_columns_;
    std::optional<model::PhoneNumber> named_;  // The last contact whose names are known.
};

}  // namespace

Result<std::unique_ptr<Lines>> export_all(const Context& context, Call& call) {
    const auto named = call.fields.account();
    store::ContactFilter filter;
    filter.tags = call.fields.words("tag", model::Contact::tags_max).value_or(filter.tags);
    const auto format = take_export_format(call.fields, ExportFormat::csv);
    const auto account = find_exported_account(context, call, named);
    if (!account) {
        return pass(account);
    }
    filter.account = *account;
    return std::make_unique<AllContacts>(context, format, call.principal, std::move(filter));
}

}  // namespace merpati::api::manage::contacts
