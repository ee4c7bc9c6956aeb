#include "connector/cloud/codec/json_reading.hpp"

#include <charconv>
#include <utility>

#include <boost/json/parse.hpp>

#include "base/utf8.hpp"

namespace merpati::connector::cloud {

namespace json = boost::json;

std::optional<json::object> parse_object(std::string_view text) {
    json::parse_options options;
    options.max_depth = json_depth_max;
    boost::system::error_code error;
    auto value = json::parse(text, error, {}, options);
    if (error || !value.is_object()) {
        return std::nullopt;
    }
    return std::move(value.get_object());
}

const json::object* find_object(const json::object& in, std::string_view name) {
    const auto* value = in.if_contains(name);
    return value == nullptr ? nullptr : value->if_object();
}

const json::array* find_array(const json::object& in, std::string_view name) {
    const auto* value = in.if_contains(name);
    return value == nullptr ? nullptr : value->if_array();
}

std::string find_text(const json::object& in, std::string_view name, std::size_t bytes_max) {
    const auto* value = in.if_contains(name);
    const auto* text = value == nullptr ? nullptr : value->if_string();
    return text == nullptr ? std::string{}
                           : std::string{utf8_prefix(std::string_view{*text}, bytes_max)};
}

std::optional<std::int64_t> find_number(const json::object& in, std::string_view name) {
    const auto* value = in.if_contains(name);
    if (value == nullptr) {
        return std::nullopt;
    }
    if (const auto* number = value->if_int64(); number != nullptr) {
        return *number;
    }
    const auto* text = value->if_string();
    if (text == nullptr) {
        return std::nullopt;
    }
    std::int64_t number = 0;
    const auto* const end = text->data() + text->size();
    const auto [stopped, error] = std::from_chars(text->data(), end, number);
    return error == std::errc{} && stopped == end ? std::optional{number} : std::nullopt;
}

}  // namespace merpati::connector::cloud
