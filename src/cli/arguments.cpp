#include "cli/arguments.hpp"

#include <algorithm>
#include <ranges>
#include <utility>

#include <fmt/format.h>

#include "api/manage/accounts/limits.hpp"
#include "base/assert.hpp"
#include "base/clock.hpp"
#include "base/number.hpp"
#include "config/duration.hpp"
#include "model/account.hpp"
#include "model/ids.hpp"
#include "model/scope.hpp"

namespace merpati::cli {
namespace {

using namespace std::chrono_literals;

}  // namespace

ArgumentCheck one_of(std::vector<std::string_view> words) {
    return [words = std::move(words)](const std::string& text) -> std::string {
        return std::ranges::find(words, text) != words.end()
                   ? ""
                   : fmt::format("'{}' is not one of {}", text, fmt::join(words, ", "));
    };
}

ArgumentCheck whole_number(std::int64_t lowest, std::int64_t highest) {
    return [lowest, highest](const std::string& text) -> std::string {
        const auto number = parse_whole<std::int64_t>(text);
        return number && *number >= lowest && *number <= highest
                   ? ""
                   : fmt::format("'{}' is not a whole number from {} to {}", text, lowest, highest);
    };
}

ArgumentCheck rate() {
    return [](const std::string& text) -> std::string {
        constexpr auto most = api::manage::rate_count_max;
        const auto rate = model::RateChoice::parse(text);
        return rate && rate->rate.count <= most
                   ? ""
                   : fmt::format(
                         "'{}' is not a rate: write 50/s, 600/min (from 1 to {}), none or "
                         "default",
                         text, most);
    };
}

ArgumentCheck callback_batch() {
    return [](const std::string& text) -> std::string {
        using model::CallbackBatch;
        return CallbackBatch::parse(text)
                   ? ""
                   : fmt::format(
                         "'{}' is not a batch: write 100/200ms (1 to {} events, 0 to {} ms) or "
                         "none",
                         text, CallbackBatch::max_most, CallbackBatch::wait_most.count());
    };
}

ArgumentCheck scopes() {
    return [](const std::string& text) -> std::string {
        return model::Scopes::parse(text)
                   ? ""
                   : fmt::format("'{}' is not a list like send,messages:read, of {}", text,
                                 model::Scopes::all().text());
    };
}

ArgumentCheck rfc3339_time() {
    return [](const std::string& text) -> std::string {
        return parse_rfc3339(text) ? ""
                                   : fmt::format(
                                         "'{}' is not a time: write it as RFC 3339, for "
                                         "example 2027-01-31T00:00:00Z",
                                         text);
    };
}

ArgumentCheck duration(std::chrono::seconds longest) {
    return [longest](const std::string& text) -> std::string {
        const auto given = config::parse_duration(text, 1s);
        return given && *given <= longest
                   ? ""
                   : fmt::format("'{}' is not a duration from 0s to {}: write 30s, 10m, 24h or 7d",
                                 text, config::print_duration(longest));
    };
}

ArgumentCheck phone_number() {
    return [](const std::string& text) -> std::string {
        return model::PhoneNumber::parse(text)
                   ? ""
                   : fmt::format(
                         "'{}' is not a number in international format: 8 to 15 digits "
                         "that begin with a country code, no + and no 0 before them",
                         text);
    };
}

ArgumentCheck not_empty() {
    return [](const std::string& text) -> std::string {
        return text.empty() ? "it must not be empty" : "";
    };
}

ArgumentCheck named_text() {
    return [](const std::string& text) -> std::string {
        const auto place = text.find('=');
        return place != std::string::npos && place > 0
                   ? ""
                   : fmt::format("'{}' is not a value: write NAME=TEXT", text);
    };
}

std::int64_t number_of(std::string_view text) {
    const auto number = parse_whole<std::int64_t>(text);
    invariant(number.has_value(), "the number was checked when it was parsed");
    return *number;
}

boost::json::value as_true(const std::string& /*text*/) {
    return true;
}

boost::json::value as_false(const std::string& /*text*/) {
    return false;
}

boost::json::value as_yes(const std::string& text) {
    return text == "yes";
}

boost::json::value as_text(const std::string& text) {
    return boost::json::value(text);
}

boost::json::value as_number(const std::string& text) {
    return number_of(text);
}

boost::json::value as_batch(const std::string& text) {
    const auto batch = model::CallbackBatch::parse(text);
    invariant(batch.has_value(), "the batch was checked when it was parsed");
    return {{"max", batch->max}, {"wait_ms", batch->wait.count()}};
}

boost::json::value as_words(const std::string& text) {
    boost::json::array words;
    for (const auto word : std::views::split(std::string_view{text}, ',')) {
        words.emplace_back(boost::json::string_view{word.data(), word.size()});
    }
    return words;
}

boost::json::value as_seconds(const std::string& text) {
    const auto duration = config::parse_duration(text, 1s);
    invariant(duration.has_value(), "the duration was checked when it was parsed");
    return std::chrono::ceil<std::chrono::seconds>(*duration).count();
}

boost::json::value as_milliseconds(const std::string& text) {
    const auto duration = config::parse_duration(text, 1s);
    invariant(duration.has_value(), "the duration was checked when it was parsed");
    return duration->count();
}

Result<boost::json::value> as_named_texts(const std::vector<std::string>& texts) {
    boost::json::object named;
    for (const auto& text : texts) {
        const auto place = text.find('=');
        invariant(place != std::string::npos, "the value was checked when it was parsed");
        named[std::string_view{text}.substr(0, place)] = text.substr(place + 1);
    }
    return named;
}

}  // namespace merpati::cli
