// The methods of StoredCampaigns for campaigns themselves.
#include <fmt/format.h>

#include "base/assert.hpp"
#include "store/plan_text.hpp"
#include "store/sql/rows.hpp"
#include "store/sql/stored_campaigns.hpp"

namespace merpati::store::sql {
namespace {

std::unexpected<Error> no_campaign() {
    return fail(ErrorCode::not_found, "there is no such campaign");
}

/// Whether its devices are listed in `campaign_device`.
bool uses_devices(model::CampaignState state) {
    using enum model::CampaignState;
    return state == scheduled || state == running || state == paused;
}

}  // namespace

StoredCampaigns::StoredCampaigns(Connection& connection, MessageWriter& writer,
                                 std::vector<RowChange>& row_changes)
    : connection_(connection),
      writer_(writer),
      row_changes_(row_changes),
      checks_(connection),
      find_row_(connection, "SELECT state, number, original FROM campaign_recipient WHERE id = ?"),
      insert_row_(connection,
                  fmt::format("INSERT INTO campaign_recipient VALUES(?1, ?2, ?3, ?4, ?5, ?6, {}, "
                              "0, {}, {}, {}, {}, ?7, ?8, ?9)",
                              number_of(model::StatusCode::sent), no_device, no_message, no_message,
                              no_progress)) {}

const CampaignRow* StoredCampaigns::find(model::CampaignId id) {
    recipients().write_moves();
    const auto* found = campaigns().find(id);
    return found != nullptr && !found->is_removed ? found : nullptr;
}

CampaignRow* StoredCampaigns::edit(model::CampaignId id) {
    return find(id) == nullptr ? nullptr : campaigns().edit(id);
}

/// Writes what the change has changed, so that it is reported, and that balances can be read.
void StoredCampaigns::flush() {
    recipients().flush(row_changes_);
    writer_.credits().flush();
}

model::Campaign StoredCampaigns::written(const CampaignRow& row) {
    auto campaign = row.campaign;
    flush();
    return campaign;
}

/// Also a copy that is being made.
Result<const CampaignRow*> StoredCampaigns::find_draft(model::CampaignId id) {
    recipients().write_moves();
    const auto* found = campaigns().find(id);
    if (found == nullptr || (found->is_removed && !found->is_copying)) {
        return no_campaign();
    }
    if (found->campaign.state != model::CampaignState::draft) {
        return fail(ErrorCode::conflict, "the campaign is not a draft");
    }
    return found;
}

/// Those that are being removed count until their rows are gone.
Result<void> StoredCampaigns::check_room(model::AccountId account) {
    recipients().flush(row_changes_);
    const auto counted = [&](const char* states, std::size_t most) {
        Statement count{connection_, fmt::format("SELECT count(*) FROM (SELECT 1 FROM campaign "
                                                 "WHERE account = ? {} LIMIT {}) c",
                                                 states, most)};
        return static_cast<std::size_t>(first_integer(count.query(account.value)));
    };
    constexpr auto unfinished = "AND state IN ('draft', 'scheduled', 'running', 'paused')";
    if (counted(unfinished, unfinished_max) == unfinished_max) {
        return fail(ErrorCode::conflict,
                    fmt::format("the account has {} campaigns that have not ended: remove drafts, "
                                "or cancel some",
                                unfinished_max));
    }
    if (counted("", campaigns_max) == campaigns_max) {
        return fail(ErrorCode::conflict,
                    fmt::format("the account has {} campaigns: remove some that have ended",
                                campaigns_max));
    }
    return {};
}

Result<model::Campaign> StoredCampaigns::create_campaign(const model::Campaign& campaign) {
    const auto made = insert(campaign, 0);
    return written(*edit(made.id));
}

/// Its staged rows are those of its audience, so that both are found by whoever cleans.
Result<model::Campaign> StoredCampaigns::begin_copy(const model::Campaign& campaign) {
    return insert(campaign, removed_while_copying);
}

model::Campaign StoredCampaigns::insert(const model::Campaign& campaign, std::int64_t removed) {
    Statement add{connection_,
                  "INSERT INTO campaign(account, state, reason, created_at, notified_state, "
                  "notified_reason, staged, removed, is_open, unnotified, pruned, pending, "
                  "queued, sent, failed, skipped, uncertain, cancelled, delivered, read, "
                  "failures_in_row, unregistered_low, unregistered_high, recent, sent_since, "
                  "opt_outs_since, reserved, next_due_at) VALUES(?1, 'draft', '', ?2, 'draft', "
                  "'', ?3, ?4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) "
                  "RETURNING id"};
    auto made = campaign;
    made.id = {insert_row(add, campaign.account.value, campaign.created_at, removed != 0, removed)};
    campaigns().forget(made.id);
    write_plan(made);
    return made;
}

Result<std::optional<model::Campaign>> StoredCampaigns::find_campaign(model::CampaignId id) {
    const auto* found = find(id);
    return found == nullptr ? std::nullopt : std::optional{found->campaign};
}

Result<model::Campaign> StoredCampaigns::set_plan(model::CampaignId id,
                                                  const model::CampaignPlan& plan) {
    auto* found = edit(id);
    if (found == nullptr) {
        return no_campaign();
    }
    auto& campaign = found->campaign;
    if (uses_devices(campaign.state)) {
        remove_devices(campaign);
    }
    campaign.plan = plan;
    write_plan(campaign);
    if (uses_devices(campaign.state)) {
        add_devices(campaign);
    }
    return written(*found);
}

void StoredCampaigns::write_plan(const model::Campaign& campaign) {
    Statement put{connection_,
                  "INSERT INTO campaign_plan(campaign, plan, columns) VALUES(?1, ?2, ?3) "
                  "ON CONFLICT(campaign) DO UPDATE SET plan = ?2, columns = ?3"};
    put.run(campaign.id.value, plan_text(campaign.plan), list_text(campaign.columns));
}

void StoredCampaigns::add_devices(const model::Campaign& campaign) {
    Statement add{connection_,
                  "INSERT INTO campaign_device(device, campaign) VALUES(?, ?) "
                  "ON CONFLICT DO NOTHING"};
    for (const auto device : campaign.plan.devices) {
        add.run(device.value(), campaign.id.value);
    }
}

void StoredCampaigns::remove_devices(const model::Campaign& campaign) {
    Statement remove_one{connection_,
                         "DELETE FROM campaign_device WHERE device = ? AND campaign = ?"};
    for (const auto device : campaign.plan.devices) {
        remove_one.run(device.value(), campaign.id.value);
    }
}

Result<model::Campaign> StoredCampaigns::move_campaign(model::CampaignId id,
                                                       const CampaignMove& move) {
    using enum model::CampaignState;
    auto* found = edit(id);
    if (found == nullptr) {
        return no_campaign();
    }
    auto& campaign = found->campaign;
    const auto before = campaign.state;
    invariant(before == move.state || model::may_move(before, move.state),
              "a campaign moves as its states permit");
    campaign.state = move.state;
    campaign.reason = move.reason;
    campaign.until = move.until;
    if (before != move.state) {
        if (move.state == running) {
            campaign.started_at = campaign.started_at.value_or(move.at);
            campaign.ends = {};
        }
        campaign.finished_at = model::has_ended(move.state) ? std::optional{move.at} : std::nullopt;
        if (model::has_ended(move.state)) {
            release(*found, move.at);
        }
        if (uses_devices(move.state)) {
            add_devices(campaign);
        } else {
            remove_devices(campaign);
        }
    }
    campaigns().write_state(id);
    return written(*found);
}

/// Gives the reserve back.
void StoredCampaigns::release(CampaignRow& row, Timestamp at) {
    auto& campaign = row.campaign;
    if (campaign.reserved > 0) {
        writer_.credits().release(campaign.account, campaign.id, campaign.reserved, at);
        campaign.reserved = 0;
    }
}

void StoredCampaigns::release_reserves(model::AccountId account, Timestamp at) {
    std::vector<model::CampaignId> open;
    Statement list{connection_, "SELECT id FROM campaign WHERE is_open = 1 AND account = ?"};
    for (auto row = list.query(account.value); row.next();) {
        open.push_back({row.integer(0)});
    }
    for (const auto id : open) {
        if (const auto* found = find(id); found != nullptr && found->campaign.reserved > 0) {
            release(*campaigns().edit(id), at);
        }
    }
    flush();
}

Result<void> StoredCampaigns::remove_campaign(model::CampaignId id) {
    recipients().write_moves();
    auto* found = campaigns().edit(id);
    if (found == nullptr || (found->is_removed && !found->is_copying)) {
        return no_campaign();
    }
    found->is_removed = true;
    found->is_copying = false;
    campaigns().write_state(id);
    flush();
    return {};
}

std::optional<model::CampaignId> StoredCampaigns::running_on(model::PhoneNumber device) {
    flush();
    Statement find_running{
        connection_,
        "SELECT d.campaign FROM campaign_device d JOIN campaign c ON c.id = d.campaign "
        "WHERE d.device = ? AND c.state = 'running' AND c.removed = 0 LIMIT 1"};
    auto row = find_running.query(device.value());
    return row.next() ? std::optional{model::CampaignId{row.integer(0)}} : std::nullopt;
}

Result<model::Campaign> StoredCampaigns::reserve_credit(model::CampaignId id, Timestamp at) {
    auto* found = edit(id);
    if (found == nullptr) {
        return no_campaign();
    }
    auto& campaign = found->campaign;
    const auto missing = campaign.counts.of(model::RecipientState::pending) - campaign.reserved;
    const auto balance = writer_.credits().balance(campaign.account);
    if (missing <= 0 || !balance) {
        return written(*found);
    }
    if (writer_.credits().reserve(campaign.account, id, missing, at) ==
        Credits::Charge::exhausted) {
        return fail(ErrorCode::refused,
                    fmt::format("the campaign needs {} credits, and the account has {}", missing,
                                *balance));
    }
    campaign.reserved += missing;
    return written(*found);
}

Result<void> StoredCampaigns::note_notified(model::CampaignId id, model::CampaignState state,
                                            model::CampaignReason reason) {
    auto* found = edit(id);
    if (found == nullptr) {
        return no_campaign();
    }
    found->notified_state = state;
    found->notified_reason = reason;
    campaigns().write_state(id);
    flush();
    return {};
}

}  // namespace merpati::store::sql
