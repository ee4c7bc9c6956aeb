#include "connector/cloud/codec/graph_error.hpp"

#include <algorithm>
#include <charconv>

#include <boost/json/parse.hpp>
#include <fmt/format.h>

#include "base/ascii.hpp"
#include "base/printable.hpp"
#include "base/utf8.hpp"
#include "connector/cloud/codec/json_reading.hpp"

namespace merpati::connector::cloud {
namespace {

namespace json = boost::json;

constexpr std::size_t text_bytes_max = 1'024;  // Of a title or details, before they are shortened.
constexpr std::int64_t retry_after_max = 86'400;
constexpr std::size_t token_part_min = 6;  // A shorter part of a token is a word by chance.
constexpr std::size_t token_like_min = 24;
constexpr std::string_view hidden = "***";

std::optional<Millis> wait_of(std::string_view header) {
    std::int64_t seconds = 0;
    const auto [end, error] =
        std::from_chars(header.data(), header.data() + header.size(), seconds);
    if (error != std::errc{} || end != header.data() + header.size() || seconds < 0) {
        return std::nullopt;
    }
    return std::chrono::seconds{std::min(seconds, retry_after_max)};
}

/// The text without the "(#131009) " with which the platform begins it.
std::string_view without_code(std::string_view text) {
    if (text.starts_with("(#")) {
        if (const auto end = text.find(") "); end != std::string_view::npos) {
            return text.substr(end + 2);
        }
    }
    return text;
}

bool is_token_character(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '-' || c == '|';
}

bool may_be_token(std::string_view word, std::string_view token) {
    const bool has_digit = std::ranges::any_of(word, is_digit);
    const bool has_letter = !std::ranges::all_of(word, is_digit);
    const bool is_part = word.size() >= token_part_min && token.contains(word) && has_digit;
    const bool holds_it = !token.empty() && word.contains(token);
    return holds_it || is_part || (word.size() >= token_like_min && has_digit && has_letter) ||
           (word.starts_with("EAA") && word.size() >= token_part_min);
}

std::string without_tokens(std::string_view text, std::string_view token) {
    std::string kept;
    while (!text.empty()) {
        const auto* const end = std::ranges::find_if_not(text, is_token_character);
        const std::string_view word{text.begin(), end};
        kept += !word.empty() && may_be_token(word, token) ? hidden : word;
        text.remove_prefix(word.size());
        if (!text.empty()) {
            kept += text.front();
            text.remove_prefix(1);
        }
    }
    return kept;
}

}  // namespace

GraphError error_of(const outbound::Response& response) {
    GraphError error{.http_status = response.status,
                     .title = {},
                     .details = {},
                     .retry_after = wait_of(response.header("retry-after"))};
    const auto body = parse_object(response.body);
    const auto* inner = body ? find_object(*body, "error") : nullptr;
    if (inner == nullptr) {
        return error;
    }
    error.code = find_number(*inner, "code").value_or(GraphError::no_code);
    error.subcode = find_number(*inner, "error_subcode").value_or(0);
    error.title = without_code(find_text(*inner, "message", text_bytes_max));
    if (const auto* data = find_object(*inner, "error_data"); data != nullptr) {
        error.details = find_text(*data, "details", text_bytes_max);
    }
    return error;
}

GraphError error_of(const json::object& object) {
    GraphError error{.code = find_number(object, "code").value_or(GraphError::no_code),
                     .subcode = find_number(object, "error_subcode").value_or(0),
                     .title = find_text(object, "title", text_bytes_max),
                     .details = {},
                     .retry_after = {}};
    if (error.title.empty()) {
        error.title = without_code(find_text(object, "message", text_bytes_max));
    }
    if (const auto* data = find_object(object, "error_data"); data != nullptr) {
        error.details = find_text(*data, "details", text_bytes_max);
    }
    return error;
}

std::string words_of(const GraphError& error, std::string_view token) {
    std::string words = error.code == GraphError::no_code
                            ? fmt::format("HTTP {}", error.http_status)
                            : std::to_string(error.code);
    if (!error.title.empty()) {
        words += ' ' + without_tokens(error.title, token);
    }
    if (!error.details.empty() && error.details != error.title) {
        words += ": " + without_tokens(error.details, token);
    }
    return std::string{utf8_prefix(printable(words), words_bytes_max)};
}

}  // namespace merpati::connector::cloud
