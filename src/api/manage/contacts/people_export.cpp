// Exports of contacts and of suppressions.

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <boost/json/serialize.hpp>

#include "api/manage/campaigns/people_upload.hpp"
#include "api/manage/contacts/person_call.hpp"
#include "api/manage/engine/csv.hpp"
#include "api/manage/engine/handlers.hpp"
#include "api/manage/engine/lookup.hpp"
#include "campaign/audience/column_names.hpp"
#include "campaign/audience/contact_columns.hpp"
#include "campaign/audience/upload.hpp"
#include "store/campaigns.hpp"

namespace merpati::api::manage {
namespace {

constexpr std::size_t export_page_size = 200;
constexpr std::size_t export_bytes_enough = 128UL * 1024;

void add_line(std::string& lines, const boost::json::object& shown) {
    lines += boost::json::serialize(shown);
    lines += '\n';
}

/// The records of an account's people, in the order of their numbers. Between two pieces it holds
/// only the position.
template <class Record>
class PeopleLines : public Lines {
public:
    PeopleLines(const Context& context, admission::Principal caller, ExportFormat format)
        : context_(context), caller_(std::move(caller)), format_(format) {}

    Result<Piece> next() override {
        Piece piece;
        if (!begun_) {
            begun_ = true;
            if (format_ == ExportFormat::csv) {
                begin(piece.text);
            }
        }
        auto page = context_.read([&](store::Reader& reader) { return read(reader, after_); });
        if (!page) {
            return pass(page);
        }
        std::size_t shown = 0;
        while (shown < page->records.size() && piece.text.size() < export_bytes_enough) {
            const auto& record = page->records[shown++];
            if (format_ == ExportFormat::csv) {
                add_record(piece.text, record);
            } else {
                add_line(piece.text, view(record, caller_));
            }
        }
        const bool all = shown == page->records.size();
        piece.is_last = all && !page->next;
        after_ = all ? page->next : page->records[shown - 1].number;
        return piece;
    }

    [[nodiscard]] std::string_view content_type() const noexcept override {
        return format_ == ExportFormat::csv ? csv_type : Lines::content_type();
    }

protected:
    using Page = Result<store::NumberedRecords<Record>>;
    virtual Page read(store::Reader& reader, std::optional<model::PhoneNumber> after) const = 0;
    /// The names of the columns.
    virtual void begin(std::string& lines) const = 0;
    virtual void add_record(std::string& lines, const Record& record) const = 0;

private:
    const Context& context_;
    const admission::Principal caller_;
    const ExportFormat format_;
    std::optional<model::PhoneNumber> after_;
    bool begun_ = false;
};

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
    void add_cells(std::string& lines, const model::Contact& contact) const {
        std::vector<std::string_view> cells(places_.size());
        boost::json::object rest;
        for (const auto& [name, text] : contact.values) {
            if (const auto place = places_.find(name); place != places_.end()) {
                cells[place->second] = text;
            } else {
                rest[name] = text;
            }
        }
        for (const auto cell : cells) {
            add_cell(lines, cell);
        }
        if (has_rest_) {
            add_cell(lines, rest.empty() ? "" : boost::json::serialize(rest));
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
    AllContacts(const Context& context, admission::Principal caller, ExportFormat format,
                store::ContactFilter filter)
        : PeopleLines{context, std::move(caller), format},
          context_(context),
          filter_(std::move(filter)),
          has_all_columns_(format != ExportFormat::csv) {
        filter_.limit = export_page_size;
    }

    Result<Piece> next() override {
        return has_all_columns_ ? PeopleLines::next() : find_columns();
    }

private:
    Result<Piece> find_columns() {
        const auto page =
            context_.read([&](store::Reader& reader) { return read(reader, named_); });
        if (!page) {
            return pass(page);
        }
        const bool all_fit = std::ranges::all_of(
            page->records, [this](const auto& contact) { return columns_.add(contact); });
        named_ = page->next;
        has_all_columns_ = !all_fit || !named_;
        return Piece{};
    }

    Page read(store::Reader& reader, std::optional<model::PhoneNumber> after) const override {
        auto filter = filter_;
        filter.after = after;
        return reader.campaigns().contacts(filter);
    }
    void begin(std::string& lines) const override {
        for (const auto& column : columns_.header()) {
            add_cell(lines, column);
        }
        end_record(lines);
    }
    void add_record(std::string& lines, const model::Contact& contact) const override {
        std::string tags;
        for (const auto& tag : contact.tags) {
            tags.append(tags.empty() ? "" : ",").append(tag);
        }
        add_cell(lines, contact.number.text());
        add_cell(lines, contact.name);
        add_cell(lines, tags);
        add_cell(lines, contact.consent ? contact.consent->source : "");
        add_cell(lines, contact.consent ? to_rfc3339(contact.consent->at) : "");
        add_cell(lines, contact.consent ? contact.consent->text : "");
        columns_.add_cells(lines, contact);
        end_record(lines);
    }

    const Context& context_;
    store::ContactFilter filter_;
    ValueColumns columns_;
    bool has_all_columns_;
    std::optional<model::PhoneNumber> named_;  // The last contact whose names are known.
};

class AllSuppressions final : public PeopleLines<model::Suppression> {
public:
    AllSuppressions(const Context& context, admission::Principal caller, ExportFormat format,
                    model::AccountId account)
        : PeopleLines{context, std::move(caller), format}, account_(account) {}

private:
    static constexpr std::array<std::string_view, 4> columns{"number", "reason", "at", "campaign"};

    Page read(store::Reader& reader, std::optional<model::PhoneNumber> after) const override {
        return reader.campaigns().suppressions(
            {.account = account_, .after = after, .limit = export_page_size});
    }
    void begin(std::string& lines) const override {
        for (const auto column : columns) {
            add_cell(lines, column);
        }
        end_record(lines);
    }
    void add_record(std::string& lines, const model::Suppression& suppression) const override {
        add_cell(lines, suppression.number.text());
        add_cell(lines, model::to_string(suppression.reason));
        add_cell(lines, to_rfc3339(suppression.at));
        add_cell(lines, suppression.campaign ? suppression.campaign->text() : "");
        end_record(lines);
    }

    const model::AccountId account_;
};

/// The account of an export, once all fields are taken.
Result<model::AccountId> exported_account(const Context& context, Call& call,
                                          const std::optional<std::string>& named) {
    const auto owner = find_own_account(context, call, named);
    if (!owner) {
        return pass(owner);
    }
    const auto may = check_export(call, owner->id);
    return may ? Result<model::AccountId>{owner->id} : pass(may);
}

}  // namespace

namespace contacts {

Result<std::unique_ptr<Lines>> export_all(const Context& context, Call& call) {
    const auto named = call.fields.text("account", 32);
    store::ContactFilter filter;
    filter.tags = call.fields.words("tag", model::Contact::tags_max).value_or(filter.tags);
    const auto format = take_export_format(call.fields);
    const auto account = exported_account(context, call, named);
    if (!account) {
        return pass(account);
    }
    filter.account = *account;
    return std::make_unique<AllContacts>(context, call.principal, format, std::move(filter));
}

}  // namespace contacts

namespace suppressions {

Result<std::unique_ptr<Lines>> export_all(const Context& context, Call& call) {
    const auto named = call.fields.text("account", 32);
    const auto format = take_export_format(call.fields);
    const auto account = exported_account(context, call, named);
    if (!account) {
        return pass(account);
    }
    return std::make_unique<AllSuppressions>(context, call.principal, format, *account);
}

}  // namespace suppressions
}  // namespace merpati::api::manage
