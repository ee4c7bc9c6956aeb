#include "store/plan_text.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/monotonic_resource.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parser.hpp>
#include <boost/json/serialize.hpp>

#include "base/json_text.hpp"

namespace merpati::store {
namespace {

namespace json = boost::json;

/// A value of another type than the one that is written.
struct Malformed {};

json::value value_of(const std::string& text) {
    return json::value(text);
}
json::value value_of(std::uint32_t number) {
    return std::int64_t{number};
}
json::value value_of(Timestamp time) {
    return to_unix_millis(time);
}
template <class Value>
json::value value_of(const std::optional<Value>& value);
json::value value_of(model::PhoneNumber number) {
    return number.value();
}
json::value value_of(model::CampaignId campaign) {
    return campaign.value;
}
json::value value_of(const model::Variant& variant) {
    return {{"message", variant.message}, {"weight", std::int64_t{variant.weight}}};
}
template <class Value>
json::value value_of(const std::vector<Value>& values) {
    json::array array;
    array.reserve(values.size());
    for (const auto& value : values) {
        array.push_back(value_of(value));
    }
    return array;
}
json::value value_of(const model::CampaignTemplate& message) {
    return {{"name", message.name},
            {"language", message.language},
            {"variables", value_of(message.variables)},
            {"header", message.header},
            {"buttons", value_of(message.buttons)}};
}
json::value value_of(const model::CampaignMedia& media) {
    return {{"url", media.url}, {"column", media.column}};
}
json::value value_of(const model::QuietHours& quiet) {
    return {{"from", quiet.from.count()}, {"to", quiet.to.count()}};
}
json::value value_of(const model::Exclusion& exclude) {
    return {{"campaigns", value_of(exclude.campaigns)},
            {"contacted_within_days", value_of(exclude.contacted_within_days)}};
}
json::value value_of(const model::Frequency& frequency) {
    return {{"messages", value_of(frequency.messages)}, {"days", value_of(frequency.days)}};
}
json::value value_of(const model::StopRules& rules) {
    return {{"failures_in_row", value_of(rules.failures_in_row)},
            {"unregistered_percent", value_of(rules.unregistered_percent)},
            {"opt_outs_per_hundred", value_of(rules.opt_outs_per_hundred)}};
}
template <class Value>
json::value value_of(const std::optional<Value>& value) {
    return value ? value_of(*value) : json::value(nullptr);
}

// Each `read` throws Malformed.

void read(const json::value& value, std::string& text) {
    if (!value.is_string()) {
        throw Malformed{};
    }
    text = std::string_view{value.get_string()};
}
void read(const json::value& value, bool& flag) {
    if (!value.is_bool()) {
        throw Malformed{};
    }
    flag = value.get_bool();
}
std::int64_t integer_of(const json::value& value, std::int64_t lowest, std::int64_t highest) {
    if (!value.is_int64() || value.get_int64() < lowest || value.get_int64() > highest) {
        throw Malformed{};
    }
    return value.get_int64();
}
void read(const json::value& value, std::uint32_t& number) {
    number =
        static_cast<std::uint32_t>(integer_of(value, 0, std::numeric_limits<std::uint32_t>::max()));
}
void read(const json::value& value, Timestamp& time) {
    constexpr std::int64_t millis_max = 253'402'300'799'999;  // The end of the year 9999.
    time = from_unix_millis(integer_of(value, -millis_max, millis_max));
}
void read(const json::value& value, model::PhoneNumber& number) {
    constexpr std::int64_t number_max = 999'999'999'999'999;
    number = model::PhoneNumber::from_stored(integer_of(value, 1, number_max));
}
void read(const json::value& value, model::CampaignId& campaign) {
    campaign.value = integer_of(value, 1, std::numeric_limits<std::uint32_t>::max());
}
void read(const json::value& value, std::chrono::minutes& minutes) {
    constexpr std::int64_t minutes_max = 24 * 60;
    minutes = std::chrono::minutes{integer_of(value, 0, minutes_max)};
}

/// The fields of an object, which must be these and no others.
class Fields {
public:
    Fields(const json::value& value, std::size_t count) {
        if (!value.is_object() || value.get_object().size() != count) {
            throw Malformed{};
        }
        object_ = &value.get_object();
    }
    template <class Value>
    void take(std::string_view name, Value& target);

private:
    const json::object* object_ = nullptr;
};

void read(const json::value& value, model::Variant& variant) {
    Fields fields{value, 2};
    fields.take("message", variant.message);
    fields.take("weight", variant.weight);
}
void read(const json::value& value, model::CampaignTemplate& message);
void read(const json::value& value, model::CampaignMedia& media) {
    Fields fields{value, 2};
    fields.take("url", media.url);
    fields.take("column", media.column);
}
void read(const json::value& value, model::QuietHours& quiet) {
    Fields fields{value, 2};
    fields.take("from", quiet.from);
    fields.take("to", quiet.to);
}
void read(const json::value& value, model::Exclusion& exclude);
void read(const json::value& value, model::Frequency& frequency) {
    Fields fields{value, 2};
    fields.take("messages", frequency.messages);
    fields.take("days", frequency.days);
}
void read(const json::value& value, model::StopRules& rules);

template <class Value>
void read(const json::value& value, std::optional<Value>& target) {
    if (value.is_null()) {
        target.reset();
    } else {
        read(value, target.emplace());
    }
}
template <class Value>
void read(const json::value& value, std::vector<Value>& target) {
    if (!value.is_array()) {
        throw Malformed{};
    }
    for (const auto& element : value.get_array()) {
        read(element, target.emplace_back());
    }
}

template <class Value>
void Fields::take(std::string_view name, Value& target) {
    const auto* found = object_->if_contains(name);
    if (found == nullptr) {
        throw Malformed{};
    }
    read(*found, target);
}

/// Earlier versions wrote neither header nor buttons.
void read(const json::value& value, model::CampaignTemplate& message) {
    const bool has_more = value.is_object() && value.get_object().contains("header");
    Fields fields{value, has_more ? 5U : 3U};
    fields.take("name", message.name);
    fields.take("language", message.language);
    fields.take("variables", message.variables);
    if (has_more) {
        fields.take("header", message.header);
        fields.take("buttons", message.buttons);
    }
}
void read(const json::value& value, model::FilledTemplate& filled) {
    Fields fields{value, 5};
    fields.take("name", filled.name);
    fields.take("language", filled.language);
    fields.take("values", filled.values);
    fields.take("header", filled.header);
    fields.take("buttons", filled.buttons);
}
void read(const json::value& value, model::Exclusion& exclude) {
    Fields fields{value, 2};
    fields.take("campaigns", exclude.campaigns);
    fields.take("contacted_within_days", exclude.contacted_within_days);
}
void read(const json::value& value, model::StopRules& rules) {
    Fields fields{value, 3};
    fields.take("failures_in_row", rules.failures_in_row);
    fields.take("unregistered_percent", rules.unregistered_percent);
    fields.take("opt_outs_per_hundred", rules.opt_outs_per_hundred);
}

template <class Enum>
void take_word(Fields& fields, std::string_view name, Enum& target,
               std::optional<Enum> (*parse)(std::string_view)) {
    std::string word;
    fields.take(name, word);
    const auto parsed = parse(word);
    if (!parsed) {
        throw Malformed{};
    }
    target = *parsed;
}

/// Reads a value from JSON of at most `plan_bytes_max`; empty: it is malformed.
template <class Value, class Read>
std::optional<Value> parsed(std::string_view text, Read read_value) {
    constexpr std::size_t depth_max = 4;
    if (text.size() > plan_bytes_max) {
        return std::nullopt;
    }
    try {
        std::array<unsigned char, 4'096> buffer{};
        json::monotonic_resource memory{buffer.data(), buffer.size()};
        json::parse_options limits;
        limits.max_depth = depth_max;
        json::parser parser{&memory, limits};
        json::error_code error;
        parser.write(text.data(), text.size(), error);
        if (error) {
            return std::nullopt;
        }
        Value value;
        read_value(parser.release(), value);
        return value;
    } catch (const Malformed&) {
        return std::nullopt;
    }
}

}  // namespace

std::string plan_text(const model::CampaignPlan& plan) {
    const json::object object{{"name", plan.name},
                              {"purpose", model::to_string(plan.purpose)},
                              {"message", value_of(plan.message)},
                              {"variants", value_of(plan.variants)},
                              {"template", value_of(plan.message_template)},
                              {"media", value_of(plan.media)},
                              {"typing", plan.typing},
                              {"devices", value_of(plan.devices)},
                              {"per_minute", value_of(plan.per_minute)},
                              {"quiet_hours", value_of(plan.quiet_hours)},
                              {"timezone", plan.timezone},
                              {"schedule_at", value_of(plan.schedule_at)},
                              {"finish_by", value_of(plan.finish_by)},
                              {"exclude", value_of(plan.exclude)},
                              {"frequency", value_of(plan.frequency)},
                              {"stop_rules", value_of(plan.stop_rules)},
                              {"optout", model::to_string(plan.optout)},
                              {"consent", plan.consent},
                              {"callback", plan.callback}};
    return json::serialize(object);
}

std::optional<model::CampaignPlan> plan_of(std::string_view text) {
    constexpr std::size_t fields_count = 19;
    return parsed<model::CampaignPlan>(
        text, [](const json::value& value, model::CampaignPlan& plan) {
            Fields fields{value, fields_count};
            fields.take("name", plan.name);
            take_word(fields, "purpose", plan.purpose, &model::parse_purpose);
            fields.take("message", plan.message);
            fields.take("variants", plan.variants);
            fields.take("template", plan.message_template);
            fields.take("media", plan.media);
            fields.take("typing", plan.typing);
            fields.take("devices", plan.devices);
            fields.take("per_minute", plan.per_minute);
            fields.take("quiet_hours", plan.quiet_hours);
            fields.take("timezone", plan.timezone);
            fields.take("schedule_at", plan.schedule_at);
            fields.take("finish_by", plan.finish_by);
            fields.take("exclude", plan.exclude);
            fields.take("frequency", plan.frequency);
            fields.take("stop_rules", plan.stop_rules);
            take_word(fields, "optout", plan.optout, &model::parse_opt_out_way);
            fields.take("consent", plan.consent);
            fields.take("callback", plan.callback);
        });
}

/// Appends, because every row of an audience has such a list.
std::string list_text(std::span<const std::string> texts) {
    std::string list = "[";
    for (const auto& text : texts) {
        if (list.size() > 1) {
            list += ',';
        }
        append_json_string(list, text);
    }
    list += ']';
    return list;
}

std::optional<std::vector<std::string>> list_of(std::string_view text) {
    return parsed<std::vector<std::string>>(
        text, [](const json::value& value, std::vector<std::string>& texts) {
            if (!value.is_array()) {
                throw Malformed{};
            }
            texts.reserve(value.get_array().size());
            for (const auto& element : value.get_array()) {
                read(element, texts.emplace_back());
            }
        });
}

std::string template_text(const model::FilledTemplate& filled) {
    if (filled.header.empty() && filled.buttons.empty()) {
        std::vector<std::string> texts{filled.name, filled.language};
        texts.insert(texts.end(), filled.values.begin(), filled.values.end());
        return list_text(texts);
    }
    return json::serialize(json::object{{"name", filled.name},
                                        {"language", filled.language},
                                        {"values", value_of(filled.values)},
                                        {"header", filled.header},
                                        {"buttons", value_of(filled.buttons)}});
}

std::optional<model::FilledTemplate> template_of(std::string_view text) {
    if (!text.starts_with('[')) {
        return parsed<model::FilledTemplate>(
            text, [](const json::value& value, auto& filled) { read(value, filled); });
    }
    auto texts = list_of(text);
    constexpr std::ptrdiff_t words = 2;  // Name and language.
    if (!texts || std::ssize(*texts) < words) {
        return std::nullopt;
    }
    return model::FilledTemplate{.name = std::move((*texts)[0]),
                                 .language = std::move((*texts)[1]),
                                 .values = {std::make_move_iterator(texts->begin() + words),
                                            std::make_move_iterator(texts->end())}};
}

std::string named_text(const NamedTexts& values) {
    json::object object;
    object.reserve(values.size());
    for (const auto& [name, value] : values) {
        object.emplace(name, value);
    }
    return json::serialize(object);
}

std::optional<NamedTexts> named_of(std::string_view text) {
    return parsed<NamedTexts>(text, [](const json::value& value, NamedTexts& values) {
        if (!value.is_object()) {
            throw Malformed{};
        }
        values.reserve(value.get_object().size());
        for (const auto& member : value.get_object()) {
            auto& named = values.emplace_back();
            named.first = std::string_view{member.key()};
            read(member.value(), named.second);
        }
    });
}

}  // namespace merpati::store
