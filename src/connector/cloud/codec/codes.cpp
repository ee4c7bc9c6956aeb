#include "connector/cloud/codec/codes.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "base/ascii.hpp"

namespace merpati::connector::cloud {
namespace {

using model::Outcome;
using model::StatusCode;
using enum Meaning;

struct CodeRow {
    std::int64_t first;
    std::int64_t last;
    Meaning meaning;
    StatusCode code = StatusCode::failed;
};

/// All other codes fail the message with 500.
constexpr auto code_rows = std::to_array<CodeRow>({
    {0, 0, ends_number},                                     // Authentication.
    {1, 1, passing},                                         // Unknown error of the interface.
    {2, 2, passing},                                         // Service temporarily down.
    {3, 3, ends_number},                                     // The app lacks the permission.
    {4, 4, holds_number},                                    // The app's rate limit.
    {10, 10, ends_number},                                   // Permission denied.
    {190, 190, ends_number},                                 // The token is expired or invalid.
    {200, 299, ends_number},                                 // Permissions.
    {368, 368, restricts_number},                            // Blocked for violating policies.
    {80007, 80007, holds_number},                            // The business account's rate limit.
    {130429, 130429, holds_number},                          // The number's throughput.
    {131000, 131000, passing},                               // Something went wrong.
    {131005, 131005, ends_number},                           // Access denied.
    {131016, 131016, passing},                               // Service unavailable.
    {131021, 131021, fails, StatusCode::recipient_invalid},  // Sender and recipient are the same.
    {131026, 131026, fails, StatusCode::recipient_unregistered},  // Undeliverable.
    {131031, 131031, restricts_number},                           // The account was locked.
    {131047, 131047, window_closed},
    {131048, 131048, passing},                           // Spam rate limit.
    {131051, 131051, fails, StatusCode::media_refused},  // Message type unsupported.
    {131053, 131053, fails, StatusCode::media_refused},  // Media cannot be processed.
    {131056, 131056, holds_pair},                        // Pair rate limit.
    {131057, 131057, passing},                           // Maintenance.
    {133010, 133010, ends_number},                       // The number is not registered.
});

constexpr std::int64_t invalid_parameter = 100;
constexpr std::int64_t invalid_value = 131'009;
constexpr std::int64_t media_not_loaded = 131'052;
constexpr std::int64_t media_not_processed = 131'053;
constexpr std::int64_t object_unknown = 33;  // The subcode of an id that does not exist.
constexpr std::int64_t spam_limit = 131'048;
constexpr std::chrono::minutes spam_wait{10};

bool is_word_character(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// Whether the text names the parameter `to`: quoted, after "param" or "parameter", after a colon,
/// or as its first word before "must" or "is".
bool names_recipient(std::string_view text) {
    for (auto at = text.find("to"); at != std::string_view::npos; at = text.find("to", at + 1)) {
        const auto before = text.substr(0, at);
        const auto after = text.substr(at + 2);
        const bool is_word = (before.empty() || !is_word_character(before.back())) &&
                             (after.empty() || !is_word_character(after.front()));
        if (!is_word) {
            continue;
        }
        const bool quoted = !before.empty() && !after.empty() && before.back() == after.front() &&
                            (before.back() == '\'' || before.back() == '"' || before.back() == '`');
        const bool bracketed = before.ends_with("[") && after.starts_with("]");
        const bool after_word = before.ends_with("param ") || before.ends_with("Param ") ||
                                before.ends_with("arameter ") || before.ends_with(": ");
        const bool subject =
            before.empty() && (after.starts_with(" must") || after.starts_with(" is ") ||
                               after.starts_with(" parameter"));
        if (quoted || bracketed || after_word || subject) {
            return true;
        }
    }
    return false;
}

bool is_about_number(const GraphError& error, std::string_view phone_number_id) {
    const bool named = !phone_number_id.empty() && (error.title.contains(phone_number_id) ||
                                                    error.details.contains(phone_number_id));
    const bool names_another = error.title.contains("bject with ID") && !named;
    return named || (error.subcode == object_unknown && !names_another);
}

/// Code 100 and 131009 mean any parameter: what they are about decides.
Verdict judge_parameter(const GraphError& error, std::string_view phone_number_id) {
    if (error.code == invalid_parameter && is_about_number(error, phone_number_id)) {
        return {.meaning = ends_number};
    }
    if (names_recipient(error.title) || names_recipient(error.details)) {
        return {.meaning = fails, .code = StatusCode::recipient_invalid};
    }
    return {};
}

}  // namespace

Verdict judge(const GraphError& error, std::string_view phone_number_id) {
    if (error.code == invalid_parameter || error.code == invalid_value) {
        const auto about = judge_parameter(error, phone_number_id);
        if (about.meaning != fails || about.code != StatusCode::failed) {
            return about;
        }
    }
    for (const auto& row : code_rows) {
        if (row.first <= error.code && error.code <= row.last) {
            return {.meaning = row.meaning, .code = row.code};
        }
    }
    if (error.http_status == 429) {
        return {.meaning = holds_number};
    }
    if (error.http_status >= 500 || (error.code == GraphError::no_code && error.http_status != 0)) {
        return {.meaning = passing};
    }
    return {};
}

bool may_refuse_media_id(const GraphError& error, const Verdict& verdict) {
    const bool is_final = verdict.meaning == fails && verdict.code != StatusCode::recipient_invalid;
    return is_final && (error.code == invalid_parameter || error.code == invalid_value ||
                        error.code == media_not_loaded || error.code == media_not_processed);
}

Outcome outcome_of(const GraphError& error, const Verdict& verdict, std::string_view token,
                   Timestamp now, Millis pair_wait) {
    using Kind = Outcome::Kind;
    Outcome outcome{.details = words_of(error, token), .platform_id = {}};
    switch (verdict.meaning) {
        case fails:
        case window_closed:
            outcome.kind = Kind::failed;
            outcome.code = verdict.code;
            break;
        case passing:
            outcome.kind = Kind::retry;
            outcome.retry_after = error.retry_after;
            if (error.code == spam_limit && !outcome.retry_after) {
                outcome.retry_after = spam_wait;
            }
            break;
        case holds_number:
            outcome.kind = Kind::device_down;
            outcome.retry_after = error.retry_after;
            break;
        case holds_pair:
            outcome.kind = Kind::restricted;
            outcome.restricted_until = now + error.retry_after.value_or(pair_wait);
            break;
        case ends_number:
        case restricts_number:
            outcome.kind = Kind::device_down;
            break;
    }
    return outcome;
}

}  // namespace merpati::connector::cloud
