// Starting, pausing, resuming, cancelling, repeating and copying a campaign.

#include <string>
#include <utility>

#include <fmt/format.h>

#include "api/manage/campaigns/campaign_view.hpp"
#include "api/manage/campaigns/plan_fields.hpp"
#include "api/manage/campaigns/readiness.hpp"
#include "api/manage/engine/handlers.hpp"
#include "api/manage/engine/lookup.hpp"
#include "campaign/acts.hpp"
#include "campaign/audience/uploads.hpp"
#include "campaign/control.hpp"
#include "store/campaigns.hpp"

namespace merpati::api::manage::campaigns {
namespace {

using boost::json::value;
using model::Campaign;
using model::CampaignState;

/// How often a start is checked anew because the campaign was changed meanwhile.
constexpr int checks_max = 3;

/// Runs one act on the named campaign. One that finds everything as it should be is not logged.
template <class Act>
Result<Campaign> act_on(const Context& context, Call& call, Act act) {
    Campaign after;
    const auto done = context.change([&](store::Tables& tables) -> Result<void> {
        const auto before = find_campaign(tables, call, call.id);
        if (!before) {
            return pass(before);
        }
        auto made = act(tables, before->id);
        if (!made) {
            return pass(made);
        }
        after = *std::move(made);
        call.changed_nothing = after.state == before->state && after.plan == before->plan;
        return {};
    });
    return done ? Result<Campaign>{std::move(after)} : pass(done);
}

/// Too little credit does not allow the act now, which is a conflict.
std::unexpected<Error> without_credit(const Error& error) {
    return fail(error.code == ErrorCode::refused ? ErrorCode::conflict : error.code, error.detail);
}

/// Pause and cancel: answers when the queued messages are back.
template <class Act>
Result<value> stop_sending(const Context& context, Call& call, Act act) {
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    const auto stopped = act_on(context, call, act);
    if (!stopped) {
        return pass(stopped);
    }
    (void)context.campaigns.control.wait_until_withdrawn(stopped->id);
    const auto now = find_named_campaign(context, call);
    return now ? Result<value>{view_now(context, call, *now)} : pass(now);
}

/// When a campaign is to start. Empty: now. A draft that names a time waits for it.
std::optional<Timestamp> start_time(const Campaign& campaign, std::optional<Timestamp> wished,
                                    Timestamp now) {
    const auto& planned = campaign.plan.schedule_at;
    const bool waits = campaign.state == CampaignState::draft && planned && *planned > now;
    return wished ? wished : waits ? planned : std::nullopt;
}

/// Checks the campaign, unless its state refuses the start anyway, and starts it.
Result<Campaign> check_and_start(const Context& context, Call& call, const std::string& at) {
    const auto campaign = find_named_campaign(context, call);
    if (!campaign) {
        return campaign;
    }
    const auto now = context.clock.now();
    std::optional<Timestamp> wished;
    if (!at.empty()) {
        const auto read = read_wished_time("at", at, campaign->plan.timezone, now);
        if (!read) {
            return pass(read);
        }
        wished = *read;
    }
    if (campaign->state == CampaignState::draft || campaign->state == CampaignState::scheduled) {
        const auto report = check_now(context, *campaign);
        if (!report) {
            return pass(report);
        }
        if (!report->ready) {
            return not_ready(call, *campaign, *report);
        }
    }
    return act_on(context, call, [&](store::Tables& tables, model::CampaignId id) {
        return campaign::start(
            tables, {.id = id, .checked = &*campaign, .at = start_time(*campaign, wished, now)},
            context.clock.now());
    });
}

/// Gives the claim on the campaign's audience to `claim`, which an earlier run of the change may
/// have filled.
Result<Campaign> claimed(const Context& context, Campaign campaign,
                         std::optional<campaign::Uploads::Claim>& claim) {
    claim.reset();
    auto made = context.campaigns.uploads.claim(campaign.id);
    if (!made) {
        return pass(made);
    }
    claim.emplace(*std::move(made));
    return campaign;
}

/// A campaign whose schedule came to nothing is checked as `start` checks it.
Result<void> check_before_first_start(const Context& context, Call& call) {
    const auto campaign = find_named_campaign(context, call);
    if (!campaign) {
        return pass(campaign);
    }
    if (campaign->state != CampaignState::paused || campaign->started_at) {
        return {};
    }
    const auto report = check_now(context, *campaign);
    if (!report) {
        return pass(report);
    }
    return report->ready ? Result<void>{} : not_ready(call, *campaign, *report);
}

}  // namespace

Result<value> start(const Context& context, Call& call) {
    const auto at = call.fields.text("at", wished_time_bytes_max);
    // The right is checked before the whole audience is read.
    auto started = check_and_start(context, call, at.value_or(""));
    for (int tries = 1;
         tries < checks_max && !started && started.error().code == ErrorCode::precondition_failed;
         ++tries) {
        started = check_and_start(context, call, at.value_or(""));
    }
    if (!started) {
        return started.error().code == ErrorCode::precondition_failed
                   ? fail(ErrorCode::conflict, started.error().detail)
                   : without_credit(started.error());
    }
    return view_now(context, call, *started);
}

Result<value> pause(const Context& context, Call& call) {
    return stop_sending(context, call, [&](store::Tables& tables, model::CampaignId id) {
        return campaign::pause(tables, id, context.clock.now());
    });
}

Result<value> resume(const Context& context, Call& call) {
    const auto devices = take_devices(call.fields);
    const auto per_minute = take_per_minute(call.fields);
    if (auto ready = check_before_first_start(context, call); !ready) {
        return pass(ready);
    }
    const auto resumed = act_on(context, call, [&](store::Tables& tables, model::CampaignId id) {
        return campaign::resume(tables, {.id = id, .devices = devices, .per_minute = per_minute},
                                context.clock.now());
    });
    return resumed ? Result<value>{view_now(context, call, *resumed)}
                   : without_credit(resumed.error());
}

Result<value> cancel(const Context& context, Call& call) {
    return stop_sending(context, call, [&](store::Tables& tables, model::CampaignId id) {
        return campaign::cancel(tables, id, context.clock.now());
    });
}

Result<value> retry(const Context& context, Call& call) {
    const auto parse = [](std::string_view word) -> std::optional<store::RetryScope> {
        return word == "failed"      ? std::optional{store::RetryScope::failed}
               : word == "uncertain" ? std::optional{store::RetryScope::uncertain}
                                     : std::nullopt;
    };
    auto& fields = call.fields;
    if (!fields.given("scope")) {
        fields.mistake("scope", "must be given");
    }
    const auto scope = fields.word("scope", parse, "failed or uncertain");
    const auto code = fields.integer("code", 1, 65'535);
    if (code && scope == store::RetryScope::uncertain) {
        fields.mistake("code", "must be given only with the scope failed");
    }
    const auto campaign = find_named_campaign(context, call);
    if (!campaign) {
        return pass(campaign);
    }
    const auto rows = campaign::retry(
        context.change,
        {.id = campaign->id, .scope = *scope, .code = code.transform([](std::int64_t number) {
             return static_cast<model::StatusCode>(number);
         })},
        context.clock);
    if (!rows) {
        return pass(rows);
    }
    call.did = {{"recipients", *rows}};
    const auto now = find_named_campaign(context, call);
    return now ? Result<value>{view_now(context, call, *now)} : pass(now);
}

Result<value> clone(const Context& context, Call& call) {
    const bool with_recipients = call.fields.boolean("recipients").value_or(false);
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    std::optional<campaign::Uploads::Claim> claim;
    const auto copied =
        act_on(context, call, [&](store::Tables& tables, model::CampaignId id) -> Result<Campaign> {
            if (!with_recipients) {
                return campaign::clone(tables, id, context.clock.now());
            }
            auto begun = campaign::begin_clone(tables, id, context.clock.now());
            // Whoever removes what broken uploads have left must not see rows of this copy as such.
            return begun ? claimed(context, *std::move(begun), claim) : begun;
        });
    if (!copied) {
        return pass(copied);
    }
    call.did = {{"campaign", copied->id.text()}};
    if (with_recipients) {
        const auto from = model::CampaignId::parse(call.id).value_or(model::CampaignId{});
        const auto rows =
            campaign::copy_audience(context.change, context.store, from, copied->id, context.clock);
        if (!rows) {
            // A copy without its audience is none. If the account has left, its next owner removes
            // it.
            (void)context.change([&](store::Tables& tables) {
                return tables.campaigns().remove_campaign(copied->id);
            });
            return pass(rows);
        }
        call.did["recipients"] = rows->rows;
    }
    const auto now = find_campaign(context, call, copied->id.text());
    return now ? Result<value>{view_now(context, call, *now)} : pass(now);
}

}  // namespace merpati::api::manage::campaigns
