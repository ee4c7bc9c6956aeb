// The runner: moves campaigns to the states that are due.
#include <algorithm>
#include <utility>

#include "campaign/acts.hpp"
#include "campaign/campaign_notices.hpp"
#include "campaign/runner.hpp"
#include "campaign/text/campaign_text.hpp"

namespace merpati::campaign {
namespace {

using namespace std::chrono_literals;
using model::CampaignReason;
using model::CampaignState;

constexpr Millis move_pause = 1s;  // After a move that was not made.

/// Why a scheduled campaign cannot start; none: it can.
CampaignReason obstacle(const model::Campaign& campaign) {
    const auto text = CampaignText::of(campaign.plan, campaign.columns);
    const bool blocked =
        std::ranges::any_of(text.problems(), [](const auto& problem) { return problem.blocking; });
    return blocked || campaign.counts.of(model::RecipientState::pending) == 0
               ? CampaignReason::missed_schedule
               : CampaignReason::none;
}

/// Part of a change. A campaign whose state has changed meanwhile stays as it is.
Result<void> pause_scheduled(store::Tables& tables, const model::Campaign& campaign,
                             CampaignReason reason, Timestamp now) {
    const auto found = tables.campaigns().find_campaign(campaign.id);
    if (!found || !*found || (*found)->state != CampaignState::scheduled) {
        return found ? Result<void>{} : pass(found);
    }
    auto moved = tables.campaigns().move_campaign(
        campaign.id, {.state = CampaignState::paused, .reason = reason, .at = now});
    return moved ? Result<void>{} : pass(moved);
}

/// Part of a change: starts it, or pauses it for what stands in the way.
Result<void> start_or_pause(store::Tables& tables, const model::Campaign& campaign, Timestamp now) {
    if (const auto reason = obstacle(campaign); reason != CampaignReason::none) {
        return pause_scheduled(tables, campaign, reason, now);
    }
    const auto started = start_due(tables, campaign, now);
    if (started) {
        return {};
    }
    if (started.error().code == ErrorCode::refused) {
        return pause_scheduled(tables, campaign, CampaignReason::credit, now);
    }
    if (started.error().code == ErrorCode::conflict) {
        const auto circumstances = circumstances_of(tables, campaign, false, now);
        if (!circumstances) {
            return pass(circumstances);
        }
        return pause_scheduled(
            tables, campaign,
            circumstances->account_valid ? CampaignReason::disconnected : CampaignReason::expired,
            now);
    }
    return pass(started);
}

/// Part of a change: what `due_move` says of the rows as they are in it.
Result<std::optional<model::Campaign>> make_due_move(store::Tables& tables, model::CampaignId id,
                                                     bool quiet, Timestamp now) {
    const auto found = tables.campaigns().find_campaign(id);
    if (!found || !*found || (*found)->state != CampaignState::running) {
        return found ? Result<std::optional<model::Campaign>>{} : pass(found);
    }
    const auto circumstances = circumstances_of(tables, **found, quiet, now);
    if (!circumstances) {
        return pass(circumstances);
    }
    const auto move = due_move(**found, *circumstances, now);
    if (!move) {
        return std::nullopt;
    }
    auto moved = tables.campaigns().move_campaign(id, *move);
    if (!moved) {
        return pass(moved);
    }
    if (move->state == CampaignState::running) {  // Only states have a webhook event.
        if (auto noted = tables.campaigns().note_notified(id, move->state, move->reason); !noted) {
            return pass(noted);
        }
    }
    return std::move(*moved);
}

}  // namespace

void Runner::judge(const KnownPtr& known) {
    const auto& campaign = *known->campaign;
    if (known->owes_notice && !event_of(campaign).empty()) {
        notify(known);
    }
    if (campaign.state == CampaignState::running) {
        judge_running(known);
        look_for_stall(known);
    } else if (campaign.state == CampaignState::scheduled) {
        judge_scheduled(known);
    } else if (campaign.state == CampaignState::cancelled) {
        cancel_rows(known);
    }
    if (means_.open.may_send(campaign.id)) {
        known->withdrawn = false;
        known->withdrawn_to = 0;
    } else {
        withdraw(known);
    }
}

void Runner::judge_running(const KnownPtr& known) {
    const auto& campaign = *known->campaign;
    const auto now = means_.clock.wall_now();
    const auto account = means_.directory.find_account(campaign.account);
    const bool quiet = means_.open.quiet_until(campaign.id).has_value();
    Circumstances circumstances{
        .account_valid = account != nullptr &&
                         (!account->account.expires_at || *account->account.expires_at > now),
        .quiet = quiet};
    for (const auto number : campaign.plan.devices) {
        const auto device = means_.directory.find_device(number);
        const bool own = device != nullptr && device->account == campaign.account;
        circumstances.devices.push_back(own ? std::optional{*device} : std::nullopt);
    }
    if (!due_move(campaign, circumstances, now)) {
        return;
    }
    move(known, [this, id = campaign.id, quiet, now](store::Tables& tables) -> Result<void> {
        const auto moved = make_due_move(tables, id, quiet, now);
        if (!moved) {
            return pass(moved);
        }
        if (*moved && (*moved)->state == CampaignState::paused) {
            means_.log.info("a campaign pauses", {{"campaign", id.text()},
                                                  {"reason", model::to_string((*moved)->reason)}});
        }
        return {};
    });
}

void Runner::judge_scheduled(const KnownPtr& known) {
    const auto& campaign = *known->campaign;
    const auto now = means_.clock.wall_now();
    const auto& at = campaign.plan.schedule_at;
    if (!at || now < *at) {
        return;
    }
    const bool missed = now > *at + late_max;
    move(known, [scheduled = known->campaign, missed, now](store::Tables& tables) {
        return missed ? pause_scheduled(tables, *scheduled, CampaignReason::missed_schedule, now)
                      : start_or_pause(tables, *scheduled, now);
    });
}

void Runner::pause_for_credit(const KnownPtr& known) {
    move(known,
         [id = known->campaign->id,
          now = means_.clock.wall_now()](store::Tables& tables) -> Result<void> {
             const auto found = tables.campaigns().find_campaign(id);
             if (!found || !*found || (*found)->state != CampaignState::running) {
                 return found ? Result<void>{} : pass(found);
             }
             auto moved = tables.campaigns().move_campaign(
                 id, {.state = CampaignState::paused, .reason = CampaignReason::credit, .at = now});
             return moved ? Result<void>{} : pass(moved);
         });
}

/// Runs one change of the campaign's state at a time. One that did not move it is tried again after
/// a pause.
void Runner::move(const KnownPtr& known,
                  std::move_only_function<Result<void>(store::Tables&)> run) {
    const auto now = means_.clock.steady_now();
    if (known->moving || known->judge_at > now) {
        return;
    }
    known->judge_at = now + move_pause;
    known->moving =
        means_.committer.change(std::move(run), [this, known](const Result<void>& done) {
            post([this, known, done] {
                known->moving = false;
                if (!done && done.error().code != ErrorCode::busy) {
                    means_.log.error(
                        "a campaign's state is not changed; trying again",
                        {{"campaign", known->campaign->id.text()}, {"why", done.error().detail}});
                }
                judge(known);
            });
        });
}

}  // namespace merpati::campaign
