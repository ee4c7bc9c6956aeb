#include "cli/campaign/plan_fields.hpp"

#include <array>
#include <optional>
#include <ranges>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "api/manage/campaigns/time_fields.hpp"
#include "base/assert.hpp"
#include "model/ids.hpp"

namespace merpati::cli {
namespace {

constexpr std::int64_t days_most = 3'650;
constexpr std::int64_t frequency_messages_most = 1'000;

/// The two parts around the first `separator`.
std::optional<std::pair<std::string, std::string>> halves(const std::string& text, char separator) {
    const auto place = text.find(separator);
    return place == std::string::npos
               ? std::nullopt
               : std::optional{std::pair{text.substr(0, place), text.substr(place + 1)}};
}

bool is_whole(const std::string& text, std::int64_t most) {
    return whole_number(1, most)(text).empty();
}

/// "30d" as 30.
std::optional<std::int64_t> days_of(const std::string& text) {
    if (!text.ends_with('d') || !is_whole(text.substr(0, text.size() - 1), days_most)) {
        return std::nullopt;
    }
    return number_of(std::string_view{text}.substr(0, text.size() - 1));
}

std::vector<std::string> words_of(const std::string& text) {
    std::vector<std::string> words;
    for (const auto word : std::views::split(std::string_view{text}, ',')) {
        words.emplace_back(std::string_view{word});
    }
    return words.empty() ? std::vector{text} : words;
}

struct StopRule {
    std::string_view word;
    std::string_view field;
    std::int64_t most = 0;
};

constexpr std::array stop_rule_rows{
    StopRule{.word = "failures", .field = "failures_in_row", .most = 1'000'000},
    StopRule{.word = "unregistered", .field = "unregistered_percent", .most = 100},
    StopRule{.word = "opt-outs", .field = "opt_outs_per_hundred", .most = 100},
};

/// The rule that "failures=20" names. Null: it is none.
const StopRule* rule_of(const std::string& text) {
    const auto parts = halves(text, '=');
    for (const auto& rule : stop_rule_rows) {
        if (parts && parts->first == rule.word) {
            return is_whole(parts->second, rule.most) ? &rule : nullptr;
        }
    }
    return nullptr;
}

bool is_campaign(const std::string& text) {
    return model::CampaignId::parse(text).has_value();
}

}  // namespace

ArgumentCheck quiet_hours() {
    return [](const std::string& text) -> std::string {
        const auto parts = halves(text, '-');
        using api::manage::parse_time_of_day;
        return parts && parse_time_of_day(parts->first) && parse_time_of_day(parts->second)
                   ? ""
                   : fmt::format("'{}' is not a time of the night like 20:00-08:00", text);
    };
}

boost::json::value as_quiet_hours(const std::string& text) {
    const auto parts = halves(text, '-');
    invariant(parts.has_value(), "the quiet hours were checked when they were parsed");
    return {{"from", parts->first}, {"to", parts->second}};
}

ArgumentCheck message_frequency() {
    return [](const std::string& text) -> std::string {
        const auto parts = halves(text, '/');
        return parts && is_whole(parts->first, frequency_messages_most) && days_of(parts->second)
                   ? ""
                   : fmt::format("'{}' is not a frequency: write 3/7d for 3 messages in 7 days",
                                 text);
    };
}

boost::json::value as_frequency(const std::string& text) {
    const auto parts = halves(text, '/');
    invariant(parts.has_value(), "the frequency was checked when it was parsed");
    return {{"messages", number_of(parts->first)}, {"days", days_of(parts->second).value_or(1)}};
}

ArgumentCheck exclusion() {
    return [](const std::string& text) -> std::string {
        for (const auto& word : words_of(text)) {
            if (!is_campaign(word) && !days_of(word)) {
                return fmt::format(
                    "'{}' is neither a campaign like cmp_1 nor a number of days like 30d", word);
            }
        }
        return "";
    };
}

boost::json::value as_exclusion(const std::string& text) {
    boost::json::object exclude;
    for (const auto& word : words_of(text)) {
        if (const auto days = days_of(word)) {
            exclude["contacted_within_days"] = *days;
            continue;
        }
        auto& campaigns = exclude["campaigns"];
        if (!campaigns.is_array()) {
            campaigns.emplace_array();
        }
        campaigns.get_array().emplace_back(word);
    }
    return exclude;
}

ArgumentCheck stop_rules() {
    return [](const std::string& text) -> std::string {
        for (const auto& word : words_of(text)) {
            if (rule_of(word) == nullptr) {
                return fmt::format(
                    "'{}' is no rule: write failures=20, unregistered=30 or "
                    "opt-outs=5, with commas between several",
                    word);
            }
        }
        return "";
    };
}

boost::json::value as_stop_rules(const std::string& text) {
    boost::json::object rules;
    for (const auto& word : words_of(text)) {
        const auto* rule = rule_of(word);
        invariant(rule != nullptr, "the rules were checked when they were parsed");
        rules[rule->field] = number_of(std::string_view{word}.substr(rule->word.size() + 1));
    }
    return rules;
}

ArgumentCheck template_name() {
    return [](const std::string& text) -> std::string {
        const auto parts = halves(text, '/');
        return parts && !parts->first.empty() && !parts->second.empty()
                   ? ""
                   : fmt::format(
                         "'{}' is not a template: write its name and language, like "
                         "order_ready/id",
                         text);
    };
}

}  // namespace merpati::cli
