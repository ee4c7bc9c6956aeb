#include "campaign/audience/audience_import.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "campaign/audience/step_writer.hpp"
#include "campaign/audience/upload_reader.hpp"
#include "campaign/text/column_name.hpp"
#include "store/campaigns.hpp"
#include "store/contacts.hpp"
#include "store/reader.hpp"

namespace merpati::campaign {
namespace {

constexpr std::size_t removed_in_step = 500;
constexpr std::size_t contacts_in_page = 500;

std::size_t size_of(const store::NewRecipient& row) {
    std::size_t bytes = sizeof row + row.original.size();
    for (const auto& value : row.values) {
        bytes += sizeof value + value.size();
    }
    return bytes;
}

/// The import after its claim.
class Staging final : public ListImport::Work {
public:
    Staging(const ImportRooms& rooms, Uploads::Claim claim, model::Campaign campaign,
            UploadOptions options)
        : rooms_(rooms),
          claim_(std::move(claim)),
          campaign_(std::move(campaign)),
          reader_(make_upload_reader(std::move(options), true)),
          columns_(campaign_.columns),
          steps_(rooms_, counts_, [this](store::Tables& tables, auto rows, auto& counts) {
              return stage(tables, rows, counts);
          }) {}

    ~Staging() override {
        if (!is_complete_ && has_staged_) {
            (void)remove_staged();  // Otherwise the next start does it.
        }
    }

    Result<void> remove_staged() {
        store::RowStep step;
        while (!step.complete) {
            auto removed = rooms_.change([&](store::Tables& tables) -> Result<void> {
                auto one = tables.campaigns().remove_rows(campaign_.id, removed_in_step);
                if (!one) {
                    return pass(one);
                }
                step = *one;
                return {};
            });
            if (!removed) {
                return removed;
            }
        }
        return {};
    }

    Result<void> take(std::string_view piece) override { return reader_->take(piece, sink()); }

    Result<Imported> finish() override {
        auto read = read_all();
        return read ? Result<Imported>{imported()} : pass(read);
    }

private:
    UploadReader::Sink sink() {
        return [this](UploadRow&& row) { return add(std::move(row)); };
    }

    Result<void> read_all() {
        if (auto read = reader_->finish(sink()); !read) {
            return read;
        }
        if (auto merged = merge_columns(); !merged) {
            return merged;
        }
        if (!reader_->tags().empty()) {
            if (auto added = add_contacts(); !added) {
                return added;
            }
        }
        if (auto flushed = steps_.flush(); !flushed) {
            return flushed;
        }
        auto completed = rooms_.change([&](store::Tables& tables) -> Result<void> {
            auto one = tables.campaigns().complete_upload(campaign_.id, columns_, counts_);
            return one ? Result<void>{} : pass(one);
        });
        is_complete_ = completed.has_value();
        return completed;
    }

    Imported imported() const {
        Imported all{.rows = counts_.rows,
                     .added = counts_.added,
                     .invalid = counts_.invalid,
                     .duplicate = counts_.duplicate,
                     .suppressed = counts_.suppressed,
                     .rounded = rounded_,
                     .columns = reader_->columns()};
        if (!reader_->tags().empty()) {
            all.columns = contact_columns_;
        }
        return all;
    }

    Result<void> stage(store::Tables& tables, std::span<const store::NewRecipient> rows,
                       store::UploadCounts& counts) const {
        std::vector<store::NewRecipient> present;
        if (!reader_->tags().empty()) {
            auto found = present_contacts(tables, rows);
            if (!found) {
                return pass(found);
            }
            present = *std::move(found);
            rows = present;
        }
        return tables.campaigns().stage_rows(campaign_.id, rows, counts, rooms_.clock.now());
    }

    /// Without the contacts that were removed since they were read.
    Result<std::vector<store::NewRecipient>> present_contacts(
        store::Tables& tables, std::span<const store::NewRecipient> rows) const {
        std::vector<store::NewRecipient> present;
        for (const auto& row : rows) {
            const auto contact = tables.contacts().find_contact(campaign_.account, *row.number);
            if (!contact) {
                return pass(contact);
            }
            if (*contact) {
                present.push_back(row);
            }
        }
        return present;
    }

    /// Where a column of the upload is among those of the campaign.
    Result<std::size_t> place_of(std::string_view name) {
        if (const auto found = find_column(columns_, name)) {
            return *found;
        }
        if (columns_.size() == model::Campaign::columns_max) {
            return fail(ErrorCode::invalid_argument,
                        fmt::format("the uploads of this campaign have more than {} columns "
                                    "together: remove those that no message needs",
                                    model::Campaign::columns_max));
        }
        columns_.emplace_back(name);
        return columns_.size() - 1;
    }

