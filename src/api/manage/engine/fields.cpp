#include "api/manage/engine/fields.hpp"

#include <ranges>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "api/json_fields.hpp"
#include "base/ascii.hpp"
#include "base/number.hpp"
#include "base/utf8.hpp"

namespace merpati::api::manage {
namespace {

constexpr std::size_t word_bytes_max = 64;
constexpr std::string_view repeated_parameter = "tag";
constexpr std::size_t name_shown_max = 64;  // Of an unknown field's name, in the error.

bool has_control_characters(std::string_view text) {
    return std::ranges::any_of(text, [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte < 0x20 || byte == 0x7f;
    });
}

/// The text without line ends and tabs.
std::string without_layout(std::string text) {
    std::erase_if(text, [](char c) { return c == '\n' || c == '\r' || c == '\t'; });
    return text;
}

}  // namespace

std::optional<std::string> percent_decode(std::string_view text) {
    std::string decoded;
    for (std::size_t place = 0; place < text.size(); ++place) {
        char letter = text[place];
        if (letter == '%') {
            const int high = place + 2 < text.size() ? hex_value(text[place + 1]) : -1;
            const int low = place + 2 < text.size() ? hex_value(text[place + 2]) : -1;
            if (high < 0 || low < 0) {
                return std::nullopt;
            }
            letter = static_cast<char>(high * 16 + low);
            place += 2;
        }
        decoded += letter;
    }
    return is_utf8(decoded) && !has_control_characters(decoded) ? std::optional{std::move(decoded)}
                                                                : std::nullopt;
}

Result<boost::json::object> parse_object(std::string_view body) {
    boost::system::error_code error;
    // JsonFields refuses a duplicate field. boost::json would silently keep the last one.
    const bool strict = JsonFields::parse(body).has_value();
    auto parsed = strict ? boost::json::parse(body, error) : boost::json::value{};
    if (error || !parsed.is_object()) {
        return fail(ErrorCode::invalid_argument,
                    "the body must be one JSON object in UTF-8, with each field once");
    }
    return std::move(parsed.get_object());
}

Result<Fields> Fields::of(http::Method method, std::string_view query, std::string_view body) {
    if (method == http::Method::get || method == http::Method::del) {
        return body.empty() ? from_query(query)
                            : fail(ErrorCode::invalid_argument,
                                   "GET and DELETE take no body: give the parameters in the query");
    }
    return query.empty() ? from_body(body)
                         : fail(ErrorCode::invalid_argument,
                                "only GET and DELETE take a query: give the fields in the body");
}

Result<Fields> Fields::from_body(std::string_view body) {
    Fields fields;
    if (body.empty()) {
        return fields;
    }
    auto parsed = parse_object(body);
    if (!parsed) {
        return pass(parsed);
    }
    fields.fields_ = *std::move(parsed);
    return fields;
}

Result<Fields> Fields::from_query(std::string_view query) {
    Fields fields;
    fields.from_query_ = true;
    while (!query.empty()) {
        const auto end = query.find('&');
        const auto parameter = query.substr(0, end);
        query.remove_prefix(end == std::string_view::npos ? query.size() : end + 1);
        const auto equals = std::min(parameter.find('='), parameter.size());
        const auto name = percent_decode(parameter.substr(0, equals));
        const auto value = percent_decode(parameter.substr(std::min(equals + 1, parameter.size())));
        if (!name || !value || !fields.add_parameter(*name, *value)) {
            return fail(ErrorCode::invalid_argument,
                        "the query is malformed, or names a parameter twice");
        }
    }
    return fields;
}

bool Fields::add_parameter(std::string_view name, std::string_view text) {
    const auto [place, is_new] = fields_.emplace(name, text);
    if (!is_new && name == repeated_parameter) {
        auto& list = place->value().get_string();
        list += ',';
        list += boost::json::string_view{text};
        return true;
    }
    return is_new;
}

bool Fields::given(std::string_view name) const {
    return fields_.contains(name);
}

std::optional<std::string> Fields::peek(std::string_view name) const {
    const auto* found = find(name);
    return found != nullptr && found->is_string() ? std::optional{std::string{found->get_string()}}
                                                  : std::nullopt;
}

const boost::json::value* Fields::find(std::string_view name) const {
    return fields_.if_contains(name);
}

bool Fields::none(std::string_view name) {
    const auto* found = find(name);
    if (found == nullptr || !found->is_null()) {
        return false;
    }
    fields_.erase(name);
    return true;
}

std::optional<std::string> Fields::text(std::string_view name, std::size_t bytes_max) {
    auto given = prose(name, bytes_max);
    if (given && has_control_characters(*given)) {
        mistake(name, "must not contain control characters");
        return std::nullopt;
    }
    return given;
}

std::optional<std::string> Fields::prose(std::string_view name, std::size_t bytes_max) {
    const auto given = value(name);
    if (!given) {
        return std::nullopt;
    }
    if (!given->is_string()) {
        mistake(name, "must be a string");
        return std::nullopt;
    }
    const auto& string = given->get_string();
    if (string.size() > bytes_max) {
        mistake(name, fmt::format("must have at most {} bytes", bytes_max));
        return std::nullopt;
    }
    std::string text{string};
    if (has_control_characters(without_layout(text))) {
        mistake(name, "must not contain control characters");
        return std::nullopt;
    }
    return text;
}

std::string Fields::required_text(std::string_view name, std::size_t bytes_max) {
    auto given = text(name, bytes_max);
    if (!given || given->empty()) {
        mistake(name, "must be given, and not be empty");
    }
    return std::move(given).value_or("");
}

std::optional<std::int64_t> Fields::integer(std::string_view name, std::int64_t lowest,
                                            std::int64_t highest) {
    const auto given = value(name);
    if (!given) {
        return std::nullopt;
    }
    std::optional<std::int64_t> number;
    if (const auto* value = given->if_int64()) {
        number = *value;
    } else if (const auto* string = given->if_string(); from_query_ && string != nullptr) {
        number = parse_whole<std::int64_t>(*string);
    }
    if (!number || *number < lowest || *number > highest) {
        mistake(name, fmt::format("must be a whole number from {} to {}", lowest, highest));
        return std::nullopt;
    }
    return number;
}

std::int64_t Fields::required_integer(std::string_view name, std::int64_t lowest,
                                      std::int64_t highest) {
    const auto number = integer(name, lowest, highest);
    if (!number) {
        mistake(name, "must be given");
    }
    return number.value_or(lowest);
}

std::optional<bool> Fields::boolean(std::string_view name) {
    const auto given = value(name);
    if (!given) {
        return std::nullopt;
    }
    if (const auto* value = given->if_bool()) {
        return *value;
    }
    if (from_query_ && (*given == "true" || *given == "false")) {
        return *given == "true";
    }
    mistake(name, "must be true or false");
    return std::nullopt;
}

std::optional<std::vector<std::string>> Fields::words(std::string_view name, std::size_t most) {
    const auto given = value(name);
    if (!given) {
        return std::nullopt;
    }
    std::vector<std::string> words;
    if (const auto* text = given->if_string(); from_query_ && text != nullptr) {
        for (const auto part : std::views::split(std::string_view{*text}, ',')) {
            words.emplace_back(std::string_view{part});
        }
    } else if (const auto* list = given->if_array()) {
        for (const auto& one : *list) {
            words.emplace_back(one.is_string() ? std::string_view{one.get_string()} : "");
        }
    }
    const bool fine =
        !words.empty() && words.size() <= most &&
        std::ranges::all_of(words, [](const std::string& word) {
            return !word.empty() && word.size() <= word_bytes_max && !has_control_characters(word);
        });
    if (!fine) {
        mistake(name, fmt::format("must be a list of 1 to {} words", most));
        return std::nullopt;
    }
    return words;
}

std::optional<std::vector<std::string>> Fields::text_list(std::string_view name,
                                                          std::size_t count_max,
                                                          std::size_t bytes_max) {
    const auto given = value(name);
    if (!given) {
        return std::nullopt;
    }
    const auto* list = given->if_array();
    const bool fine =
        list != nullptr && list->size() <= count_max &&
        std::ranges::all_of(*list, [&](const boost::json::value& one) {
            const auto* text = one.if_string();
            return text != nullptr && text->size() <= bytes_max && !has_control_characters(*text);
        });
    if (!fine) {
        mistake(name, fmt::format("must be a list of at most {} texts of at most {} bytes",
                                  count_max, bytes_max));
        return std::nullopt;
    }
    std::vector<std::string> texts;
    for (const auto& one : *list) {
        texts.emplace_back(one.get_string());
    }
    return texts;
}

std::optional<Fields> Fields::object(std::string_view name) {
    auto given = value(name);
    if (!given) {
        return std::nullopt;
    }
    if (!given->is_object()) {
        mistake(name, "must be an object");
        return std::nullopt;
    }
    Fields inside;
    inside.fields_ = std::move(given->get_object());
    return inside;
}

std::optional<std::vector<Fields>> Fields::objects(std::string_view name, std::size_t count_max) {
    auto given = value(name);
    if (!given) {
        return std::nullopt;
    }
    auto* list = given->if_array();
    const auto is_object = [](const boost::json::value& one) { return one.is_object(); };
    if (list == nullptr || list->empty() || list->size() > count_max ||
        !std::ranges::all_of(*list, is_object)) {
        mistake(name, fmt::format("must be a list of 1 to {} objects", count_max));
        return std::nullopt;
    }
    std::vector<Fields> all;
    for (auto& one : *list) {
        all.emplace_back().fields_ = std::move(one.get_object());
    }
    return all;
}

void Fields::add_mistakes(std::string_view name, const Fields& inside) {
    for (const auto& [field, what] : inside.mistakes_) {
        mistake(fmt::format("{}.{}", name, field), what);
    }
    if (inside.mistakes_.empty() && !inside.fields_.empty()) {
        const std::string_view unknown = inside.fields_.begin()->key();
        mistake(name, fmt::format("has no field '{}'", utf8_prefix(unknown, name_shown_max)));
    }
}

std::vector<std::pair<std::string, std::string>> Fields::texts(std::string_view name,
                                                               std::size_t count_max,
                                                               TextLimits limits) {
    const auto given = value(name);
    if (!given) {
        return {};
    }
    const auto* object = given->if_object();
    if (object == nullptr || object->size() > count_max) {
        mistake(name, fmt::format("must be an object of at most {} texts", count_max));
        return {};
    }
    std::vector<std::pair<std::string, std::string>> texts;
    texts.reserve(object->size());
    for (const auto& [key, text] : *object) {
        const auto* string = text.if_string();
        if (key.empty() || key.size() > limits.name_bytes_max || string == nullptr ||
            string->size() > limits.text_bytes_max) {
            mistake(name, fmt::format("must hold texts of at most {} bytes, by names of 1 to {}",
                                      limits.text_bytes_max, limits.name_bytes_max));
            return {};
        }
        texts.emplace_back(key, *string);
    }
    return texts;
}

std::optional<Timestamp> Fields::time(std::string_view name) {
    const auto given = text(name, 64);
    if (!given) {
        return std::nullopt;
    }
    const auto parsed = parse_rfc3339(*given);
    if (!parsed) {
        mistake(name, "must be a time like 2027-01-31T00:00:00Z (RFC 3339)");
        return std::nullopt;
    }
    return *parsed;
}

void Fields::mistake(std::string_view name, const std::string& what) {
    // Later mistakes of a field mostly follow from its first one.
    if (std::ranges::find(mistakes_, name, &Mistake::field) == mistakes_.end()) {
        mistakes_.push_back({.field = std::string{name}, .what = what});
    }
}

Result<void> Fields::finish() const {
    if (!mistakes_.empty()) {
        const auto& [field, what] = mistakes_.front();
        return fail(ErrorCode::invalid_argument, fmt::format("'{}' {}", field, what));
    }
    if (!fields_.empty()) {
        const std::string_view name = fields_.begin()->key();
        return fail(ErrorCode::invalid_argument,
                    fmt::format("there is no field '{}' here", utf8_prefix(name, name_shown_max)));
    }
    return {};
}

std::optional<boost::json::value> Fields::value(std::string_view name) {
    const auto found = fields_.find(name);
    if (found == fields_.end()) {
        return std::nullopt;
    }
    auto taken = std::move(found->value());
    fields_.erase(found);
    return taken;
}

}  // namespace merpati::api::manage
