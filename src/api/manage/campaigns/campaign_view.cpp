#include "api/manage/campaigns/campaign_view.hpp"

#include <array>
#include <utility>

#include "api/manage/campaigns/time_fields.hpp"
#include "api/manage/engine/views.hpp"
#include "api/texts/text.hpp"

namespace merpati::api::manage {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;
using model::RecipientState;

value shown_variants(const std::vector<model::Variant>& variants) {
    if (variants.empty()) {
        return nullptr;
    }
    array shown;
    for (const auto& variant : variants) {
        shown.push_back({{"message", variant.message}, {"weight", variant.weight}});
    }
    return shown;
}

value shown_template(const std::optional<model::CampaignTemplate>& used) {
    if (!used) {
        return nullptr;
    }
    return {{"name", used->name},
            {"language", used->language},
            {"variables", array(used->variables.begin(), used->variables.end())},
            {"header", text_or_null(used->header)},
            {"buttons", array(used->buttons.begin(), used->buttons.end())}};
}

value shown_media(const std::optional<model::CampaignMedia>& media) {
    if (!media) {
        return nullptr;
    }
    return media->url.empty() ? value{{"column", media->column}} : value{{"url", media->url}};
}

value shown_quiet_hours(const std::optional<model::QuietHours>& hours) {
    if (!hours) {
        return nullptr;
    }
    return {{"from", time_of_day_text(hours->from)}, {"to", time_of_day_text(hours->to)}};
}

value shown_exclusion(const std::optional<model::Exclusion>& exclusion) {
    if (!exclusion) {
        return nullptr;
    }
    object shown;
    if (!exclusion->campaigns.empty()) {
        auto& ids = shown["campaigns"].emplace_array();
        for (const auto campaign : exclusion->campaigns) {
            ids.emplace_back(campaign.text());
        }
    }
    if (exclusion->contacted_within_days) {
        shown["contacted_within_days"] = *exclusion->contacted_within_days;
    }
    return shown;
}

value shown_frequency(const std::optional<model::Frequency>& frequency) {
    if (!frequency) {
        return nullptr;
    }
    return {{"messages", frequency->messages}, {"days", frequency->days}};
}

object shown_rules(const model::StopRules& rules) {
    return {{"failures_in_row", value_or_null(rules.failures_in_row)},
            {"unregistered_percent", value_or_null(rules.unregistered_percent)},
            {"opt_outs_per_hundred", value_or_null(rules.opt_outs_per_hundred)}};
}

array shown_devices(const std::vector<model::PhoneNumber>& devices) {
    array shown;
    for (const auto device : devices) {
        shown.emplace_back(device.text());
    }
    return shown;
}

/// All that people choose, without the texts that recipients get.
object shown_choices(const model::CampaignPlan& plan) {
    const auto pace = plan.per_minute;
    return {{"name", plan.name},
            {"purpose", model::to_string(plan.purpose)},
            {"typing", plan.typing},
            {"devices", shown_devices(plan.devices)},
            {"pace", pace ? value{{"per_minute", *pace}} : nullptr},
            {"quiet_hours", shown_quiet_hours(plan.quiet_hours)},
            {"timezone", plan.timezone},
            {"schedule_at", view(plan.schedule_at)},
            {"finish_by", view(plan.finish_by)},
            {"exclude", shown_exclusion(plan.exclude)},
            {"frequency", shown_frequency(plan.frequency)},
            {"stop_rules", shown_rules(plan.stop_rules)},
            {"optout", model::to_string(plan.optout)},
            {"consent", text_or_null(plan.consent)},
            {"callback", text_or_null(plan.callback)}};
}

object shown_texts(const model::CampaignPlan& plan) {
    return {{"message", value_or_null(plan.message)},
            {"template", shown_template(plan.message_template)},
            {"variants", shown_variants(plan.variants)},
            {"media", shown_media(plan.media)}};
}

void add_all(object& shown, object&& more) {
    for (auto& [name, field] : more) {
        shown[name] = std::move(field);
    }
}

}  // namespace

object view(const model::Campaign& campaign, const admission::Principal& viewer,
            const std::optional<campaign::Speed>& speed) {
    object shown{{"id", campaign.id.text()},
                 {"account", campaign.account.text()},
                 {"state", model::to_string(campaign.state)},
                 {"reason", text_or_null(model::to_string(campaign.reason))},
                 {"until", view(campaign.until)}};
    add_all(shown, shown_choices(campaign.plan));
    add_all(shown, shown_texts(campaign.plan));
    shown["columns"] = array(campaign.columns.begin(), campaign.columns.end());
    shown["counts"] = view(campaign.counts);
    const bool runs = campaign.state == model::CampaignState::running && speed;
    shown["rate_per_minute"] = runs ? value(speed->per_minute) : nullptr;
    shown["ends_at"] = runs ? view(speed->ends_at) : nullptr;
    shown["created_at"] = to_rfc3339(campaign.created_at);
    shown["started_at"] = view(campaign.started_at);
    shown["finished_at"] = view(campaign.finished_at);
    hide_from_viewer(shown, viewer, campaign.account,
                     {"message", "variants", "template", "media", "callback"});
    return shown;
}

object view_now(const Context& context, const Call& call, const model::Campaign& campaign) {
    return view(campaign, call.principal, context.campaigns.control.speed_of(campaign.id));
}

object view(const model::CampaignCounts& counts) {
    object shown{{"total", counts.total()}};
    for (const auto state : {RecipientState::pending, RecipientState::queued, RecipientState::sent,
                             RecipientState::failed, RecipientState::skipped,
                             RecipientState::uncertain, RecipientState::cancelled}) {
        shown[model::to_string(state)] = counts.of(state);
    }
    shown["delivered"] = counts.delivered;
    shown["read"] = counts.read;
    return shown;
}

object view(const model::Recipient& recipient, std::span<const std::string> columns,
            bool is_masked) {
    object values;
    for (std::size_t place = 0; place < columns.size(); ++place) {
        values[columns[place]] = place < recipient.values.size() ? recipient.values[place] : "";
    }
    const auto number = recipient.number.transform(
        [&](model::PhoneNumber one) { return is_masked ? masked(one.text()) : one.text(); });
    const bool failed = recipient.state == RecipientState::failed;
    return {{"row", recipient.row},
            {"number", value_or_null(number)},
            {"original", is_masked ? nullptr : text_or_null(recipient.original)},
            {"state", model::to_string(recipient.state)},
            {"reason", text_or_null(model::to_string(recipient.reason))},
            {"values", is_masked ? nullptr : value(std::move(values))},
            {"variant", number_or_null(recipient.variant)},
            {"device", text_or_null(recipient.device)},
            {"message", text_or_null(recipient.message)},
            {"code", failed ? value(std::to_underlying(recipient.code)) : nullptr},
            {"at", to_rfc3339(recipient.at)}};
}

array view(std::span<const campaign::Problem> problems, Language language) {
    array shown;
    for (const auto& problem : problems) {
        shown.push_back({{"code", problem.code},
                         {"detail", translated(problem.detail, language)},
                         {"count", problem.count}});
    }
    return shown;
}

object log_view(const model::Campaign& campaign) {
    auto shown = shown_choices(campaign.plan);
    shown["state"] = model::to_string(campaign.state);
    shown["reason"] = text_or_null(model::to_string(campaign.reason));
    return shown;
}

bool have_same_texts(const model::CampaignPlan& one, const model::CampaignPlan& other) {
    return one.message == other.message && one.variants == other.variants &&
           one.message_template == other.message_template && one.media == other.media;
}

}  // namespace merpati::api::manage
