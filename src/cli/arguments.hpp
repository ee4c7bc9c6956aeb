// Checks arguments of the command line before a command runs, and turns them into JSON.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

#include "base/error.hpp"

namespace merpati::cli {

/// Returns a sentence that says what is wrong, or an empty string. The form CLI11's `check` takes.
using ArgumentCheck = std::function<std::string(const std::string&)>;

[[nodiscard]] ArgumentCheck one_of(std::vector<std::string_view> words);
[[nodiscard]] ArgumentCheck whole_number(std::int64_t lowest, std::int64_t highest);
/// A rate of at most api::manage::rate_count_max, "none" or "default".
[[nodiscard]] ArgumentCheck rate();
/// "100/200ms", as model::CallbackBatch::parse reads it.
[[nodiscard]] ArgumentCheck callback_batch();
[[nodiscard]] ArgumentCheck rfc3339_time();
[[nodiscard]] ArgumentCheck duration(std::chrono::seconds longest);
[[nodiscard]] ArgumentCheck phone_number();
[[nodiscard]] ArgumentCheck not_empty();
/// "send,messages:read"
[[nodiscard]] ArgumentCheck scopes();
/// "NAME=TEXT"; the name must not be empty.
[[nodiscard]] ArgumentCheck named_text();

/// `text` must have passed `whole_number`.
[[nodiscard]] std::int64_t number_of(std::string_view text);

// An argument that passed its check, as the value of a body's field.

/// For a flag: always true, always false.
[[nodiscard]] boost::json::value as_true(const std::string& text);
[[nodiscard]] boost::json::value as_false(const std::string& text);
/// For "yes" and "no".
[[nodiscard]] boost::json::value as_yes(const std::string& text);
[[nodiscard]] boost::json::value as_text(const std::string& text);
[[nodiscard]] boost::json::value as_number(const std::string& text);
/// "100/200ms" as an object.
[[nodiscard]] boost::json::value as_batch(const std::string& text);
/// "a,b" as an array.
[[nodiscard]] boost::json::value as_words(const std::string& text);
/// Rounded up.
[[nodiscard]] boost::json::value as_seconds(const std::string& text);
[[nodiscard]] boost::json::value as_milliseconds(const std::string& text);

/// Texts that passed `named_text`, as an object.
[[nodiscard]] Result<boost::json::value> as_named_texts(const std::vector<std::string>& texts);

}  // namespace merpati::cli