    Result<void> merge_columns() {
        const auto& names = reader_->columns();
        while (places_.size() < names.size()) {
            const auto place = place_of(names[places_.size()]);
            if (!place) {
                return pass(place);
            }
            places_.push_back(*place);
        }
        return {};
    }

    Result<void> add(UploadRow&& row) {
        if (auto merged = merge_columns(); !merged) {
            return merged;
        }
        rounded_ += row.is_rounded ? 1U : 0U;
        store::NewRecipient recipient{.number = row.number, .original = std::move(row.original)};
        for (std::size_t at = 0; at < row.values.size(); ++at) {
            put_value(recipient, places_[at], std::move(row.values[at]));
        }
        return add(std::move(recipient));
    }

    Result<void> add(store::NewRecipient&& recipient) {
        const auto bytes = size_of(recipient);
        has_staged_ = true;
        return steps_.add(std::move(recipient), bytes);
    }

    static void put_value(store::NewRecipient& recipient, std::size_t place, std::string value) {
        if (value.empty()) {
            return;
        }
        if (recipient.values.size() <= place) {
            recipient.values.resize(place + 1);
        }
        recipient.values[place] = std::move(value);
    }

    Result<void> add_contacts();

    const ImportRooms rooms_;
    Uploads::Claim claim_;
    model::Campaign campaign_;
    std::unique_ptr<UploadReader> reader_;
    std::vector<std::string> columns_;  // Of the campaign after the upload,
    std::vector<std::size_t> places_;   // and where those of the upload are in them.
    std::vector<std::string> contact_columns_;
    store::UploadCounts counts_;
    StepWriter<store::NewRecipient, store::UploadCounts> steps_;
    std::uint64_t rounded_ = 0;
    bool has_staged_ = false;
    bool is_complete_ = false;
};

/// Adds the contacts that have any of the upload's tags; name and values become columns.
Result<void> Staging::add_contacts() {
    store::ContactFilter filter{
        .account = campaign_.account, .tags = reader_->tags(), .limit = contacts_in_page};
    const auto put = [this](store::NewRecipient& recipient, std::string_view name,
                            const std::string& value) -> Result<void> {
        const auto place = place_of(name);
        if (!place) {
            return pass(place);
        }
        if (!find_column(contact_columns_, name)) {
            contact_columns_.emplace_back(name);
        }
        put_value(recipient, *place, value_text(value));
        return {};
    };
    do {
        auto page = rooms_.readers.read(
            [&](store::Reader& reader) { return reader.contacts().contacts(filter); });
        if (!page) {
            return pass(page);
        }
        for (const auto& contact : page->records) {
            store::NewRecipient recipient{.number = contact.number,
                                          .original = contact.number.text()};
            auto added = put(recipient, "name", contact.name);
            for (auto value = contact.values.begin(); added && value != contact.values.end();
                 ++value) {
                added = put(recipient, value->first, value->second);
            }
            added = added ? add(std::move(recipient)) : added;
            if (!added) {
                return added;
            }
        }
        filter.after = page->next;
    } while (filter.after);
    return {};
}

}  // namespace

Result<AudienceImport> AudienceImport::begin(const ImportRooms& rooms, model::CampaignId campaign,
                                             UploadOptions options) {
    if (auto checked = check_options(options); !checked) {
        return pass(checked);
    }
    auto claim = rooms.uploads.claim(campaign);
    if (!claim) {
        return pass(claim);
    }
    model::Campaign found;
    auto looked_up = rooms.change([&](store::Tables& tables) -> Result<void> {
        auto one = tables.campaigns().find_campaign(campaign);
        if (!one) {
            return pass(one);
        }
        if (!*one) {
            return fail(ErrorCode::not_found, "there is no such campaign");
        }
        if ((*one)->state != model::CampaignState::draft) {
            return fail(ErrorCode::conflict, "the campaign is not a draft");
        }
        found = std::move(**one);
        return {};
    });
    if (!looked_up) {
        return pass(looked_up);
    }
    auto staging =
        std::make_unique<Staging>(rooms, std::move(*claim), std::move(found), std::move(options));
    if (auto removed = staging->remove_staged(); !removed) {
        return pass(removed);
    }
    return AudienceImport{std::move(staging)};
}

}  // namespace merpati::campaign
