#include "store/sql/campaign_writer.hpp"

#include <memory>
#include <string>

#include "base/assert.hpp"

namespace merpati::store::sql {

CampaignWriter::CampaignWriter(Connection& connection)
    : find_(connection, std::string{"SELECT "} + campaign_columns + " FROM " + campaign_tables +
                            " WHERE c.id = ?"),
      write_counts_(
          connection,
          "UPDATE campaign SET pending = ?2, queued = ?3, sent = ?4, failed = ?5, skipped = ?6, "
          "uncertain = ?7, cancelled = ?8, delivered = ?9, read = ?10, failures_in_row = ?11, "
          "unregistered_low = ?12, unregistered_high = ?13, recent = ?14, sent_since = ?15, "
          "opt_outs_since = ?16, reserved = ?17, next_due_at = ?18 WHERE id = ?1",
          18),
      write_state_(connection,
                   "UPDATE campaign SET state = ?2, reason = ?3, until = ?4, started_at = ?5, "
                   "finished_at = ?6, notified_state = ?7, notified_reason = ?8, staged = ?9, "
                   "removed = ?10, is_open = ?11, unnotified = ?12, pruned = ?13 WHERE id = ?1"),
      add_outcome_(connection,
                   "INSERT INTO campaign_outcome(campaign, state, detail, recipients) "
                   "VALUES(?1, ?2, ?3, ?4) ON CONFLICT(campaign, state, detail) "
                   "DO UPDATE SET recipients = campaign_outcome.recipients + ?4"),
      remove_outcomes_(connection, "DELETE FROM campaign_outcome WHERE campaign = ?") {}

CampaignWriter::Kept* CampaignWriter::load(model::CampaignId id) {
    if (const auto found = kept_.find(id); found != kept_.end()) {
        return &found->second;
    }
    Kept kept;
    if (damaged_.leaves_out(id)) {
        return nullptr;
    }
    damaged_.write(id, [&] {
        if (auto row = find_.query(id.value); row.next()) {
            kept.row = read_campaign(row);
        }
    });
    return &kept_.emplace(id, std::move(kept)).first->second;
}

const CampaignRow* CampaignWriter::find(model::CampaignId id) {
    const auto* kept = load(id);
    return kept != nullptr && kept->row ? &*kept->row : nullptr;
}

CampaignRow* CampaignWriter::edit(model::CampaignId id) {
    auto* kept = load(id);
    if (kept == nullptr || !kept->row) {
        return nullptr;
    }
    kept->is_edited = true;
    return &*kept->row;
}

void CampaignWriter::count_outcome(model::CampaignId id, model::SkipReason reason,
                                   std::int64_t by) {
    if (auto* kept = load(id); kept != nullptr && kept->row) {
        kept->is_edited = true;
        kept->outcomes[{model::RecipientState::skipped, static_cast<int>(reason)}] += by;
    }
}

void CampaignWriter::count_outcome(model::CampaignId id, model::StatusCode code, std::int64_t by) {
    if (auto* kept = load(id); kept != nullptr && kept->row) {
        kept->is_edited = true;
        kept->outcomes[{model::RecipientState::failed, static_cast<int>(code)}] += by;
    }
}

void CampaignWriter::forget_outcomes(model::CampaignId id) {
    if (auto* kept = load(id); kept != nullptr) {
        kept->outcomes.clear();
        damaged_.write(id, [&] { remove_outcomes_.run(id.value); });
    }
}

void CampaignWriter::write_state(model::CampaignId id) {
    auto* kept = load(id);
    invariant(kept != nullptr && kept->row, "a campaign is found before it is written");
    kept->is_edited = true;
    kept->has_new_state = true;
}

void CampaignWriter::flush(std::vector<RowChange>& row_changes) {
    for (auto& [id, kept] : kept_) {
        if (!kept.is_edited) {
            continue;
        }
        const auto& row = *kept.row;
        damaged_.write(id, [&] {
            write_counts(row);
            write_outcomes(id, kept);
            // The last row of a cancelled campaign that ends closes it.
            if (kept.has_new_state || row.campaign.state == model::CampaignState::cancelled) {
                write_state(row);
            }
        });
        if (!row.is_removed) {
            row_changes.emplace_back(
                CampaignWritten{std::make_shared<const model::Campaign>(row.campaign)});
        } else if (kept.has_new_state) {
            row_changes.emplace_back(
                CampaignRemoved{.campaign = id, .account = row.campaign.account});
        }
        kept.is_edited = false;
        kept.has_new_state = false;
    }
    for (const auto id : write_counts_.missed()) {
        write_counts(*kept_.at(model::CampaignId{id}).row);
    }
    (void)write_counts_.missed();  // By their ids, none is missed.
    if (kept_.size() > kept_max) {
        kept_.clear();
    }
}

void CampaignWriter::write_counts(const CampaignRow& row) {
    const auto& campaign = row.campaign;
    const auto& counts = campaign.counts;
    const auto& ends = campaign.ends;
    using enum model::RecipientState;
    write_counts_.run(campaign.id.value, counts.of(pending), counts.of(queued), counts.of(sent),
                      counts.of(failed), counts.of(skipped), counts.of(uncertain),
                      counts.of(cancelled), counts.delivered, counts.read, ends.failures_in_row,
                      ends.unregistered[0], ends.unregistered[1], ends.recent, ends.sent,
                      ends.opt_outs, campaign.reserved, campaign.next_due_at);
}

void CampaignWriter::write_outcomes(model::CampaignId id, Kept& kept) {
    for (const auto& [outcome, by] : kept.outcomes) {
        if (by != 0) {
            add_outcome_.run(id.value, stored(outcome.first), outcome.second, by);
        }
    }
    kept.outcomes.clear();
}

void CampaignWriter::write_state(const CampaignRow& row) {
    const auto& campaign = row.campaign;
    write_state_.run(campaign.id.value, model::to_string(campaign.state),
                     model::to_string(campaign.reason), campaign.until, campaign.started_at,
                     campaign.finished_at, model::to_string(row.notified_state),
                     model::to_string(row.notified_reason), row.has_staged, row.stored_removal(),
                     row.is_open(), row.is_unnotified(), row.is_pruned);
}

}  // namespace merpati::store::sql
