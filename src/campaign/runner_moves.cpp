// The runner: moves campaigns to the states that are due.
#include <algorithm>
#include <utility>

#include "campaign/acts.hpp"
#include "campaign/campaign_notices.hpp"
#include "campaign/runner.hpp"

namespace merpati::campaign {
namespace {

using namespace std::chrono_literals;
using model::CampaignReason;
using model::CampaignState;

constexpr Millis move_pause = 1s;  // After a move that was not made.

/// Why a campaign that is not ready is paused.
CampaignReason reason_not_ready(const CheckReport& report) {
    const bool only_credit = std::ranges::all_of(report.problems, [](const Problem& problem) {
        return !problem.blocking || problem.code == "credit";
    });
    return only_credit ? CampaignReason::credit : CampaignReason::missed_schedule;
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

/// Part of a change: starts a campaign that was found ready, or pauses it for what stands in the
/// way. One that was changed since is checked anew.
Result<void> start_or_pause(store::Tables& tables, const model::Campaign& campaign, Timestamp now) {
    const auto started = start_due(tables, campaign, now);
    if (started || started.error().code == ErrorCode::precondition_failed) {
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

/// Part of a change: what `move_after_restriction` says of the rows as they are in it.
Result<void> end_restriction(store::Tables& tables, model::CampaignId id, Timestamp now) {
    const auto found = tables.campaigns().find_campaign(id);
    if (!found || !*found) {
        return found ? Result<void>{} : pass(found);
    }
    const auto circumstances = circumstances_of(tables, **found, false, now);
    if (!circumstances) {
        return pass(circumstances);
    }
    auto move = move_after_restriction(**found, *circumstances, now);
    if (!move) {
        return {};
    }
    if (move->state == CampaignState::running) {
        const auto resumed = resume(tables, {.id = id}, now);
        if (resumed || resumed.error().code != ErrorCode::refused) {
            return resumed ? Result<void>{} : pass(resumed);
        }
        move = {.state = CampaignState::paused, .reason = CampaignReason::credit, .at = now};
    }
    auto moved = tables.campaigns().move_campaign(id, *move);
    return moved ? tables.campaigns().note_notified(id, move->state, move->reason) : pass(moved);
}

}  // namespace

void Runner::judge(const KnownPtr& known) {
    if (known->left) {
        return;
    }
    const auto& campaign = *known->campaign;
    if (known->owes_notice && !event_of(campaign).empty()) {
        notify(known);
    }
    if (campaign.state == CampaignState::running) {
        judge_running(known);
        look_for_stall(known);
    } else if (campaign.state == CampaignState::paused) {
        judge_restricted(known);
    } else if (campaign.state == CampaignState::scheduled) {
        judge_scheduled(known);
    } else if (campaign.state == CampaignState::cancelled) {
        cancel_rows(known);
    }
    if (rooms_.open.may_send(campaign.id)) {
        known->withdrawn = false;
        known->withdrawn_to = 0;
    } else {
        withdraw(known);
    }
}

/// From memory: whether a change is worth while.
Circumstances Runner::circumstances_now(const model::Campaign& campaign) const {
    const auto account = rooms_.directory.find_account(campaign.account);
    const auto now = rooms_.clock.wall_now();
    Circumstances circumstances{
        .account_valid = account != nullptr &&
                         (!account->account.expires_at || *account->account.expires_at > now),
        .quiet = rooms_.open.quiet_until(campaign.id).has_value()};
    for (const auto number : campaign.plan.devices) {
        const auto device = rooms_.directory.find_device(number);
        const bool own = device != nullptr && device->account == campaign.account;
        circumstances.devices.push_back(own ? std::optional{*device} : std::nullopt);
    }
    return circumstances;
}

void Runner::judge_running(const KnownPtr& known) {
    const auto& campaign = *known->campaign;
    const auto now = rooms_.clock.wall_now();
    const auto circumstances = circumstances_now(campaign);
    const bool quiet = circumstances.quiet;
    if (!due_move(campaign, circumstances, now)) {
        return;
    }
    move(known, [this, id = campaign.id, quiet, now](store::Tables& tables) -> Result<void> {
        const auto moved = make_due_move(tables, id, quiet, now);
        if (!moved) {
            return pass(moved);
        }
        if (*moved && (*moved)->state == CampaignState::paused) {
            rooms_.log.info("a campaign pauses", {{"campaign", id.text()},
                                                  {"reason", model::to_string((*moved)->reason)}});
        }
        return {};
    });
}

void Runner::judge_restricted(const KnownPtr& known) {
    const auto& campaign = *known->campaign;
    const auto now = rooms_.clock.wall_now();
    if (campaign.reason == CampaignReason::restricted &&
        move_after_restriction(campaign, circumstances_now(campaign), now)) {
        move(known, [id = campaign.id, now](store::Tables& tables) {
            return end_restriction(tables, id, now);
        });
    }
}

void Runner::judge_scheduled(const KnownPtr& known) {
    const auto& campaign = *known->campaign;
    const auto now = rooms_.clock.wall_now();
    const auto& at = campaign.plan.schedule_at;
    if (!at || now < *at) {
        return;
    }
    if (now > *at + late_max) {
        move(known, [scheduled = known->campaign, now](store::Tables& tables) {
            return pause_scheduled(tables, *scheduled, CampaignReason::missed_schedule, now);
        });
        return;
    }
    if (known->checking || known->moving || known->judge_at > rooms_.clock.steady_now()) {
        return;
    }
    known->checking = true;
    checks_.put(known->campaign, [this, known, campaign = known->campaign](const auto& report) {
        post([this, known, campaign, report] {
            known->checking = false;
            checked(known, campaign, report);
        });
        box_.wake();
    });
}

void Runner::checked(const KnownPtr& known, const CampaignPtr& campaign,
                     const Result<CheckReport>& report) {
    if (!report) {
        rooms_.log.error("a scheduled campaign cannot be checked; trying again",
                         {{"campaign", campaign->id.text()}, {"why", report.error().describe()}});
        known->judge_at = rooms_.clock.steady_now() + move_pause;
        return;
    }
    if (!report->ready) {
        rooms_.log.warn("a scheduled campaign is not ready",
                        {{"campaign", campaign->id.text()},
                         {"why", report->problems.empty() ? "" : report->problems.front().code}});
    }
    move(known, [campaign, ready = report->ready, reason = reason_not_ready(*report),
                 now = rooms_.clock.wall_now()](store::Tables& tables) {
        return ready ? start_or_pause(tables, *campaign, now)
                     : pause_scheduled(tables, *campaign, reason, now);
    });
}

void Runner::pause_for_credit(const KnownPtr& known) {
    move(known,
         [id = known->campaign->id,
          now = rooms_.clock.wall_now()](store::Tables& tables) -> Result<void> {
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
    const auto now = rooms_.clock.steady_now();
    if (known->moving || known->left || known->judge_at > now) {
        return;
    }
    known->judge_at = now + move_pause;
    known->moving =
        rooms_.committer.change(std::move(run), [this, known](const Result<void>& done) {
            post([this, known, done] {
                known->moving = false;
                if (!done && !is_passing(done.error().code)) {
                    rooms_.log.error(
                        "a campaign's state is not changed; trying again",
                        {{"campaign", known->campaign->id.text()}, {"why", done.error().detail}});
                }
                judge(known);
            });
        });
}

}  // namespace merpati::campaign
