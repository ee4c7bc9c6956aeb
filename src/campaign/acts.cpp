#include "campaign/acts.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace merpati::campaign {
namespace {

using model::Campaign;
using model::CampaignReason;
using model::CampaignState;

std::unexpected<Error> not_in(const Campaign& campaign, std::string_view act) {
    return fail(ErrorCode::conflict, fmt::format("a campaign that is {} cannot be {}",
                                                 model::to_string(campaign.state), act));
}

Result<Campaign> move(store::Tables& tables, const Campaign& campaign, CampaignState state,
                      CampaignReason reason, Timestamp now) {
    return tables.campaigns().move_campaign(campaign.id,
                                            {.state = state, .reason = reason, .at = now});
}

/// Errors: conflict (one of the devices is missing, or another account's).
Result<void> check_devices(store::DeviceTables& tables, model::AccountId account,
                           const std::vector<model::PhoneNumber>& devices) {
    if (devices.empty()) {
        return fail(ErrorCode::conflict, "the campaign names no device");
    }
    for (const auto number : devices) {
        const auto device = tables.find_device(number);
        if (!device) {
            return pass(device);
        }
        if (!*device || (*device)->account != account) {
            return fail(ErrorCode::conflict,
                        fmt::format("the account has no device {}", number.text()));
        }
    }
    return {};
}

/// Errors: conflict (a person must pair the device again first).
Result<void> check_none_is_lost(store::DeviceTables& tables,
                                const std::vector<model::PhoneNumber>& devices) {
    for (const auto number : devices) {
        const auto device = tables.find_device(number);
        if (!device) {
            return pass(device);
        }
        if (*device && is_lost((*device)->state)) {
            return fail(ErrorCode::conflict, fmt::format("device {} is {}", number.text(),
                                                         model::to_string((*device)->state)));
        }
    }
    return {};
}

/// Errors: conflict (the account is gone, or its validity is over).
Result<void> check_account(store::AccountTables& tables, model::AccountId id, Timestamp now) {
    const auto account = tables.find_account(id);
    if (!account) {
        return pass(account);
    }
    if (!*account || ((*account)->expires_at && *(*account)->expires_at <= now)) {
        return fail(ErrorCode::conflict, "the account's validity is over");
    }
    return {};
}

/// Starts the campaign now. What it needs has been checked, except what may change at any time.
Result<Campaign> run(store::Tables& tables, const Campaign& campaign, Timestamp now) {
    if (auto valid = check_account(tables, campaign.account, now); !valid) {
        return pass(valid);
    }
    if (auto owned = check_devices(tables, campaign.account, campaign.plan.devices); !owned) {
        return pass(owned);
    }
    if (auto reserved = tables.campaigns().reserve_credit(campaign.id, now); !reserved) {
        return reserved;
    }
    return move(tables, campaign, CampaignState::running, CampaignReason::none, now);
}

/// Whether nothing that `check` has looked at is different now.
bool is_as_checked(const Campaign& campaign, const Campaign& checked) {
    auto plan = campaign.plan;
    plan.schedule_at = checked.plan.schedule_at;
    return plan == checked.plan && campaign.columns == checked.columns &&
           campaign.counts.total() == checked.counts.total();
}

/// The draft that a copy of the campaign is, not stored yet.
Result<Campaign> copy_of(store::Tables& tables, model::CampaignId id, Timestamp now) {
    auto campaign = find(tables, id);
    if (!campaign) {
        return campaign;
    }
    if (auto room = tables.campaigns().check_room(campaign->account); !room) {
        return pass(room);
    }
    Campaign copy;
    copy.account = campaign->account;
    copy.plan = std::move(campaign->plan);
    copy.plan.schedule_at.reset();
    copy.plan.finish_by.reset();
    copy.created_at = now;
    return copy;
}

}  // namespace

Result<Campaign> find(store::Tables& tables, model::CampaignId id) {
    auto found = tables.campaigns().find_campaign(id);
    if (!found) {
        return pass(found);
    }
    if (!*found) {
        return fail(ErrorCode::not_found, "there is no campaign " + id.text());
    }
    return std::move(**found);
}

bool is_lost(model::DeviceState state) noexcept {
    return state == model::DeviceState::logged_out || state == model::DeviceState::banned;
}

Result<Campaign> start(store::Tables& tables, const Start& start, Timestamp now) {
    auto campaign = find(tables, start.id);
    if (!campaign || (campaign->state == CampaignState::running && !start.at)) {
        return campaign;
    }
    if (campaign->state != CampaignState::draft && campaign->state != CampaignState::scheduled) {
        return not_in(*campaign, "started");
    }
    if (start.checked == nullptr || !is_as_checked(*campaign, *start.checked)) {
        return fail(ErrorCode::precondition_failed,
                    "the campaign was changed while it was checked");
    }
    if (start.at && *start.at <= now) {
        return fail(ErrorCode::invalid_argument, "this time has passed");
    }
    campaign->plan.schedule_at = start.at;
    campaign = tables.campaigns().set_plan(start.id, campaign->plan);
    if (!campaign || !start.at) {
        return campaign ? run(tables, *campaign, now) : campaign;
    }
    if (auto owned = check_devices(tables, campaign->account, campaign->plan.devices); !owned) {
        return pass(owned);
    }
    return move(tables, *campaign, CampaignState::scheduled, CampaignReason::none, now);
}

