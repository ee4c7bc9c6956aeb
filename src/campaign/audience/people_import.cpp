#include "campaign/audience/people_import.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/utf8.hpp"
#include "campaign/audience/contact_columns.hpp"
#include "campaign/audience/csv_reader.hpp"
#include "campaign/audience/list_spool.hpp"
#include "campaign/audience/step_writer.hpp"
#include "campaign/audience/upload_reader.hpp"
#include "campaign/text/column_name.hpp"
#include "model/contact.hpp"
#include "store/contacts.hpp"

namespace merpati::campaign {
namespace {

/// What a row says of a person.
struct PersonRow {
    model::PhoneNumber number;
    std::string name{};
    std::vector<std::pair<std::string, std::string>> values{};
    std::vector<std::string> tags{};
    std::optional<model::Consent> consent{};
    bool has_consent_time = false;  // Otherwise it is the present.
};

/// The field of a contact that a column holds.
enum class ContactField : std::uint8_t { value, name, tags, source, at, text };

ContactField field_of(std::string_view column) {
    const auto key = column_key(column);
    struct Known {
        std::string_view name;
        ContactField field;
    };
    static constexpr Known known[] = {{"name", ContactField::name},
                                      {"nama", ContactField::name},
                                      {"tag", ContactField::tags},
                                      {"tags", ContactField::tags},
                                      {"consent_source", ContactField::source},
                                      {"consent_at", ContactField::at},
                                      {"consent_text", ContactField::text}};
    const auto* found =
        std::ranges::find_if(known, [&](const Known& one) { return one.name == key; });
    return found == std::end(known) ? ContactField::value : found->field;
}

void add_tags(std::vector<std::string>& tags, std::string_view cell) {
    while (!cell.empty()) {
        const auto end = std::min(cell.find_first_of(",;|"), cell.size());
        const auto tag = without_blanks(cell.substr(0, end));
        if (!tag.empty()) {
            tags.emplace_back(utf8_prefix(tag, model::Contact::tag_bytes_max));
        }
        cell.remove_prefix(std::min(end + 1, cell.size()));
    }
}

void tidy_tags(std::vector<std::string>& tags) {
    std::ranges::sort(tags);
    const auto repeats = std::ranges::unique(tags);
    tags.erase(repeats.begin(), repeats.end());
}

/// The column of the numbers is none of the values.
PersonRow person_of(UploadRow&& row, const UploadReader& upload, Timestamp now) {
    const auto& columns = upload.columns();
    PersonRow person{.number = *row.number};
    model::Consent consent{.source = {}, .at = now, .text = {}};
    bool has_consent = false;
    for (std::size_t at = 0; at < row.values.size(); ++at) {
        auto& value = row.values[at];
        if (value.empty() || at == upload.number_place()) {
            continue;
        }
        const auto field = field_of(columns[at]);
        has_consent = has_consent || field == ContactField::source || field == ContactField::text;
        switch (field) {
            case ContactField::name:
                person.name = std::move(value);
                break;
            case ContactField::tags:
                add_tags(person.tags, value);
                break;
            case ContactField::source:
                consent.source = std::move(value);
                break;
            case ContactField::at:
                person.has_consent_time = parse_rfc3339(value).has_value();
                consent.at = parse_rfc3339(value).value_or(now);
                break;
            case ContactField::text:
                consent.text = std::move(value);
                break;
            case ContactField::value:
                person.values.emplace_back(columns[at], std::move(value));
                break;
        }
    }
    if (has_consent) {
        person.consent = std::move(consent);
    }
    return person;
}

/// The contact with what the row adds. Errors: invalid_argument (it would have too much).
Result<model::Contact> merged(model::Contact contact, const PersonRow& row) {
    contact.name = row.name.empty() ? contact.name : row.name;
    for (const auto& [name, value] : row.values) {
        const auto known = std::ranges::find_if(contact.values, [&](const auto& one) {
            return column_key(one.first) == column_key(name);
        });
        if (known != contact.values.end()) {
            known->second = value;
        } else {
            contact.values.emplace_back(name, value);
        }
    }
    contact.tags.insert(contact.tags.end(), row.tags.begin(), row.tags.end());
    tidy_tags(contact.tags);
    // A repeat of the upload does not make the consent newer.
    const bool is_known = row.consent && contact.consent && !row.has_consent_time &&
                          contact.consent->source == row.consent->source &&
                          contact.consent->text == row.consent->text;
    contact.consent = row.consent && !is_known ? row.consent : contact.consent;
    if (contact.values.size() > model::Contact::values_max ||
        contact.tags.size() > model::Contact::tags_max) {
        return fail(ErrorCode::invalid_argument,
                    fmt::format("{} would have more than {} values or {} tags: remove columns or "
                                "tags from the list",
                                contact.number.text(), model::Contact::values_max,
                                model::Contact::tags_max));
    }
    return contact;
}

std::size_t bytes_of(const PersonRow& row) {
    std::size_t bytes = sizeof row + row.name.size();
    for (const auto& [name, value] : row.values) {
        bytes += 2 * sizeof name + name.size() + value.size();
    }
    return bytes;
}

/// Reads an upload into steps of people, once it is complete and has no mistake.
class PeopleSteps final : public ListImport::Work {
public:
    using Writer = StepWriter<PersonRow, Imported>;

