// Checks of what is typed, before anything is done.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/value.hpp>

namespace merpati::cli {

/// Answers a sentence about what is wrong, or nothing. The form CLI11's `check` takes.
using ArgumentCheck = std::function<std::string(const std::string&)>;

[[nodiscard]] ArgumentCheck one_of(std::initializer_list<std::string_view> words);
[[nodiscard]] ArgumentCheck whole_number(std::int64_t lowest, std::int64_t highest);
/// As high as a server lets an account have.
[[nodiscard]] ArgumentCheck rate();
[[nodiscard]] ArgumentCheck rfc3339_time();
[[nodiscard]] ArgumentCheck duration(std::chrono::seconds longest);
[[nodiscard]] ArgumentCheck phone_number();
[[nodiscard]] ArgumentCheck not_empty();
/// "send,messages:read"
[[nodiscard]] ArgumentCheck scopes();
/// The word "none", or what `check` lets through.
[[nodiscard]] ArgumentCheck or_none(ArgumentCheck check);

/// A whole number of a checked argument.
[[nodiscard]] std::int64_t number_of(std::string_view text);

/// What was typed as the field of a body; "or null": for "none".
[[nodiscard]] boost::json::value as_true(const std::string& text);
[[nodiscard]] boost::json::value as_text(const std::string& text);
[[nodiscard]] boost::json::value text_or_null(const std::string& text);
[[nodiscard]] boost::json::value number_or_null(const std::string& text);
/// "a,b" as a list.
[[nodiscard]] boost::json::value as_words(const std::string& text);
[[nodiscard]] boost::json::value as_seconds(const std::string& text);
[[nodiscard]] boost::json::value as_milliseconds(const std::string& text);

}  // namespace merpati::cli