Result<std::optional<Campaign>> start_due(store::Tables& tables, const Campaign& checked,
                                          Timestamp now) {
    const auto campaign = find(tables, checked.id);
    if (!campaign) {
        return pass(campaign);
    }
    const auto& at = campaign->plan.schedule_at;
    if (campaign->state != CampaignState::scheduled || !at || *at > now) {
        return std::nullopt;
    }
    if (!is_as_checked(*campaign, checked)) {
        return fail(ErrorCode::precondition_failed,
                    "the campaign was changed while it was checked");
    }
    auto started = run(tables, *campaign, now);
    return started ? Result<std::optional<Campaign>>{std::move(*started)} : pass(started);
}

Result<Campaign> pause(store::Tables& tables, model::CampaignId id, Timestamp now) {
    auto campaign = find(tables, id);
    const bool goes_on = campaign && campaign->reason == CampaignReason::restricted;
    if (!campaign || (campaign->state == CampaignState::paused && !goes_on)) {
        return campaign;
    }
    if (campaign->state != CampaignState::running && !goes_on) {
        return not_in(*campaign, "paused");
    }
    return move(tables, *campaign, CampaignState::paused, CampaignReason::asked, now);
}

Result<Campaign> resume(store::Tables& tables, const Resume& resume, Timestamp now) {
    auto campaign = find(tables, resume.id);
    if (!campaign) {
        return campaign;
    }
    const bool runs = campaign->state == CampaignState::running;
    if (!runs && campaign->state != CampaignState::paused) {
        return not_in(*campaign, "resumed");
    }
    campaign->plan.devices = resume.devices.value_or(campaign->plan.devices);
    campaign->plan.per_minute = resume.per_minute.value_or(campaign->plan.per_minute);
    if (auto owned = check_devices(tables, campaign->account, campaign->plan.devices); !owned) {
        return pass(owned);
    }
    if (auto usable = check_none_is_lost(tables, campaign->plan.devices); !usable) {
        return pass(usable);
    }
    if (resume.devices || resume.per_minute) {
        campaign = tables.campaigns().set_plan(resume.id, campaign->plan);
    }
    return campaign && !runs ? run(tables, *campaign, now) : campaign;
}

Result<Campaign> cancel(store::Tables& tables, model::CampaignId id, Timestamp now) {
    auto campaign = find(tables, id);
    if (!campaign || campaign->state == CampaignState::cancelled) {
        return campaign;
    }
    if (!model::may_move(campaign->state, CampaignState::cancelled)) {
        return not_in(*campaign, "cancelled");
    }
    return move(tables, *campaign, CampaignState::cancelled, CampaignReason::none, now);
}

Result<Campaign> edit(store::Tables& tables, model::CampaignId id, const model::CampaignPlan& plan,
                      Timestamp now) {
    auto campaign = find(tables, id);
    if (!campaign) {
        return campaign;
    }
    const auto state = campaign->state;
    const bool begun = state == CampaignState::running || state == CampaignState::paused;
    auto changed = campaign->plan;
    if (begun) {
        changed.name = plan.name;
        changed.devices = plan.devices;
        changed.per_minute = plan.per_minute;
        changed.quiet_hours = plan.quiet_hours;
        changed.stop_rules = plan.stop_rules;
        changed.finish_by = plan.finish_by;
    }
    if (model::has_ended(state) || (begun && changed != plan)) {
        return fail(ErrorCode::conflict,
                    fmt::format("this of a campaign that is {} cannot be changed",
                                model::to_string(state)));
    }
    if (plan.devices != campaign->plan.devices) {
        if (auto owned = check_devices(tables, campaign->account, plan.devices); !owned) {
            return pass(owned);
        }
    }
    campaign = tables.campaigns().set_plan(id, plan);
    if (campaign && state == CampaignState::scheduled && !plan.schedule_at) {
        return move(tables, *campaign, CampaignState::draft, CampaignReason::none, now);
    }
    return campaign;
}

Result<Campaign> clone(store::Tables& tables, model::CampaignId id, Timestamp now) {
    const auto copy = copy_of(tables, id, now);
    return copy ? tables.campaigns().create_campaign(*copy) : copy;
}

Result<Campaign> begin_clone(store::Tables& tables, model::CampaignId id, Timestamp now) {
    const auto copy = copy_of(tables, id, now);
    return copy ? tables.campaigns().begin_copy(*copy) : copy;
}

Result<void> remove(store::Tables& tables, model::CampaignId id) {
    const auto campaign = find(tables, id);
    if (!campaign) {
        return pass(campaign);
    }
    if (campaign->state != CampaignState::draft && !model::has_ended(campaign->state)) {
        return not_in(*campaign, "removed");
    }
    // Messages of a campaign that is not there are sent. Pending rows have none.
    if (campaign->counts.of(model::RecipientState::queued) > 0) {
        return fail(ErrorCode::conflict,
                    "messages of the campaign still wait or are being sent: wait until the server "
                    "has ended them, then remove it");
    }
    return tables.campaigns().remove_campaign(id);
}

}  // namespace merpati::campaign
