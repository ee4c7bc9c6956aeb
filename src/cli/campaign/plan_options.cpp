#include "cli/campaign/plan_options.hpp"

#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "cli/arguments.hpp"
#include "cli/campaign/plan_fields.hpp"
#include "cli/text_file.hpp"

namespace merpati::cli {
namespace {

using boost::json::object;

constexpr std::size_t message_bytes_max = 16'384;
constexpr std::int64_t weight_max = 1'000;
constexpr std::int64_t per_minute_max = 1'000'000;

boost::json::value as_pace(const std::string& text) {
    return object{{"per_minute", number_of(text)}};
}

boost::json::value as_media(const std::string& text) {
    return object{{"url", text}};
}

boost::json::value as_media_column(const std::string& text) {
    return object{{"column", text}};
}

boost::json::value as_template(const std::string& text) {
    const auto slash = text.find('/');
    return object{{"name", text.substr(0, slash)}, {"language", text.substr(slash + 1)}};
}

Result<boost::json::value> as_variants(const std::vector<std::string>& texts) {
    boost::json::array variants;
    for (const auto& given : texts) {
        const auto file = parse_variant_file(given);
        auto text = read_text_file(file.path, message_bytes_max);
        if (!text) {
            return pass(text);
        }
        variants.push_back({{"message", *std::move(text)}, {"weight", file.weight}});
    }
    return variants;
}

/// Its name, and what is sent.
std::vector<Parameter> content_options(PlanUse use) {
    return {{.name = "--name",
             .help = "Its name",
             .shape = "NAME",
             .field = "name",
             .required = use == PlanUse::create},
            {.name = "--message",
             .help = "The text: {{column}} is a value of the recipient, {a|b} a choice",
             .shape = "TEXT",
             .field = "message"},
            {.name = "--message-file",
             .help = "The same from a file; -: from standard input",
             .shape = "FILE",
             .field = "message",
             .excludes = {"--message"},
             .file_bytes_max = message_bytes_max},
            {.name = "--variant-file",
             .help = "One of several texts, drawn by weight (1); repeatable",
             .shape = "FILE[=WEIGHT]",
             .field = "variants",
             .value_of_all = as_variants,
             .repeats = true,
             .excludes = {"--message", "--message-file"}},
            {.name = "--template",
             .help = "A template of the Cloud API, in place of a text",
             .shape = "NAME/LANGUAGE",
             .check = template_name(),
             .field = "template",
             .value_of = as_template,
             .excludes = {"--message", "--message-file", "--variant-file"}},
            {.name = "--template-value",
             .help = "The next variable of the template; repeatable",
             .shape = "TEXT",
             .field = "template.variables",
             .repeats = true,
             .needs = "--template"},
            {.name = "--template-header",
             .help = "The variable of the template's header; its file is --media",
             .shape = "TEXT",
             .field = "template.header",
             .needs = "--template"},
            {.name = "--template-button",
             .help = "The next button's: the end of an address, or a coupon; repeatable",
             .shape = "TEXT",
             .field = "template.buttons",
             .repeats = true,
             .needs = "--template"},
            {.name = "--media",
             .help = "A file for all recipients; the text is its caption",
             .shape = "URL",
             .takes_none = true,
             .field = "media",
             .value_of = as_media},
            {.name = "--media-column",
             .help = "The column with the address of each recipient's file",
             .shape = "COLUMN",
             .field = "media",
             .value_of = as_media_column,
             .excludes = {"--media"}}};
}

/// Who sends it, why, when and how fast, and to whom not.
std::vector<Parameter> sending_options(PlanUse use) {
    return {{.name = "--device",
             .help = "A device of the account that sends; repeatable",
             .shape = "NUMBER",
             .field = "devices",
             .repeats = true,
             .required = use == PlanUse::create},
            {.name = "--purpose",
             .help = "Marketing (default) has quiet hours, and needs consent and an opt-out",
             .words = {"marketing", "transactional"},
             .field = "purpose"},
            {.name = "--consent",
             .help = "Why these people may be written to",
             .shape = "TEXT",
             .takes_none = true,
             .field = "consent"},
            {.name = "--optout",
             .help = "How recipients refuse more; link, of marketing: {{optout_url}}",
             .words = {"link", "keyword", "none"},
             .field = "optout"},
            pace_option("Most messages a minute of the whole campaign"),
            {.name = "--quiet",
             .help = "When nothing is sent (20:00-08:00 of marketing)",
             .shape = "FROM-TO",
             .check = quiet_hours(),
             .takes_none = true,
             .field = "quiet_hours",
             .value_of = as_quiet_hours},
            {.name = "--timezone",
             .help = "Where its hours are (Asia/Jakarta)",
             .shape = "ZONE",
             .field = "timezone"},
            {.name = "--schedule-at",
             .help = "When it begins after `start`: 2027-01-31T09:00",
             .shape = "TIME",
             .takes_none = true,
             .field = "schedule_at"},
            {.name = "--finish-by",
             .help = "Spread the messages evenly until then",
             .shape = "TIME",
             .takes_none = true,
             .field = "finish_by"},
            {.name = "--exclude",
             .help = "Skip who got these campaigns, or any within 30 days",
             .shape = "ID,30d",
             .check = exclusion(),
             .takes_none = true,
             .field = "exclude",
             .value_of = as_exclusion},
            {.name = "--frequency",
             .help = "Skip who got 3 messages of campaigns in 7 days",
             .shape = "3/7d",
             .check = message_frequency(),
             .takes_none = true,
             .field = "frequency",
             .value_of = as_frequency},
            {.name = "--stop-rules",
             .help = "Pause after failures=20 in a row, unregistered=30 %, opt-outs=5 %",
             .shape = "RULE=N",
             .check = stop_rules(),
             .takes_none = true,
             .field = "stop_rules",
             .value_of = as_stop_rules},
            {.name = "--callback",
             .help = "URL for the statuses of its messages (the account's)",
             .shape = "URL",
             .takes_none = true,
             .field = "callback"},
            {.name = "--typing",
             .help = "Whether recipients see the device type (no)",
             .words = {"yes", "no"},
             .field = "typing",
             .value_of = as_yes}};
}

}  // namespace

std::vector<Parameter> with_plan_options(Parameter first, PlanUse use) {
    return joined(joined({std::move(first)}, content_options(use)), sending_options(use));
}

Parameter pace_option(std::string help) {
    return {.name = "--per-minute",
            .help = std::move(help),
            .shape = "N",
            .check = whole_number(1, per_minute_max),
            .takes_none = true,
            .field = "pace",
            .value_of = as_pace};
}

VariantFile parse_variant_file(const std::string& text) {
    const auto place = text.rfind('=');
    if (place == std::string::npos || place == 0 ||
        !whole_number(1, weight_max)(text.substr(place + 1)).empty()) {
        return {.path = text};
    }
    return {.path = text.substr(0, place),
            .weight = static_cast<int>(number_of(std::string_view{text}.substr(place + 1)))};
}

}  // namespace merpati::cli
