#include "store/sql/campaign_rows.hpp"

#include <limits>

#include "store/plan_text.hpp"
#include "store/sql/rows.hpp"

namespace merpati::store::sql {
namespace {

std::int64_t count_in(const Cursor& row, int column) {
    return row.between(column, 0, std::numeric_limits<std::uint32_t>::max());
}

model::CampaignCounts read_counts(const Cursor& row, int first) {
    model::CampaignCounts counts;
    for (auto& count : counts.by_state) {
        count = count_in(row, first++);
    }
    counts.delivered = count_in(row, first++);
    counts.read = count_in(row, first);
    return counts;
}

model::CampaignEnds read_ends(const Cursor& row, int first) {
    return {.failures_in_row = row.number<std::uint32_t>(first),
            .unregistered = {static_cast<std::uint64_t>(row.integer(first + 1)),
                             static_cast<std::uint64_t>(row.integer(first + 2))},
            .recent = static_cast<std::uint32_t>(
                row.between(first + 3, 0, model::CampaignEnds::recent_max)),
            .sent = row.number<std::uint32_t>(first + 4),
            .opt_outs = row.number<std::uint32_t>(first + 5)};
}

}  // namespace

model::RecipientState read_state(const Cursor& row, int column) {
    using enum model::RecipientState;
    const auto value = row.between(column, stored(pending), stored(cancelled));
    return value < 0 ? static_cast<model::RecipientState>(value - waiting_offset)
                     : static_cast<model::RecipientState>(
                           row.between(column, stored(sent), stored(cancelled)));
}

std::optional<model::Progress> read_progress(const Cursor& row, int column) {
    return row.integer(column) == no_progress
               ? std::nullopt
               : std::optional{row.enumerator(column, model::Progress::read)};
}

std::int64_t CampaignRow::stored_removal() const noexcept {
    return is_copying ? removed_while_copying : is_removed ? 1 : 0;
}

bool CampaignRow::is_open() const noexcept {
    using enum model::CampaignState;
    const auto state = campaign.state;
    return !is_removed && (state == scheduled || state == running || state == paused ||
                           has_staged || (state == cancelled && campaign.counts.open() > 0));
}

bool CampaignRow::is_unnotified() const noexcept {
    return !is_removed && (campaign.state != notified_state || campaign.reason != notified_reason);
}

CampaignRow read_campaign(const Cursor& row) {
    CampaignRow read;
    auto& campaign = read.campaign;
    campaign.id = {row.integer(0)};
    campaign.account = {row.integer(1)};
    campaign.state = row.parsed(2, model::parse_campaign_state(row.text(2)));
    campaign.reason = row.parsed(3, model::parse_campaign_reason(row.text(3)));
    campaign.until = row.optional_time(4);
    campaign.created_at = row.time(5);
    campaign.started_at = row.optional_time(6);
    campaign.finished_at = row.optional_time(7);
    read.notified_state = row.parsed(8, model::parse_campaign_state(row.text(8)));
    read.notified_reason = row.parsed(9, model::parse_campaign_reason(row.text(9)));
    read.has_staged = row.integer(10) != 0;
    read.is_removed = row.integer(11) != 0;
    read.is_copying = row.integer(11) == removed_while_copying;
    read.is_pruned = row.integer(12) != 0;
    campaign.counts = read_counts(row, 13);
    campaign.ends = read_ends(row, 22);
    campaign.reserved = count_in(row, 28);
    campaign.next_due_at = row.time(29);
    campaign.plan = row.parsed(30, plan_of(row.text(30)));
    campaign.columns = row.parsed(31, list_of(row.text(31)));
    return read;
}

model::Recipient read_recipient(const Cursor& row) {
    model::Recipient recipient;
    recipient.campaign = campaign_of(row.integer(0));
    recipient.row = row_of(row.integer(0));
    if (!row.null(1)) {
        recipient.number = model::PhoneNumber::from_stored(row.integer(1));
    }
    recipient.state = read_state(row, 2);
    recipient.reason = row.enumerator(3, model::skip_reason_last);
    recipient.code = static_cast<model::StatusCode>(row.number<std::uint16_t>(4));
    recipient.variant = row.number<std::uint32_t>(5);
    if (row.integer(6) != no_device) {
        recipient.device = model::PhoneNumber::from_stored(row.integer(6));
    }
    if (row.integer(7) != no_message) {
        recipient.message = uuid_of(row.integer(7), row.integer(8));
    }
    recipient.progress = read_progress(row, 9);
    recipient.at = row.time(10);
    recipient.original = row.text(11);
    recipient.values = row.parsed(12, list_of(row.text(12)));
    return recipient;
}

model::Contact read_contact(const Cursor& row) {
    model::Contact contact;
    contact.account = {row.integer(0)};
    contact.number = model::PhoneNumber::from_stored(row.integer(1));
    contact.name = row.text(2);
    contact.tags = row.parsed(3, list_of(row.text(3)));
    if (!row.null(5)) {
        contact.consent = {.source = std::string{row.text(4)},
                           .at = row.time(5),
                           .text = std::string{row.text(6)}};
    }
    contact.created_at = row.time(7);
    contact.updated_at = row.time(8);
    contact.values = row.parsed(9, named_of(row.text(9)));
    return contact;
}

model::Suppression read_suppression(const Cursor& row) {
    model::Suppression suppression;
    suppression.account = {row.integer(0)};
    suppression.number = model::PhoneNumber::from_stored(row.integer(1));
    suppression.reason = row.parsed(2, model::parse_suppression_reason(row.text(2)));
    suppression.at = row.time(3);
    if (!row.null(4)) {
        suppression.campaign = model::CampaignId{row.integer(4)};
    }
    return suppression;
}

}  // namespace merpati::store::sql
