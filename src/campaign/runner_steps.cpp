// The runner: withdraws messages, ends and removes rows in steps, tells webhooks.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "campaign/acts.hpp"
#include "campaign/campaign_notices.hpp"
#include "campaign/runner.hpp"

namespace merpati::campaign {
namespace {

using namespace std::chrono_literals;
using model::CampaignState;
using model::RecipientState;

constexpr std::size_t withdrawn_step = 128;
constexpr Millis sample_every = 5s;  // Of how many rows have ended,
constexpr Millis sampled_for = 60s;  // and how far back.

/// Part of a change. Errors: damaged also if all rows are passed and some are pending still: those
/// that cannot be written are left out until the next start, so no step would end.
Result<void> cancel_step(store::Tables& tables, model::CampaignId id, Timestamp now) {
    const auto step = tables.campaigns().cancel_rows(id, rows_step, now);
    if (!step || step->changed > 0 || !step->complete) {
        return step ? Result<void>{} : pass(step);
    }
    const auto found = tables.campaigns().find_campaign(id);
    if (!found) {
        return pass(found);
    }
    const auto left = *found ? (*found)->counts.of(RecipientState::pending) : 0;
    return left == 0 ? Result<void>{}
                     : fail(ErrorCode::damaged, fmt::format("{} rows cannot be written", left));
}

}  // namespace

/// Takes the campaign's messages out of the lanes, one step after the other. Those that are being
/// sent end as usual; the gate withdraws what a step does not find.
void Runner::withdraw(const KnownPtr& known) {
    const auto id = known->campaign->id;
    if (known->withdrawing || known->withdrawn ||
        known->campaign->counts.of(RecipientState::queued) == 0 ||
        known->read_at > rooms_.clock.steady_now()) {
        return;
    }
    auto* rows = reader();
    if (rows == nullptr) {
        return;
    }
    const auto page = rows->queued_rows(id, known->withdrawn_to, withdrawn_step);
    if (!page) {
        read_failed(*known, page.error());
        return;
    }
    std::vector<store::QueuedMessage> messages;
    for (const auto& row : *page) {
        known->withdrawn_to = row.row;
        auto record = row.message ? reader_->message(*row.message)
                                  : Result<std::optional<store::MessageRecord>>{std::nullopt};
        if (!record) {
            read_failed(*known, record.error());
            return;
        }
        if (*record && (*record)->state == model::MessageState::pending) {
            messages.push_back(
                {.message = std::make_unique<model::Message>(std::move((*record)->message)),
                 .queued_at = (*record)->queued_at});
        }
    }
    if (page->empty()) {
        known->withdrawn = true;
        rooms_.open.note_withdrawn(id);
        return;
    }
    known->withdrawing = true;
    rooms_.scheduler.withdraw(std::move(messages), [this, known](const Result<std::size_t>&) {
        post([this, known] {
            known->withdrawing = false;
            judge(known);
        });
    });
}

void Runner::cancel_rows(const KnownPtr& known) {
    if (known->stepping || known->campaign->counts.of(RecipientState::pending) == 0 ||
        known->step_at > rooms_.clock.steady_now()) {
        return;
    }
    known->stepping =
        rooms_.committer.change([id = known->campaign->id, now = rooms_.clock.wall_now()](
                                    store::Tables& tables) { return cancel_step(tables, id, now); },
                                [this, known](const Result<void>& done) {
                                    post([this, known, done] { cancelled_some(known, done); });
                                });
}

void Runner::cancelled_some(const KnownPtr& known, const Result<void>& done) {
    known->stepping = false;
    known->step_pause = done ? Millis{0} : longer(known->step_pause);
    if (done) {
        judge(known);
        return;
    }
    known->step_at = rooms_.clock.steady_now() + known->step_pause;
    if (!is_passing(done.error().code)) {
        rooms_.log.error(
            "rows of a campaign are not cancelled; trying again",
            {{"campaign", known->campaign->id.text()}, {"why", done.error().describe()}});
    }
}

/// One step after the other. The rows of an upload that is under way are not touched: what it
/// leaves is removed after it.
void Runner::clean(model::CampaignId id) {
    enum class After : std::uint8_t { complete, more, later };
    const auto found = unclean_.find(id);
    if (found == unclean_.end()) {
        return;  // Its account was detached.
    }
    auto& cleaning = found->second;
    if (rooms_.uploads.has(id)) {
        cleaning.at = rooms_.clock.steady_now() + tick_every;
        return;
    }
    cleaning.at = SteadyTime::max();  // Not while this step is under way.
    cleaning.again = false;
    const auto after = std::make_shared<After>(After::complete);
    const bool taken = rooms_.committer.change(
        [this, id, after](store::Tables& tables) -> Result<void> {
            if (rooms_.uploads.has(id)) {  // It has begun since.
                *after = After::later;
                return {};
            }
            const auto step = tables.campaigns().remove_rows(id, rows_step);
            *after = !step || step->complete ? After::complete : After::more;
            return step || step.error().code == ErrorCode::not_found ? Result<void>{} : pass(step);
        },
        [this, id, after](const Result<void>& done) {
            post([this, id, after, done] {
                const auto cleaned = unclean_.find(id);
                if (cleaned == unclean_.end()) {
                    return;
                }
                if (!done) {
                    clean_later(id, done.error());
                } else if (*after == After::complete && !cleaned->second.again) {
                    unclean_.erase(cleaned);
                } else if (*after != After::more) {
                    cleaned->second.at = rooms_.clock.steady_now() + tick_every;
                } else {
                    clean(id);
                }
            });
        });
    if (!taken) {
        clean_later(id, Error{.code = ErrorCode::busy, .detail = {}, .origin = {}});
    }
}

void Runner::clean_later(model::CampaignId id, const Error& error) {
    auto& cleaning = unclean_.at(id);
    if (is_passing(error.code)) {
        cleaning.at = rooms_.clock.steady_now() + tick_every;
        return;
    }
    cleaning.pause = longer(cleaning.pause);
    cleaning.at = rooms_.clock.steady_now() + cleaning.pause;
    rooms_.log.error("rows of a campaign are not removed; trying again later",
                     {{"campaign", id.text()}, {"why", error.describe()}});
}

/// The event and the note that it was told are one commit.
void Runner::notify(const KnownPtr& known) {
    known->owes_notice = false;
    const bool taken = rooms_.committer.change_always(
        [this, campaign = known->campaign](store::Tables& tables) -> Result<void> {
            auto noted =
                tables.campaigns().note_notified(campaign->id, campaign->state, campaign->reason);
            if (!noted) {
                return noted.error().code == ErrorCode::not_found ? Result<void>{} : noted;
            }
            return add_notice(tables, *campaign, event_of(*campaign));
        },
        [this](const Result<void>& done) {
            if (!done) {
                rooms_.log.error("a campaign's webhook event is not stored",
                                 {{"why", done.error().detail}});
            }
        });
    if (!taken) {
        known->owes_notice = true;  // The server stops; the next start tells it.
    }
}

Result<void> Runner::add_notice(store::Tables& tables, const model::Campaign& campaign,
                                std::string_view event) const {
    const auto account = tables.find_account(campaign.account);
    if (!account) {
        return pass(account);
    }
    const auto notice =
        *account ? notice_of(campaign, event, **account, rooms_.ids, rooms_.clock) : std::nullopt;
    return notice ? tables.add_callback(*notice) : Result<void>{};
}

void Runner::look_for_stall(const KnownPtr& known) {
    const auto& campaign = *known->campaign;
    if (known->stalled || !rooms_.open.may_send(campaign.id) ||
        rooms_.clock.steady_now() < known->moved_at + stalled_after) {
        return;
    }
    const bool due = campaign.counts.of(RecipientState::queued) > 0 ||
                     spacing_of(*known).due() <= rooms_.clock.now();
    if (!due) {
        return;
    }
    known->stalled = true;
    // Not told if the store is busy: that is reported elsewhere.
    std::ignore = rooms_.committer.change(
        [this, stalled = known->campaign](store::Tables& tables) {
            return add_notice(tables, *stalled, "campaign.stalled");
        },
        [](const Result<void>&) {});
    rooms_.log.warn("nothing moves in a campaign", {{"campaign", campaign.id.text()}});
}

/// The rate is that of the last minute.
void Runner::measure(Known& known) {
    const auto& campaign = *known.campaign;
    if (campaign.state != CampaignState::running) {
        return;
    }
    const auto now = rooms_.clock.steady_now();
    const auto ended = campaign.counts.total() - campaign.counts.open();
    if (known.ends.empty() || known.ends.back().first + sample_every <= now) {
        known.ends.emplace_back(now, ended);
    }
    while (known.ends.size() > 2 && known.ends[1].first + sampled_for <= now) {
        known.ends.pop_front();
    }
    const auto& [since, before] = known.ends.front();
    if (now - since < sample_every) {
        return;
    }
    using Minutes = std::chrono::duration<double, std::ratio<60>>;
    Speed speed{.per_minute = static_cast<double>(ended - before) / Minutes{now - since}.count()};
    const auto zone = rooms_.open.zone_of(campaign.id);
    if (speed.per_minute > 0 && zone) {
        const Minutes left{static_cast<double>(campaign.counts.open()) / speed.per_minute};
        if (left < std::chrono::days{3'650}) {
            speed.ends_at = end_of(campaign.plan, *zone, rooms_.clock.wall_now(),
                                   std::chrono::duration_cast<Millis>(left));
        }
    }
    rooms_.open.set_speed(campaign.id, speed);
}

}  // namespace merpati::campaign
