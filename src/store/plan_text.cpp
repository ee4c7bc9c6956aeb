#include "store/plan_text.hpp"

#include <array>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <type_traits>
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

template <class Object, class Kind>
concept ConstOrNot = std::same_as<std::remove_const_t<Object>, Kind>;

// Each `each_field` visits the fields of an object, in the order in which they are written.

void each_field(ConstOrNot<model::Variant> auto& variant, auto visit) {
    visit("message", variant.message);
    visit("weight", variant.weight);
}
void each_field(ConstOrNot<model::CampaignTemplate> auto& message, auto visit) {
    visit("name", message.name);
    visit("language", message.language);
    visit("variables", message.variables);
    visit("header", message.header);
    visit("buttons", message.buttons);
}
void each_field(ConstOrNot<model::FilledTemplate> auto& filled, auto visit) {
    visit("name", filled.name);
    visit("language", filled.language);
    visit("values", filled.values);
    visit("header", filled.header);
    visit("buttons", filled.buttons);
}
void each_field(ConstOrNot<model::CampaignMedia> auto& media, auto visit) {
    visit("url", media.url);
    visit("column", media.column);
}
void each_field(ConstOrNot<model::QuietHours> auto& quiet, auto visit) {
    visit("from", quiet.from);
    visit("to", quiet.to);
}
void each_field(ConstOrNot<model::Exclusion> auto& exclude, auto visit) {
    visit("campaigns", exclude.campaigns);
    visit("contacted_within_days", exclude.contacted_within_days);
}
void each_field(ConstOrNot<model::Frequency> auto& frequency, auto visit) {
    visit("messages", frequency.messages);
    visit("days", frequency.days);
}
void each_field(ConstOrNot<model::StopRules> auto& rules, auto visit) {
    visit("failures_in_row", rules.failures_in_row);
    visit("unregistered_percent", rules.unregistered_percent);
    visit("opt_outs_per_hundred", rules.opt_outs_per_hundred);
}
void each_field(ConstOrNot<model::CampaignPlan> auto& plan, auto visit) {
    visit("name", plan.name);
    visit("purpose", plan.purpose);
    visit("message", plan.message);
    visit("variants", plan.variants);
    visit("template", plan.message_template);
    visit("media", plan.media);
    visit("typing", plan.typing);
    visit("devices", plan.devices);
    visit("per_minute", plan.per_minute);
    visit("quiet_hours", plan.quiet_hours);
    visit("timezone", plan.timezone);
    visit("schedule_at", plan.schedule_at);
    visit("finish_by", plan.finish_by);
    visit("exclude", plan.exclude);
    visit("frequency", plan.frequency);
    visit("stop_rules", plan.stop_rules);
    visit("optout", plan.optout);
    visit("consent", plan.consent);
    visit("callback", plan.callback);
}

template <class Object>
concept HasFields =
    requires(Object& object) { each_field(object, [](const char*, const auto&) {}); };

json::value value_of(const std::string& text) {
    return json::value(text);
}
json::value value_of(bool flag) {
    return flag;
}
json::value value_of(std::uint32_t number) {
    return std::int64_t{number};
}
json::value value_of(Timestamp time) {
    return to_unix_millis(time);
}
json::value value_of(std::chrono::minutes minutes) {
    return minutes.count();
}
json::value value_of(model::PhoneNumber number) {
    return number.value();
}
json::value value_of(model::CampaignId campaign) {
    return campaign.value;
}
json::value value_of(model::Purpose purpose) {
    return json::value(model::to_string(purpose));
}
json::value value_of(model::OptOutWay way) {
    return json::value(model::to_string(way));
}
json::value value_of(const HasFields auto& object);
template <class Value>
json::value value_of(const std::optional<Value>& value) {
    return value ? value_of(*value) : json::value(nullptr);
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
json::value value_of(const HasFields auto& object) {
    json::object made;
    each_field(object,
               [&](const char* name, const auto& field) { made.emplace(name, value_of(field)); });
    return made;
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
template <class Enum>
void read_word(const json::value& value, Enum& target,
               std::optional<Enum> (*parse)(std::string_view)) {
    std::string word;
    read(value, word);
    const auto parsed = parse(word);
    if (!parsed) {
        throw Malformed{};
    }
    target = *parsed;
}
void read(const json::value& value, model::Purpose& purpose) {
    read_word(value, purpose, &model::parse_purpose);
}
void read(const json::value& value, model::OptOutWay& way) {
    read_word(value, way, &model::parse_opt_out_way);
}
void read(const json::value& value, HasFields auto& object);
void read(const json::value& value, model::CampaignTemplate& message);
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
    target.reserve(value.get_array().size());
    for (const auto& element : value.get_array()) {
        read(element, target.emplace_back());
    }
}
const json::object& object_of(const json::value& value) {
    if (!value.is_object()) {
        throw Malformed{};
    }
    return value.get_object();
}
/// The object must have these fields and no others.
void read_fields(const json::object& from, HasFields auto& object) {
    std::size_t count = 0;
    each_field(object, [&](const char* name, auto& field) {
        const auto* found = from.if_contains(name);
        if (found == nullptr) {
            throw Malformed{};
        }
        read(*found, field);
        ++count;
    });
    if (from.size() != count) {
        throw Malformed{};
    }
}
void read(const json::value& value, HasFields auto& object) {
    read_fields(object_of(value), object);
}
/// Earlier versions wrote neither header nor buttons.
void read(const json::value& value, model::CampaignTemplate& message) {
    auto fields = object_of(value);
    if (fields.size() == 3) {
        fields.emplace("header", "");
        fields.emplace("buttons", json::array{});
    }
    read_fields(fields, message);
}
void read(const json::value& value, NamedTexts& values) {
    const auto& texts = object_of(value);
    values.reserve(texts.size());
    for (const auto& text : texts) {
        auto& named = values.emplace_back();
        named.first = std::string_view{text.key()};
        read(text.value(), named.second);
    }
}

/// Reads a value from JSON of at most `plan_bytes_max`; empty: it is malformed.
template <class Value>
std::optional<Value> parsed(std::string_view text) {
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
        read(parser.release(), value);
        return value;
    } catch (const Malformed&) {
        return std::nullopt;
    }
}

}  // namespace

std::string plan_text(const model::CampaignPlan& plan) {
    return json::serialize(value_of(plan));
}

std::optional<model::CampaignPlan> plan_of(std::string_view text) {
    return parsed<model::CampaignPlan>(text);
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
    return parsed<std::vector<std::string>>(text);
}

std::string template_text(const model::FilledTemplate& filled) {
    if (filled.header.empty() && filled.buttons.empty()) {
        std::vector<std::string> texts{filled.name, filled.language};
        texts.insert(texts.end(), filled.values.begin(), filled.values.end());
        return list_text(texts);
    }
    return json::serialize(value_of(filled));
}

std::optional<model::FilledTemplate> template_of(std::string_view text) {
    if (!text.starts_with('[')) {
        return parsed<model::FilledTemplate>(text);
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
    return parsed<NamedTexts>(text);
}

}  // namespace merpati::store
