#include "api/manage/campaigns/plan_fields.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "api/manage/campaigns/time_fields.hpp"
#include "api/manage/engine/callback_url.hpp"
#include "api/manage/engine/typed_number.hpp"
#include "campaign/time_zone.hpp"

namespace merpati::api::manage {
namespace {

using model::CampaignPlan;

constexpr std::size_t plan_name_bytes_max = 200;
constexpr std::size_t text_bytes_most = 16'384;  // Of a text, before its placeholders are filled.
constexpr std::size_t consent_bytes_max = 2'000;
constexpr std::size_t address_bytes_max = 2'048;
constexpr std::size_t column_bytes_max = 256;
constexpr std::size_t variants_max = 5;
constexpr std::size_t template_variables_max = 32;
constexpr std::size_t template_buttons_max = 10;  // As many as the platform takes.
constexpr std::size_t template_text_bytes_max = 1'024;
constexpr std::size_t plan_devices_max = 1'000;
constexpr std::size_t excluded_campaigns_max = 100;
constexpr std::int64_t days_max = 3'650;
constexpr std::chrono::days finish_ahead_max{366};  // The nights until then are counted.
constexpr std::int64_t often_max = 1'000'000;

constexpr model::QuietHours usual_quiet_hours{.from = std::chrono::hours{20},
                                              .to = std::chrono::hours{8}};
constexpr std::string_view usual_time_zone = "Asia/Jakarta";

std::uint32_t whole(std::optional<std::int64_t> number) {
    return static_cast<std::uint32_t>(number.value_or(0));
}

std::optional<std::uint32_t> perhaps(std::optional<std::int64_t> number) {
    return number.transform([](std::int64_t given) { return static_cast<std::uint32_t>(given); });
}

void clear_content(CampaignPlan& plan) {
    plan.message.reset();
    plan.variants.clear();
    plan.message_template.reset();
}

void use_defaults_of(model::Purpose purpose, CampaignPlan& plan) {
    const bool is_marketing = purpose == model::Purpose::marketing;
    plan.purpose = purpose;
    plan.quiet_hours = is_marketing ? std::optional{usual_quiet_hours} : std::nullopt;
    plan.optout = is_marketing ? model::OptOutWay::link : model::OptOutWay::none;
    plan.timezone = usual_time_zone;
}

}  // namespace

PlanFields::PlanFields(Fields& fields, const Context& context) {
    if (fields.given("name")) {
        edit([name = fields.required_text("name", plan_name_bytes_max)](CampaignPlan& plan) {
            plan.name = name;
        });
    }
    purpose_ = fields.word("purpose", model::parse_purpose, "marketing or transactional");
    if (purpose_) {
        edit([purpose = *purpose_](CampaignPlan& plan) { plan.purpose = purpose; });
    }
    take_content(fields);
    take_media(fields);
    if (const auto typing = fields.boolean("typing")) {
        edit([typing = *typing](CampaignPlan& plan) { plan.typing = typing; });
    }
    if (auto devices = take_devices(fields)) {
        edit([devices = *std::move(devices)](CampaignPlan& plan) { plan.devices = devices; });
    }
    take_pace(fields);
    take_quiet_hours(fields);
    take_time_zone(fields);
    take_time(fields, "schedule_at", &CampaignPlan::schedule_at);
    take_time(fields, "finish_by", &CampaignPlan::finish_by);
    take_exclusion(fields);
    take_frequency(fields);
    take_stop_rules(fields);
    if (const auto way = fields.word("optout", model::parse_opt_out_way, "none, link or keyword")) {
        edit([way = *way](CampaignPlan& plan) { plan.optout = way; });
    }
    take_consent(fields);
    if (auto url = take_callback_url(fields, "callback", context)) {
        edit([url = *std::move(url)](CampaignPlan& plan) { plan.callback = url; });
    }
}

Result<CampaignPlan> PlanFields::create(Timestamp now) const {
    CampaignPlan plan;
    use_defaults_of(purpose_.value_or(model::Purpose::marketing), plan);
    const auto applied = apply(plan, now);
    return applied ? Result<CampaignPlan>{std::move(plan)} : pass(applied);
}

Result<void> PlanFields::apply(CampaignPlan& plan, Timestamp now) const {
    for (const auto& change : edits_) {
        change(plan);
    }
    for (const auto& [field, text, place] : times_) {
        if (text.empty()) {
            (plan.*place).reset();
            continue;
        }
        const auto read = read_wished_time(field, text, plan.timezone, now);
        if (!read) {
            return pass(read);
        }
        if (place == &CampaignPlan::finish_by && *read > now + finish_ahead_max) {
            return fail(
                ErrorCode::invalid_argument,
                fmt::format("'{}' must be at most {} days ahead", field, finish_ahead_max.count()));
        }
        plan.*place = *read;
    }
    return {};
}

template <class Part, class Read>
void PlanFields::take_object(Fields& fields, std::string_view name, Part CampaignPlan::* place,
                             Read read) {
    if (fields.none(name)) {
        edit([place](CampaignPlan& plan) { plan.*place = {}; });
    } else if (auto given = fields.object(name)) {
        auto part = read(*given);
        fields.add_mistakes(name, *given);
        edit([place, part = std::move(part)](CampaignPlan& plan) { plan.*place = part; });
    }
}

void PlanFields::take_content(Fields& fields) {
    const auto given =
        std::ranges::count_if(std::array{"message", "variants", "template"}, [&](const char* name) {
            const auto* value = fields.find(name);
            return value != nullptr && !value->is_null();
        });
    if (given > 1) {
        fields.mistake("message", "must be the only one of message, variants and template");
    }
    if (fields.none("message")) {
        edit([](CampaignPlan& plan) { plan.message.reset(); });
    } else if (auto text = fields.prose("message", text_bytes_most)) {
        edit([text = *std::move(text)](CampaignPlan& plan) {
            clear_content(plan);
            plan.message = text.empty() ? std::nullopt : std::optional{text};
        });
    }
    take_variants(fields);
    take_template(fields);
}

void PlanFields::take_variants(Fields& fields) {
    if (fields.none("variants")) {
        edit([](CampaignPlan& plan) { plan.variants.clear(); });
        return;
    }
    auto given = fields.objects("variants", variants_max);
    if (!given) {
        return;
    }
    std::vector<model::Variant> variants;
    for (auto& one : *given) {
        auto message = one.prose("message", text_bytes_most).value_or("");
        if (message.empty()) {
            one.mistake("message", "must be given, and not be empty");
        }
        const auto weight = one.integer("weight", 1, 1'000).value_or(1);
        variants.push_back({.message = std::move(message), .weight = whole(weight)});
        fields.add_mistakes("variants", one);
    }
    edit([variants = std::move(variants)](CampaignPlan& plan) {
        clear_content(plan);
        plan.variants = variants;
    });
}

void PlanFields::take_template(Fields& fields) {
    take_object(fields, "template", &CampaignPlan::message_template, [this](Fields& given) {
        edit(clear_content);
        model::CampaignTemplate made{.name = given.required_text("name", 512),
                                     .language = given.required_text("language", 16),
                                     .variables = {}};
        if (given.given("variables")) {
            made.variables =
                given.text_list("variables", template_variables_max, template_text_bytes_max)
                    .value_or(made.variables);
        }
        if (!given.none("header")) {
            made.header = given.text("header", template_text_bytes_max).value_or(made.header);
        }
        if (given.given("buttons")) {
            made.buttons = given.text_list("buttons", template_buttons_max, template_text_bytes_max)
                               .value_or(made.buttons);
        }
        return made;
    });
}

void PlanFields::take_media(Fields& fields) {
    take_object(fields, "media", &CampaignPlan::media, [](Fields& given) {
        model::CampaignMedia media{.url = given.text("url", address_bytes_max).value_or(""),
                                   .column = given.text("column", column_bytes_max).value_or("")};
        if (media.url.empty() == media.column.empty()) {
            given.mistake("url", "must be given, or column in its place");
        }
        return media;
    });
}

void PlanFields::take_pace(Fields& fields) {
    if (const auto pace = take_per_minute(fields)) {
        edit([pace = *pace](CampaignPlan& plan) { plan.per_minute = pace; });
    }
}

void PlanFields::take_quiet_hours(Fields& fields) {
    take_object(fields, "quiet_hours", &CampaignPlan::quiet_hours, [](Fields& given) {
        const auto take = [&](const char* name) {
            const auto minutes = given.word(name, parse_time_of_day, "a time of day like 20:00");
            if (!minutes) {
                given.mistake(name, "must be given");
            }
            return minutes.value_or(std::chrono::minutes{0});
        };
        const auto from = take("from");
        return model::QuietHours{from, take("to")};
    });
}

void PlanFields::take_time_zone(Fields& fields) {
    auto name = fields.text("timezone", campaign::TimeZone::name_bytes_max);
    if (!name) {
        return;
    }
    if (!campaign::TimeZone::find(*name)) {
        fields.mistake("timezone", "must be the name of a time zone, like Asia/Jakarta");
    }
    edit([name = *std::move(name)](CampaignPlan& plan) { plan.timezone = name; });
}

void PlanFields::take_time(Fields& fields, std::string_view name,
                           std::optional<Timestamp> CampaignPlan::* place) {
    if (fields.none(name)) {
        times_.push_back({.field = name, .text = {}, .place = place});
    } else if (fields.given(name)) {
        times_.push_back({.field = name,
                          .text = fields.required_text(name, wished_time_bytes_max),
                          .place = place});
    }
}

void PlanFields::take_exclusion(Fields& fields) {
    take_object(fields, "exclude", &CampaignPlan::exclude, [](Fields& given) {
        model::Exclusion exclusion;
        for (const auto& id : given.words("campaigns", excluded_campaigns_max)
                                  .value_or(std::vector<std::string>{})) {
            if (const auto campaign = model::CampaignId::parse(id)) {
                exclusion.campaigns.push_back(*campaign);
            } else {
                given.mistake("campaigns", "must be ids of campaigns");
            }
        }
        exclusion.contacted_within_days =
            perhaps(given.integer("contacted_within_days", 1, days_max));
        if (exclusion.campaigns.empty() && !exclusion.contacted_within_days) {
            given.mistake("campaigns", "must be given, or contacted_within_days");
        }
        return exclusion;
    });
}

void PlanFields::take_frequency(Fields& fields) {
    take_object(fields, "frequency", &CampaignPlan::frequency, [](Fields& given) {
        const auto messages = given.required_integer("messages", 1, 1'000);
        const auto days = given.required_integer("days", 1, days_max);
        return model::Frequency{.messages = whole(messages), .days = whole(days)};
    });
}

/// A rule that is not given is none, as one that is null.
void PlanFields::take_stop_rules(Fields& fields) {
    take_object(fields, "stop_rules", &CampaignPlan::stop_rules, [](Fields& given) {
        const auto take = [&](std::string_view name, std::int64_t most) {
            return given.none(name) ? std::nullopt : perhaps(given.integer(name, 1, most));
        };
        return model::StopRules{.failures_in_row = take("failures_in_row", often_max),
                                .unregistered_percent = take("unregistered_percent", 100),
                                .opt_outs_per_hundred = take("opt_outs_per_hundred", 100)};
    });
}

void PlanFields::take_consent(Fields& fields) {
    if (fields.none("consent")) {
        edit([](CampaignPlan& plan) { plan.consent.clear(); });
    } else if (auto text = fields.prose("consent", consent_bytes_max)) {
        edit([text = *std::move(text)](CampaignPlan& plan) { plan.consent = text; });
    }
}

std::optional<std::vector<model::PhoneNumber>> take_numbers(Fields& fields, std::string_view name,
                                                            std::size_t most) {
    const auto typed = fields.words(name, most);
    if (!typed) {
        return std::nullopt;
    }
    std::vector<model::PhoneNumber> numbers;
    for (const auto& text : *typed) {
        if (const auto number = parse_typed(text)) {
            numbers.push_back(*number);
        } else {
            fields.mistake(name, std::string{number_needed});
        }
    }
    return numbers;
}

std::optional<std::vector<model::PhoneNumber>> take_devices(Fields& fields) {
    return take_numbers(fields, "devices", plan_devices_max).transform([](const auto& typed) {
        std::vector<model::PhoneNumber> devices;
        for (const auto number : typed) {
            if (std::ranges::find(devices, number) == devices.end()) {
                devices.push_back(number);
            }
        }
        return devices;
    });
}

std::optional<std::optional<std::uint32_t>> take_per_minute(Fields& fields) {
    if (fields.none("pace")) {
        return std::optional<std::uint32_t>{};
    }
    auto given = fields.object("pace");
    if (!given) {
        return std::nullopt;
    }
    const auto per_minute = whole(given->required_integer("per_minute", 1, often_max));
    fields.add_mistakes("pace", *given);
    return per_minute;
}

}  // namespace merpati::api::manage
