#include "cli/campaign/campaign_view.hpp"

#include <ranges>
#include <string_view>
#include <utility>

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include "base/printable.hpp"

namespace merpati::cli {
namespace {

using boost::json::object;
using boost::json::value;

std::uint64_t number(const value& field) {
    return field.to_number<std::uint64_t>();
}

/// "paused: failures", "running, waits: quiet_hours until …"
std::string status_of(const object& campaign) {
    auto status = word(campaign.at("state"));
    const auto reason = word(campaign.at("reason"));
    if (!reason.empty()) {
        status += (status == "running" ? ", waits: " : ": ") + reason;
    }
    const auto until = word(campaign.at("until"));
    return until.empty() ? status : status + " until " + until;
}

std::string media_of(const value& media) {
    if (media.is_null()) {
        return {};
    }
    const auto& given = media.as_object();
    const auto* url = given.if_contains("url");
    return url != nullptr ? word(*url) : fmt::format("of the column {}", word(given.at("column")));
}

std::string quiet_hours_of(const value& hours) {
    return hours.is_null() ? std::string{}
                           : fmt::format("{} to {}", word(hours.at("from")), word(hours.at("to")));
}

std::string exclusion_of(const value& exclude) {
    if (exclude.is_null()) {
        return {};
    }
    std::string who;
    if (const auto* campaigns = exclude.as_object().if_contains("campaigns")) {
        for (const auto& campaign : campaigns->as_array()) {
            who += (who.empty() ? "who got " : ", ") + word(campaign);
        }
    }
    if (const auto* days = exclude.as_object().if_contains("contacted_within_days")) {
        who += fmt::format("{}a campaign within {} days", who.empty() ? "who got " : ", or ",
                           number(*days));
    }
    return who;
}

std::string stop_rules_of(const value& rules) {
    static constexpr std::array words{
        std::pair<std::string_view, std::string_view>{"failures_in_row", "{} failures in a row"},
        std::pair<std::string_view, std::string_view>{"unregistered_percent",
                                                      "{} % not registered"},
        std::pair<std::string_view, std::string_view>{"opt_outs_per_hundred", "{} of 100 opt out"}};
    std::string all;
    for (const auto& [field, form] : words) {
        const auto& most = rules.at(field);
        if (!most.is_null()) {
            all += (all.empty() ? "" : ", ") + fmt::format(fmt::runtime(form), number(most));
        }
    }
    return all;
}

void add_counts(object& shown, const object& counts) {
    const auto of = [&counts](std::string_view field) { return number(counts.at(field)); };
    const auto waiting = of("pending") + of("queued");
    const auto total = of("total");
    shown["recipients"] = waiting == 0 ? fmt::format("{}", total)
                                       : fmt::format("{}, of which {} wait", total, waiting);
    shown["sent"] =
        fmt::format("{} ({} delivered, {} read)", of("sent"), of("delivered"), of("read"));
    std::string others;
    for (const std::string_view state : {"failed", "skipped", "uncertain", "cancelled"}) {
        if (of(state) > 0) {
            others += fmt::format("{}{} {}", others.empty() ? "" : ", ", of(state), state);
        }
    }
    shown["not_sent"] = others;
    shown["done"] = fmt::format("{}/{}", total - waiting, total);
    shown["sent_count"] = of("sent");
    shown["failed"] = of("failed");
}

}  // namespace

object campaign_view(const object& campaign) {
    auto shown = campaign;
    shown["status"] = status_of(campaign);
    const auto& pace = campaign.at("pace");
    shown["pace"] = pace.is_null() ? std::string{"as fast as its devices"}
                                   : fmt::format("{} a minute", number(pace.at("per_minute")));
    shown["quiet_hours"] = quiet_hours_of(campaign.at("quiet_hours"));
    shown["media"] = media_of(campaign.at("media"));
    shown["exclude"] = exclusion_of(campaign.at("exclude"));
    const auto& frequency = campaign.at("frequency");
    shown["frequency"] =
        frequency.is_null() ? std::string{}
                            : fmt::format("at most {} in {} days", number(frequency.at("messages")),
                                          number(frequency.at("days")));
    shown["stop_rules"] = stop_rules_of(campaign.at("stop_rules"));
    const auto& speed = campaign.at("rate_per_minute");
    if (speed.is_null()) {
        shown.erase("ends_at");
    } else {
        shown["speed"] = fmt::format("{:.1f} a minute", speed.to_number<double>());
    }
    add_counts(shown, campaign.at("counts").as_object());
    return shown;
}

object person_view(const object& person) {
    auto shown = person;
    std::string values;
    if (const auto* given = person.if_contains("values"); given != nullptr && given->is_object()) {
        for (const auto& [name, text] : given->get_object()) {
            if (!word(text).empty()) {
                values += fmt::format("{}{}={}", values.empty() ? "" : ", ", std::string_view{name},
                                      word(text));
            }
        }
    }
    shown["values"] = values;
    if (const auto* consent = person.if_contains("consent");
        consent != nullptr && consent->is_object()) {
        const auto text = word(consent->at("text"));
        shown["consent"] = fmt::format("{} at {}{}", word(consent->at("source")),
                                       word(consent->at("at")), text.empty() ? text : ": " + text);
    }
    return shown;
}

std::string word(const value& field) {
    return field.is_string() ? std::string{field.get_string()} : std::string{};
}

std::string texts_of(const object& campaign) {
    if (const auto& message = campaign.at("message"); message.is_string()) {
        return "text\n" + shown_text(word(message));
    }
    std::string texts;
    if (const auto& variants = campaign.at("variants"); variants.is_array()) {
        int place = 0;
        for (const auto& variant : variants.get_array()) {
            texts += fmt::format("text {}, weight {}\n{}", ++place, number(variant.at("weight")),
                                 shown_text(word(variant.at("message"))));
        }
    }
    if (const auto& used = campaign.at("template"); used.is_object()) {
        texts += printable(
            fmt::format("template {}/{}", word(used.at("name")), word(used.at("language"))));
        texts += '\n';
        for (const auto& variable : used.at("variables").as_array()) {
            texts += shown_text(word(variable));
        }
        if (used.at("header").is_string()) {
            texts += "header\n" + shown_text(word(used.at("header")));
        }
        for (const auto& button : used.at("buttons").as_array()) {
            texts += "button\n" + shown_text(word(button));
        }
    }
    return texts;
}

std::string shown_text(std::string_view text) {
    std::string shown;
    for (const auto line : std::views::split(text, '\n')) {
        shown += "  " + printable(std::string_view{line}) + '\n';
    }
    return shown;
}

}  // namespace merpati::cli
