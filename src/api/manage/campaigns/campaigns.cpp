// Campaigns: create, list, look-up, change and remove.

#include "store/campaigns.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "api/manage/campaigns/campaign_view.hpp"
#include "api/manage/campaigns/plan_fields.hpp"
#include "api/manage/engine/entity_tag.hpp"
#include "api/manage/engine/handlers.hpp"
#include "api/manage/engine/listing.hpp"
#include "api/manage/engine/lookup.hpp"
#include "campaign/acts.hpp"

namespace merpati::api::manage::campaigns {
namespace {

using boost::json::value;

constexpr std::string_view states = "draft, scheduled, running, paused, finished or cancelled";

/// Errors: invalid_argument (one of the devices is not the account's).
Result<void> check_devices(store::DeviceTables& tables, const model::Campaign& campaign) {
    for (const auto number : campaign.plan.devices) {
        const auto device = tables.find_device(number);
        if (!device) {
            return pass(device);
        }
        if (!*device || (*device)->account != campaign.account) {
            return fail(ErrorCode::invalid_argument,
                        fmt::format("the account has no device {}", number.text()));
        }
    }
    return {};
}

/// The named campaign, for a change that If-Match allows.
Result<model::Campaign> find_edited(store::Tables& tables, const Call& call) {
    return matching(
        call, find_campaign(tables, call, call.id),
        [&](const model::Campaign& campaign) { return view(campaign, call.principal); });
}

void require(Fields& fields, const char* name) {
    if (!fields.given(name)) {
        fields.mistake(name, "must be given");
    }
}

}  // namespace

Result<value> create(const Context& context, Call& call) {
    const auto named = call.fields.account();
    require(call.fields, "name");
    require(call.fields, "devices");
    const PlanFields fields{call.fields, context};
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    return context.commit_and_show(
        [&](store::Tables& tables) -> Result<model::Campaign> {
            const auto account = find_own_account(tables, call, named);
            if (!account) {
                return pass(account);
            }
            model::Campaign campaign;
            campaign.account = account->id;
            campaign.created_at = context.clock.now();
            auto plan = fields.create(campaign.created_at);
            if (!plan) {
                return pass(plan);
            }
            campaign.plan = *std::move(plan);
            if (auto owned = check_devices(tables, campaign); !owned) {
                return pass(owned);
            }
            if (auto room = tables.campaigns().check_room(account->id); !room) {
                return pass(room);
            }
            return tables.campaigns().create_campaign(campaign);
        },
        [&](const model::Campaign& campaign) { return view_now(context, call, campaign); });
}

Result<value> list(const Context& context, Call& call) {
    store::CampaignFilter filter;
    filter.state = call.fields.word("state", model::parse_campaign_state, states);
    if (auto taken = take_page(context, call, "campaigns", model::CampaignId::parse, filter);
        !taken) {
        return pass(taken);
    }
    const auto found =
        context.read([&](store::Reader& reader) { return reader.campaigns().campaigns(filter); });
    if (!found) {
        return pass(found);
    }
    return page_of(
        *found, filter.limit, "campaigns",
        [&](const model::Campaign& campaign) { return view_now(context, call, campaign); },
        [](const model::Campaign& campaign) { return campaign.id.text(); });
}

Result<value> show(const Context& context, Call& call) {
    const auto campaign = find_named_campaign(context, call);
    return campaign ? Result<value>{view_now(context, call, *campaign)} : pass(campaign);
}

Result<value> change(const Context& context, Call& call) {
    const PlanFields fields{call.fields, context};
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    return context.commit_and_show(
        [&](store::Tables& tables) -> Result<model::Campaign> {
            const auto now = context.clock.now();
            auto campaign = find_edited(tables, call);
            if (!campaign) {
                return campaign;
            }
            auto plan = campaign->plan;
            if (auto applied = fields.apply(plan, now); !applied) {
                return pass(applied);
            }
            call.changed_nothing = plan == campaign->plan;
            return call.changed_nothing ? campaign
                                        : campaign::edit(tables, campaign->id, plan, now);
        },
        [&](const model::Campaign& campaign) { return view_now(context, call, campaign); });
}

Result<value> remove(const Context& context, Call& call) {
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    return context.commit_and_show(
        [&](store::Tables& tables) -> Result<model::CampaignId> {
            const auto campaign = find_edited(tables, call);
            if (!campaign) {
                return pass(campaign);
            }
            const auto removed = campaign::remove(tables, campaign->id);
            return removed ? Result<model::CampaignId>{campaign->id} : pass(removed);
        },
        [](model::CampaignId id) -> value { return {{"id", id.text()}, {"removed", true}}; });
}

}  // namespace merpati::api::manage::campaigns
