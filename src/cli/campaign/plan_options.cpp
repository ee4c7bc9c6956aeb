#include "cli/campaign/plan_options.hpp"

#include <algorithm>
#include <array>
#include <span>

#include <CLI/App.hpp>
#include <boost/json/array.hpp>
#include <fmt/format.h>

#include "cli/arguments.hpp"
#include "cli/campaign/plan_fields.hpp"
#include "cli/text_file.hpp"

namespace merpati::cli {
namespace {

using boost::json::object;
using Texts = std::vector<std::string>;

constexpr std::size_t message_bytes_max = 16'384;
constexpr std::int64_t weight_max = 1'000;
constexpr std::int64_t per_minute_max = 1'000'000;

/// Puts what was given into the body.
using Put = Result<void>(object& body, const Texts& texts);

struct PlanOption {
    std::string_view name;
    std::string_view shape;  // Stands for the value in the help.
    std::string_view help;
    ArgumentCheck check = not_empty();
    std::string_view field{};  // Of the campaign; empty: `put` knows.
    boost::json::value (*value_of)(const std::string& text) = as_text;
    Put* put = nullptr;
    bool repeats = false;
};

/// The object in the field, which is made if it is missing.
object& object_in(object& body, std::string_view field) {
    auto& found = body[field];
    return found.is_object() ? found.get_object() : found.emplace_object();
}

boost::json::value as_yes(const std::string& text) {
    return text == "yes";
}

boost::json::value as_media(const std::string& text) {
    return text == "none" ? boost::json::value(nullptr) : boost::json::value(object{{"url", text}});
}

boost::json::value as_media_column(const std::string& text) {
    return object{{"column", text}};
}

Result<void> put_message_file(object& body, const Texts& texts) {
    auto text = read_text_file(texts.front(), message_bytes_max);
    if (!text) {
        return pass(text);
    }
    body["message"] = *std::move(text);
    return {};
}

Result<void> put_variants(object& body, const Texts& texts) {
    boost::json::array variants;
    for (const auto& given : texts) {
        const auto file = parse_variant_file(given);
        auto text = read_text_file(file.path, message_bytes_max);
        if (!text) {
            return pass(text);
        }
        variants.push_back({{"message", *std::move(text)}, {"weight", file.weight}});
    }
    body["variants"] = std::move(variants);
    return {};
}

Result<void> put_template(object& body, const Texts& texts) {
    const auto& text = texts.front();
    const auto slash = text.find('/');
    auto& made = object_in(body, "template");
    made["name"] = text.substr(0, slash);
    made["language"] = text.substr(slash + 1);
    return {};
}

Result<void> put_template_values(object& body, const Texts& texts) {
    object_in(body, "template")["variables"] = boost::json::array(texts.begin(), texts.end());
    return {};
}

Result<void> put_template_header(object& body, const Texts& texts) {
    object_in(body, "template")["header"] = texts.front();
    return {};
}

Result<void> put_template_buttons(object& body, const Texts& texts) {
    object_in(body, "template")["buttons"] = boost::json::array(texts.begin(), texts.end());
    return {};
}

Result<void> put_devices(object& body, const Texts& texts) {
    body["devices"] = boost::json::array(texts.begin(), texts.end());
    return {};
}

// In the order of the help.
const std::array rows{
    PlanOption{.name = "--name", .shape = "NAME", .help = "Its name", .field = "name"},
    PlanOption{.name = "--message",
               .shape = "TEXT",
               .help = "The text: {{column}} is a value of the recipient, {a|b} a choice",
               .field = "message"},
    PlanOption{.name = "--message-file",
               .shape = "FILE",
               .help = "The same from a file; -: from standard input",
               .put = put_message_file},
    PlanOption{.name = "--variant-file",
               .shape = "FILE[=WEIGHT]",
               .help = "One of several texts, drawn by weight (1); repeatable",
               .put = put_variants,
               .repeats = true},
    PlanOption{.name = "--template",
               .shape = "NAME/LANGUAGE",
               .help = "A template of the Cloud API, in place of a text",
               .check = template_name(),
               .put = put_template},
    PlanOption{.name = "--template-value",
               .shape = "TEXT",
               .help = "The next variable of the template; repeatable",
               .put = put_template_values,
               .repeats = true},
    PlanOption{.name = "--template-header",
               .shape = "TEXT",
               .help = "The variable of the template's header; its file is --media",
               .put = put_template_header},
    PlanOption{.name = "--template-button",
               .shape = "TEXT",
               .help = "The next button's: the end of an address, or a coupon; repeatable",
               .put = put_template_buttons,
               .repeats = true},
    PlanOption{.name = "--media",
               .shape = "URL|none",
               .help = "A file for all recipients; the text is its caption",
               .field = "media",
               .value_of = as_media},
    PlanOption{.name = "--media-column",
               .shape = "COLUMN",
               .help = "The column with the address of each recipient's file",
               .field = "media",
               .value_of = as_media_column},
    PlanOption{.name = "--device",
               .shape = "NUMBER",
               .help = "A device of the account that sends; repeatable",
               .put = put_devices,
               .repeats = true},
    PlanOption{.name = "--purpose",
               .shape = "marketing|transactional",
               .help = "Marketing (default) has quiet hours, and needs consent and an opt-out",
               .check = one_of({"marketing", "transactional"}),
               .field = "purpose"},
    PlanOption{.name = "--consent",
               .shape = "TEXT|none",
               .help = "Why these people may be written to",
               .field = "consent",
               .value_of = text_or_null},
    PlanOption{.name = "--optout",
               .shape = "link|keyword|none",
               .help = "How recipients refuse more; link, of marketing: {{optout_url}}",
               .check = one_of({"link", "keyword", "none"}),
               .field = "optout"},
    PlanOption{.name = "--per-minute",
               .shape = "N|none",
               .help = "Most messages a minute of the whole campaign",
               .check = or_none(whole_number(1, per_minute_max)),
               .field = "pace",
               .value_of = as_pace},
    PlanOption{.name = "--quiet",
               .shape = "FROM-TO|none",
               .help = "When nothing is sent (20:00-08:00 of marketing)",
               .check = or_none(quiet_hours()),
               .field = "quiet_hours",
               .value_of = as_quiet_hours},
    PlanOption{.name = "--timezone",
               .shape = "ZONE",
               .help = "Where its hours are (Asia/Jakarta)",
               .field = "timezone"},
    PlanOption{.name = "--schedule-at",
               .shape = "TIME|none",
               .help = "When it begins after `start`: 2027-01-31T09:00",
               .field = "schedule_at",
               .value_of = text_or_null},
    PlanOption{.name = "--finish-by",
               .shape = "TIME|none",
               .help = "Spread the messages evenly until then",
               .field = "finish_by",
               .value_of = text_or_null},
    PlanOption{.name = "--exclude",
               .shape = "ID,30d|none",
               .help = "Skip who got these campaigns, or any within 30 days",
               .check = or_none(exclusion()),
               .field = "exclude",
               .value_of = as_exclusion},
    PlanOption{.name = "--frequency",
               .shape = "3/7d|none",
               .help = "Skip who got 3 messages of campaigns in 7 days",
               .check = or_none(message_frequency()),
               .field = "frequency",
               .value_of = as_frequency},
    PlanOption{.name = "--stop-rules",
               .shape = "RULE=N|none",
               .help = "Pause after failures=20 in a row, unregistered=30 %, opt-outs=5 %",
               .check = or_none(stop_rules()),
               .field = "stop_rules",
               .value_of = as_stop_rules},
    PlanOption{.name = "--callback",
               .shape = "URL|none",
               .help = "URL for the statuses of its messages (the account's)",
               .field = "callback",
               .value_of = text_or_null},
    PlanOption{.name = "--typing",
               .shape = "yes|no",
               .help = "Whether recipients see the device type (no)",
               .check = one_of({"yes", "no"}),
               .field = "typing",
               .value_of = as_yes},
};

constexpr std::array contents{"--message", "--message-file", "--variant-file", "--template"};

void exclude_each_other(CLI::App& command, std::span<const char* const> names) {
    for (std::size_t one = 0; one < names.size(); ++one) {
        for (std::size_t other = one + 1; other < names.size(); ++other) {
            command.get_option(names[one])->excludes(command.get_option(names[other]));
        }
    }
}

}  // namespace

void PlanOptions::add_to(CLI::App& command, Use use) {
    for (const auto& row : rows) {
        auto* option =
            command.add_option(std::string{row.name}, given_[row.name], std::string{row.help})
                ->option_text(std::string{row.shape})
                ->check(row.check);
        if (row.repeats) {
            option->allow_extra_args(false);
        } else {
            option->expected(1);
        }
    }
    exclude_each_other(command, contents);
    exclude_each_other(command, std::array{"--media", "--media-column"});
    for (const auto* filling : {"--template-value", "--template-header", "--template-button"}) {
        command.get_option(filling)->needs(command.get_option("--template"));
    }
    if (use == Use::create) {
        command.get_option("--name")->required();
        command.get_option("--device")->required();
    }
}

Result<object> PlanOptions::body() const {
    object body;
    for (const auto& row : rows) {
        const auto& texts = given_.at(row.name);
        if (texts.empty()) {
            continue;
        }
        if (row.put == nullptr) {
            body[row.field] = row.value_of(texts.front());
        } else if (auto put = row.put(body, texts); !put) {
            return pass(put);
        }
    }
    return body;
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
