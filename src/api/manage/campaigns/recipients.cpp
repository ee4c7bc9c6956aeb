// The audience of a campaign: list, export, upload and removal.

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include <boost/json/serialize.hpp>

#include "api/manage/campaigns/campaign_view.hpp"
#include "api/manage/campaigns/people_upload.hpp"
#include "api/manage/engine/csv.hpp"
#include "api/manage/engine/handlers.hpp"
#include "api/manage/engine/listing.hpp"
#include "api/manage/engine/lookup.hpp"
#include "campaign/audience/audience_import.hpp"
#include "store/campaigns.hpp"

namespace merpati::api::manage::recipients {
namespace {

using boost::json::value;

/// Takes `state` and `reason`.
store::RecipientFilter take_filter(Fields& fields) {
    store::RecipientFilter filter;
    filter.state = fields.word("state", model::parse_recipient_state,
                               "pending, queued, sent, failed, skipped, uncertain or cancelled");
    filter.reason =
        fields.word("reason", model::parse_skip_reason,
                    "invalid, duplicate, suppressed, frequency, excluded or empty_value");
    return filter;
}

std::optional<std::uint32_t> parse_row(std::string_view text) {
    const auto row = model::CampaignId::parse(text);
    const bool fits = row && row->value <= std::numeric_limits<std::uint32_t>::max();
    return fits ? std::optional{static_cast<std::uint32_t>(row->value)} : std::nullopt;
}

/// The records of an export, in the order of rows, read from the store a page at a time.
class AllRecipients final : public Lines {
public:
    AllRecipients(const Context& context, const model::Campaign& campaign,
                  store::RecipientFilter filter, ExportFormat format)
        : context_(context),
          columns_(campaign.columns),
          filter_(std::move(filter)),
          format_(format) {
        filter_.campaign = campaign.id;
    }

    Result<Piece> next() override {
        Piece piece;
        if (!begun_) {
            begun_ = true;
            begin(piece.text);
        }
        filter_.limit = page_size;
        auto page = context_.read(
            [&](store::Reader& reader) { return reader.campaigns().recipients(filter_); });
        if (!page) {
            return pass(page);
        }
        std::size_t shown = 0;
        while (shown < page->recipients.size() && piece.text.size() < bytes_enough) {
            add(piece.text, page->recipients[shown++]);
        }
        // The other rows are read again, so that a client that does not read holds no page.
        const bool all = shown == page->recipients.size();
        piece.is_last = all && !page->next;
        filter_.after_row =
            all ? page->next.value_or(filter_.after_row) : page->recipients[shown - 1].row;
        return piece;
    }

    [[nodiscard]] std::string_view content_type() const noexcept override {
        return format_ == ExportFormat::csv ? csv_type : Lines::content_type();
    }

private:
    static constexpr std::size_t bytes_enough = 128UL * 1024;
    static constexpr std::size_t page_size = 200;
    static constexpr std::array<std::string_view, 5> first_columns{"row", "number", "original",
                                                                   "state", "reason"};
    static constexpr std::array<std::string_view, 5> last_columns{"variant", "device", "message",
                                                                  "code", "at"};

    void begin(std::string& lines) const {
        if (format_ == ExportFormat::ndjson) {
            return;
        }
        for (const auto column : first_columns) {
            add_cell(lines, column);
        }
        for (const auto& column : columns_) {
            add_cell(lines, column);
        }
        for (const auto column : last_columns) {
            add_cell(lines, column);
        }
        end_record(lines);
    }

    void add(std::string& lines, const model::Recipient& recipient) const {
        const auto shown = view(recipient, columns_);
        if (format_ == ExportFormat::ndjson) {
            lines += boost::json::serialize(shown);
            lines += '\n';
            return;
        }
        for (const auto column : first_columns) {
            add_field(lines, shown.at({column.data(), column.size()}));
        }
        for (std::size_t place = 0; place < columns_.size(); ++place) {
            add_cell(lines, place < recipient.values.size() ? recipient.values[place] : "");
        }
        for (const auto column : last_columns) {
            add_field(lines, shown.at({column.data(), column.size()}));
        }
        end_record(lines);
    }

    const Context& context_;
    const std::vector<std::string> columns_;
    store::RecipientFilter filter_;
    const ExportFormat format_;
    bool begun_ = false;
};

}  // namespace

Result<value> list(const Context& context, Call& call) {
    auto filter = take_filter(call.fields);
    filter.after_row = take_cursor(call.fields, "recipients " + call.id, parse_row).value_or(0);
    filter.limit = take_limit(call.fields);
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    return context.read([&](store::Reader& reader) -> Result<value> {
        const auto campaign = find_campaign(reader.campaigns(), call, call.id);
        if (!campaign) {
            return pass(campaign);
        }
        filter.campaign = campaign->id;
        const auto found = reader.campaigns().recipients(filter);
        if (!found) {
            return pass(found);
        }
        const bool masks = call.principal.sees_masked(campaign->account);
        const auto position_of = [](std::uint32_t row) { return std::to_string(row); };
        return page_of(
            found->recipients, found->next.transform(position_of), "recipients " + call.id,
            [&](const model::Recipient& recipient) {
                return view(recipient, campaign->columns, masks);
            },
            [&](const model::Recipient& recipient) { return position_of(recipient.row); });
    });
}

Result<std::unique_ptr<Lines>> export_all(const Context& context, Call& call) {
    auto filter = take_filter(call.fields);
    const auto format = take_export_format(call.fields);
    const auto campaign = find_named_campaign(context, call);
    if (!campaign) {
        return pass(campaign);
    }
    if (auto may = check_export(call, campaign->account); !may) {
        return pass(may);
    }
    return std::make_unique<AllRecipients>(context, *campaign, std::move(filter), format);
}

Result<value> add(const Context& context, Call& call, Upload& upload) {
    const UploadFields given{call};
    const auto campaign = find_named_campaign(context, call);
    if (!campaign) {
        return pass(campaign);
    }
    auto options = given.options(context, campaign->account);
    if (!options) {
        return pass(options);
    }
    const auto means = import_means(context);
    const auto imported = import_all(
        call, campaign->account, *std::move(options), upload, [&](campaign::UploadOptions used) {
            return campaign::AudienceImport::begin(means, campaign->id, std::move(used));
        });
    if (!imported) {
        return pass(imported);
    }
    call.did = {{"rows", imported->rows}, {"added", imported->added}};
    return boost::json::object{
        {"rows", imported->rows},
        {"added", imported->added},
        {"invalid", imported->invalid},
        {"duplicate", imported->duplicate},
        {"suppressed", imported->suppressed},
        {"columns", boost::json::array(imported->columns.begin(), imported->columns.end())}};
}

Result<value> empty(const Context& context, Call& call) {
    const auto named = find_named_campaign(context, call);
    if (!named) {
        return pass(named);
    }
    // An upload that is under way would add its rows to an audience that it does not know.
    const auto claim = context.campaigns.uploads.claim(named->id);
    if (!claim) {
        return pass(claim);
    }
    return context.commit_and_show(
        [&](store::Tables& tables) -> Result<model::Campaign> {
            const auto campaign = find_campaign(tables, call, call.id);
            return campaign ? tables.campaigns().empty_audience(campaign->id) : campaign;
        },
        [&](const model::Campaign& campaign) { return view(campaign, call.principal); });
}

}  // namespace merpati::api::manage::recipients
