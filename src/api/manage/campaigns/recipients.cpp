// The audience of a campaign: list, export, upload and removal.

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "api/manage/campaigns/campaign_view.hpp"
#include "api/manage/campaigns/people_upload.hpp"
#include "api/manage/engine/handlers.hpp"
#include "api/manage/engine/listing.hpp"
#include "api/manage/engine/lookup.hpp"
#include "api/manage/engine/record_lines.hpp"
#include "campaign/audience/audience_import.hpp"
#include "campaign/audience/uploads.hpp"
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

/// As store::RecipientPage.
struct Rows {
    std::vector<model::Recipient> records;
    std::optional<std::uint32_t> next;
};

/// In the order of rows.
class AllRecipients final : public RecordLines<Rows> {
public:
    AllRecipients(const Context& context, ExportFormat format, const model::Campaign& campaign,
                  store::RecipientFilter filter)
        : RecordLines{context, format}, columns_(campaign.columns), filter_(std::move(filter)) {
        filter_.campaign = campaign.id;
    }

private:
    static constexpr std::array<std::string_view, 5> first_columns{"row", "number", "original",
                                                                   "state", "reason"};
    static constexpr std::array<std::string_view, 5> last_columns{"variant", "device", "message",
                                                                  "code", "at"};

    Result<Rows> read(store::Reader& reader, const Position& after,
                      std::size_t limit) const override {
        auto filter = filter_;
        filter.after_row = after.value_or(0);
        filter.limit = limit;
        auto found = reader.campaigns().recipients(filter);
        return found ? Result<Rows>{{.records = std::move(found->recipients), .next = found->next}}
                     : pass(found);
    }
    Position position_of(const model::Recipient& recipient) const override { return recipient.row; }
    boost::json::object line_of(const model::Recipient& recipient) const override {
        return view(recipient, columns_);
    }
    void add_header(std::string& csv) const override {
        add_cells(csv, first_columns);
        add_cells(csv, columns_);
        add_cells(csv, last_columns);
    }
    void add_row(std::string& csv, const model::Recipient& recipient) const override {
        const auto shown = view(recipient, columns_);
        add_fields(csv, shown, first_columns);
        for (std::size_t place = 0; place < columns_.size(); ++place) {
            add_cell(csv, place < recipient.values.size() ? recipient.values[place] : "");
        }
        add_fields(csv, shown, last_columns);
    }

    const std::vector<std::string> columns_;
    store::RecipientFilter filter_;
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
    const auto format = take_export_format(call.fields, ExportFormat::csv);
    const auto campaign = find_named_campaign(context, call);
    if (!campaign) {
        return pass(campaign);
    }
    if (auto may = check_export(call, campaign->account); !may) {
        return pass(may);
    }
    return std::make_unique<AllRecipients>(context, format, *campaign, std::move(filter));
}

Result<value> add(const Context& context, Call& call, Upload& upload) {
    const UploadFields given{call};
    const auto campaign = find_named_campaign(context, call);
    if (!campaign) {
        return pass(campaign);
    }
    const auto imported = import_all(
        context, call, campaign->account, given, upload, [&](const auto& rooms, auto options) {
            return campaign::AudienceImport::begin(rooms, campaign->id, std::move(options));
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