    /// `tags` are given to all.
    PeopleSteps(const ImportRooms& rooms, UploadOptions options, std::vector<std::string> tags,
                Writer::Write write)
        : rooms_(rooms),
          options_(std::move(options)),
          tags_(std::move(tags)),
          reader_(make_upload_reader(options_, false)),
          steps_(rooms_, imported_, std::move(write)) {}

    Result<void> take(std::string_view piece) override {
        auto read = reader_->take(piece, ignore);
        return read ? spool_.add(piece) : read;
    }

    Result<Imported> finish() override {
        auto read = reader_->finish(ignore);
        read = read ? write_all() : read;
        if (!read) {
            return pass(read);
        }
        imported_.columns = reader_->columns();
        return imported_;
    }

private:
    static Result<void> ignore(UploadRow&& /*row*/) { return {}; }

    Result<void> write_all() {
        reader_ = make_upload_reader(options_, false);
        const auto people = sink();
        auto read =
            spool_.read_all([&](std::string_view piece) { return reader_->take(piece, people); });
        read = read ? reader_->finish(people) : read;
        return read ? steps_.flush() : read;
    }

    UploadReader::Sink sink() {
        return [this](UploadRow&& row) -> Result<void> {
            ++imported_.rows;
            if (!row.number) {
                ++imported_.invalid;
                imported_.rounded += row.is_rounded ? 1U : 0U;
                return {};
            }
            auto person = person_of(std::move(row), *reader_, rooms_.clock.now());
            person.tags.insert(person.tags.end(), tags_.begin(), tags_.end());
            const auto bytes = bytes_of(person);
            return steps_.add(std::move(person), bytes);
        };
    }

    const ImportRooms rooms_;
    const UploadOptions options_;
    const std::vector<std::string> tags_;
    std::unique_ptr<UploadReader> reader_;
    ListSpool spool_;
    Imported imported_;
    Writer steps_;
};

Result<void> merge_contacts(store::ContactTables& tables, model::AccountId account, Timestamp now,
                            std::span<const PersonRow> people, Imported& counts) {
    for (const auto& person : people) {
        auto known = tables.find_contact(account, person.number);
        if (!known) {
            return pass(known);
        }
        const auto before = known->value_or(
            model::Contact{.account = account, .number = person.number, .created_at = now});
        auto contact = merged(before, person);
        if (!contact) {
            return pass(contact);
        }
        if (*known && *contact == before) {
            ++counts.duplicate;
            continue;
        }
        contact->updated_at = now;
        if (auto put = tables.put_contact(*contact); !put) {
            return pass(put);
        }
        ++(*known ? counts.changed : counts.added);
    }
    return {};
}

Result<void> suppress(store::ContactTables& tables, model::AccountId account, Timestamp now,
                      std::span<const PersonRow> people, Imported& counts) {
    for (const auto& person : people) {
        auto known = tables.find_suppression(account, person.number);
        if (!known) {
            return pass(known);
        }
        if (*known) {
            ++counts.duplicate;
            continue;
        }
        auto put = tables.put_suppression({.account = account,
                                           .number = person.number,
                                           .reason = model::SuppressionReason::import,
                                           .at = now});
        if (!put) {
            return pass(put);
        }
        ++counts.added;
    }
    return {};
}

}  // namespace

bool is_contact_field(std::string_view column) {
    return field_of(column) != ContactField::value;
}

Result<ContactImport> ContactImport::begin(const ImportRooms& rooms, model::AccountId account,
                                           UploadOptions options, std::vector<std::string> tags) {
    if (auto checked = check_options(options); !checked) {
        return pass(checked);
    }
    tidy_tags(tags);
    const bool fits = tags.size() <= model::Contact::tags_max &&
                      std::ranges::all_of(tags, [](const std::string& tag) {
                          return !tag.empty() && tag.size() <= model::Contact::tag_bytes_max;
                      });
    if (!fits) {
        return fail(ErrorCode::invalid_argument,
                    fmt::format("`tag` must be a text of 1 to {} bytes, and given at most {} times",
                                model::Contact::tag_bytes_max, model::Contact::tags_max));
    }
    return ContactImport{std::make_unique<PeopleSteps>(
        rooms, std::move(options), std::move(tags),
        [account, &clock = rooms.clock](store::Tables& tables, auto people, auto& counts) {
            return merge_contacts(tables.contacts(), account, clock.now(), people, counts);
        })};
}

Result<SuppressionImport> SuppressionImport::begin(const ImportRooms& rooms,
                                                   model::AccountId account,
                                                   UploadOptions options) {
    if (auto checked = check_options(options); !checked) {
        return pass(checked);
    }
    return SuppressionImport{std::make_unique<PeopleSteps>(
        rooms, std::move(options), std::vector<std::string>{},
        [account, &clock = rooms.clock](store::Tables& tables, auto people, auto& counts) {
            return suppress(tables.contacts(), account, clock.now(), people, counts);
        })};
}

}  // namespace merpati::campaign
