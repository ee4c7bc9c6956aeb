// The methods of StoredCampaigns for the rows of audiences.
#include <limits>

#include <fmt/format.h>

#include "store/plan_text.hpp"
#include "store/sql/rows.hpp"
#include "store/sql/stored_campaigns.hpp"

namespace merpati::store::sql {
namespace {

using model::RecipientState;
using model::SkipReason;

/// The id of the campaign's last row, staged ones included; that of row 0 if there is none.
std::int64_t last_key(Connection& connection, model::CampaignId id) {
    const auto none = row_key(id, 0);
    Statement find_last{connection,
                        "SELECT max(id) FROM campaign_recipient WHERE id > ? AND id < ?"};
    auto row = find_last.query(none, recipients_end(id));
    return row.next() && !row.null(0) ? row.integer(0) : none;
}

std::unexpected<Error> campaign_is_gone() {
    return fail(ErrorCode::not_found, "there is no such campaign");
}

}  // namespace

Result<void> StoredCampaigns::stage_rows(model::CampaignId id, std::span<const NewRecipient> rows,
                                         UploadCounts& counts, Timestamp at) {
    const auto draft = find_draft(id);
    if (!draft) {
        return pass(draft);
    }
    auto key = last_key(connection_, id);
    if (rows.size() > std::numeric_limits<std::uint32_t>::max() - row_of(key)) {
        return fail(ErrorCode::refused, "a campaign cannot have so many rows");
    }
    for (const auto& row : rows) {
        stage((*draft)->campaign, ++key, row, counts, at);
    }
    if (!(*draft)->has_staged) {
        campaigns().edit(id)->has_staged = true;
        campaigns().write_state(id);
        flush();
    }
    return {};
}

void StoredCampaigns::stage(const model::Campaign& campaign, std::int64_t key,
                            const NewRecipient& row, UploadCounts& counts, Timestamp at) {
    auto reason = SkipReason::none;
    ++counts.rows;
    if (!row.number) {
        reason = SkipReason::invalid;
        ++counts.invalid;
    } else if (checks_.has(campaign, *row.number)) {
        reason = SkipReason::duplicate;
        ++counts.duplicate;
    } else if (checks_.is_suppressed(campaign.account, *row.number)) {
        reason = SkipReason::suppressed;
        ++counts.suppressed;
    } else {
        ++counts.added;
    }
    const auto state =
        reason == SkipReason::none ? RecipientState::pending : RecipientState::skipped;
    insert_row_.run(
        key, campaign.account.value, row.number.transform([](auto one) { return one.value(); }),
        reason == SkipReason::duplicate ? std::optional{1} : std::optional<int>{}, stored(state),
        static_cast<int>(reason), at, row.original, list_text(row.values));
}

Result<model::Campaign> StoredCampaigns::complete_upload(model::CampaignId id,
                                                         const std::vector<std::string>& columns,
                                                         const UploadCounts& counts) {
    const auto draft = find_draft(id);
    if (!draft) {
        return pass(draft);
    }
    auto& row = *campaigns().edit(id);
    auto& campaign = row.campaign;
    const auto skipped = counts.invalid + counts.duplicate + counts.suppressed;
    const auto staged = last_key(connection_, id) - row_key(id, campaign.counts.total());
    if (staged != static_cast<std::int64_t>(counts.rows) || counts.rows != counts.added + skipped) {
        return fail(ErrorCode::conflict,
                    fmt::format("{} rows were uploaded, but {} are stored", counts.rows, staged));
    }
    campaign.counts.of(RecipientState::pending) += static_cast<std::int64_t>(counts.added);
    campaign.counts.of(RecipientState::skipped) += static_cast<std::int64_t>(skipped);
    campaign.columns = columns;
    const auto count = [&](SkipReason reason, std::uint64_t rows) {
        campaigns().count_outcome(id, reason, static_cast<std::int64_t>(rows));
    };
    count(SkipReason::invalid, counts.invalid);
    count(SkipReason::duplicate, counts.duplicate);
    count(SkipReason::suppressed, counts.suppressed);
    row.has_staged = false;
    if (row.is_copying) {
        row.is_copying = row.is_removed = false;
    }
    write_plan(campaign);
    campaigns().write_state(id);
    return written(row);
}

Result<model::Campaign> StoredCampaigns::empty_audience(model::CampaignId id) {
    const auto draft = find_draft(id);
    if (!draft) {
        return pass(draft);
    }
    auto& row = *campaigns().edit(id);
    row.campaign.counts = {};
    campaigns().forget_outcomes(id);
    row.campaign.columns.clear();
    row.has_staged = true;
    write_plan(row.campaign);
    campaigns().write_state(id);
    return written(row);
}

Result<RowStep> StoredCampaigns::remove_rows(model::CampaignId id, std::size_t limit) {
    recipients().write_moves();
    const auto* found = campaigns().find(id);
    if (found == nullptr) {
        return campaign_is_gone();
    }
    const auto kept = found->is_removed ? 0 : found->campaign.counts.total();
    // A range: of `id IN (SELECT …)` PostgreSQL may read the whole table, for each step.
    Statement remove_some{connection_,
                          "DELETE FROM campaign_recipient WHERE id > ?1 AND id < coalesce((SELECT "
                          "id FROM campaign_recipient WHERE id > ?1 AND id < ?2 ORDER BY id "
                          "LIMIT 1 OFFSET ?3), ?2)"};
    remove_some.run(row_key(id, kept), recipients_end(id), limit);
    const auto removed = static_cast<std::size_t>(connection_.changes());
    const RowStep step{.changed = removed, .complete = removed < limit};
    if (step.complete && found->is_removed) {
        remove(found->campaign);
    } else if (step.complete && found->has_staged) {
        campaigns().edit(id)->has_staged = false;
        campaigns().write_state(id);
        flush();
    }
    return step;
}

void StoredCampaigns::remove(const model::Campaign& campaign) {
    const auto id = campaign.id;
    campaigns().forget_outcomes(id);
    for (const auto* sql :
         {"DELETE FROM campaign_plan WHERE campaign = ?", "DELETE FROM campaign WHERE id = ?"}) {
        Statement remove_it{connection_, sql};
        remove_it.run(id.value);
    }
    campaigns().forget(id);
}

Result<RowStep> StoredCampaigns::cancel_rows(model::CampaignId id, std::size_t limit,
                                             Timestamp at) {
    const auto* found = find(id);
    if (found == nullptr) {
        return campaign_is_gone();
    }
    Statement next{connection_,
                   "SELECT id FROM campaign_recipient WHERE state = ? AND state < 0 AND id > ? "
                   "AND id <= ? "
                   "ORDER BY id LIMIT 1"};
    const auto end = row_key(id, found->campaign.counts.total());
    auto key = row_key(id, 0);
    RowStep step;
    while (step.changed < limit) {
        {
            auto row = next.query(stored(RecipientState::pending), key, end);
            if (!row.next()) {
                step.complete = true;
                return step;
            }
            key = row.integer(0);
        }
        step.last_row = row_of(key);
        if (recipients().guard(key, [&] {
                recipients().end(key, RecipientState::cancelled, SkipReason::none, at);
            })) {
            recipients().count(id, RecipientState::pending, RecipientState::cancelled);
            ++step.changed;
        }
    }
    return step;
}

Result<RowStep> StoredCampaigns::retry_rows(model::CampaignId id, RetryScope scope,
                                            std::optional<model::StatusCode> code,
                                            std::uint32_t after_row, std::size_t limit,
                                            Timestamp at) {
    const auto* found = find(id);
    if (found == nullptr) {
        return campaign_is_gone();
    }
    const auto state =
        scope == RetryScope::failed ? RecipientState::failed : RecipientState::uncertain;
    struct Chosen {
        std::int64_t key = 0;
        std::int64_t message = 0;
        model::StatusCode code{};
    };
    std::vector<Chosen> chosen;
    RowStep step{.last_row = after_row, .changed = 0, .complete = true};
    {
        Statement visit{connection_,
                        "SELECT id, state, code, message FROM campaign_recipient "
                        "WHERE id > ? AND id <= ? ORDER BY id LIMIT ?"};
        std::size_t visited = 0;
        for (auto row = visit.query(row_key(id, after_row),
                                    row_key(id, found->campaign.counts.total()), limit);
             row.next();) {
            step.complete = ++visited < limit;
            step.last_row = row_of(row.integer(0));
            if (row.integer(1) == stored(state) &&
                (!code || row.integer(2) == static_cast<int>(*code))) {
                chosen.push_back(
                    {.key = row.integer(0),
                     .message = row.integer(3),
                     .code = static_cast<model::StatusCode>(row.number<std::uint16_t>(2))});
            }
        }
    }
    for (const auto& [key, message, failed_with] : chosen) {
        if (recipients().guard(key, [&] { recipients().put_back(key, message, state, at); })) {
            recipients().count(id, state, RecipientState::pending);
            if (state == RecipientState::failed) {
                campaigns().count_outcome(id, failed_with, -1);
            }
            ++step.changed;
        }
    }
    return step;
}

Result<bool> StoredCampaigns::is_erased(model::CampaignId id, std::uint32_t row) {
    recipients().write_moves();
    auto found = find_row_.query(row_key(id, row));
    if (!found.next()) {
        return fail(ErrorCode::not_found, "the campaign has no such row");
    }
    return !found.null(1) && found.text(2).empty();
}

Result<std::optional<model::CampaignId>> StoredCampaigns::last_campaign_of(
    model::AccountId account, model::PhoneNumber number) {
    recipients().write_moves();
    return checks_.last_send(account, number).transform([](const auto& send) {
        return send.campaign;
    });
}

}  // namespace merpati::store::sql
