// The method of StoredCampaigns that queues rows in lanes.
#include "base/assert.hpp"
#include "store/sql/rows.hpp"
#include "store/sql/stored_campaigns.hpp"

namespace merpati::store::sql {
namespace {

using model::RecipientState;
using model::SkipReason;

}  // namespace

Result<void> StoredCampaigns::queue_rows(model::CampaignId id, PlannedRows& rows) {
    auto* found = edit(id);
    if (found == nullptr) {
        return fail(ErrorCode::not_found, "there is no such campaign");
    }
    for (auto& planned : rows.rows) {
        planned.result = PlannedRow::Result::left;
        if (found->campaign.state == model::CampaignState::running) {
            queue_row(found->campaign, planned, rows.at);
        }
    }
    found->campaign.next_due_at = rows.next_due_at;
    return {};
}

/// A row that is left out because it is damaged is left.
void StoredCampaigns::queue_row(const model::Campaign& campaign, PlannedRow& planned,
                                Timestamp at) {
    const auto key = row_key(campaign.id, planned.row);
    model::PhoneNumber number;
    auto waits = Waiting::no;
    if (!recipients().guard(key, [&] { waits = is_pending(campaign, key, number); }) ||
        waits == Waiting::no) {
        return;
    }
    if (waits == Waiting::erased) {
        cancel_erased(key, at);
        return;
    }
    auto reason = planned.message == nullptr ? planned.reason : SkipReason::none;
    if (planned.message != nullptr) {
        invariant(planned.message->campaign == campaign.id &&
                      planned.message->campaign_row == planned.row &&
                      planned.message->account == campaign.account,
                  "a planned message is of its row");
        reason = checks_.check(campaign, number, at);
    } else {
        invariant(reason != SkipReason::none, "a row without a message is skipped for a reason");
    }
    if (reason != SkipReason::none) {
        skip(key, reason, at);
        planned.reason = reason;
        planned.result = PlannedRow::Result::skipped;
        return;
    }
    planned.result = decide(campaign, planned, at);
}

StoredCampaigns::Waiting StoredCampaigns::is_pending(const model::Campaign& campaign,
                                                     std::int64_t key, model::PhoneNumber& number) {
    auto row = find_row_.query(key);
    if (row_of(key) > campaign.counts.total() || !row.next() ||
        row.integer(0) != stored(RecipientState::pending) || row.null(1)) {
        return Waiting::no;
    }
    number = model::PhoneNumber::from_stored(row.integer(1));
    return row.text(2).empty() ? Waiting::erased : Waiting::yes;
}

/// Its message was under way when the person was erased, and has come back since.
void StoredCampaigns::cancel_erased(std::int64_t key, Timestamp at) {
    recipients().guard(
        key, [&] { recipients().end(key, RecipientState::cancelled, SkipReason::none, at); });
    recipients().count(campaign_of(key), RecipientState::pending, RecipientState::cancelled);
}

void StoredCampaigns::skip(std::int64_t key, SkipReason reason, Timestamp at) {
    recipients().guard(key, [&] { recipients().end(key, RecipientState::skipped, reason, at); });
    recipients().count(campaign_of(key), RecipientState::pending, RecipientState::skipped);
    campaigns().count_outcome(campaign_of(key), reason, 1);
}

PlannedRow::Result StoredCampaigns::decide(const model::Campaign& campaign, PlannedRow& planned,
                                           Timestamp at) {
    auto& message = *planned.message;
    if (writer_.senders().owner_of(message.device) != campaign.account) {
        return PlannedRow::Result::sender_gone;
    }
    const auto charge = recipients().charge(message);
    if (charge == Credits::Charge::exhausted) {
        return PlannedRow::Result::credit_exhausted;
    }
    message.charged = charge == Credits::Charge::charged;
    writer_.store(message);
    const auto key = row_key(campaign.id, planned.row);
    recipients().guard(
        key, [&] { recipients().queue(key, message.id, message.device, planned.variant, at); });
    recipients().count(campaign.id, RecipientState::pending, RecipientState::queued);
    return PlannedRow::Result::queued;
}

}  // namespace merpati::store::sql
