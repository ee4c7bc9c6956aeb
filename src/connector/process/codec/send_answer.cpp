#include "connector/process/codec/send_answer.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "connector/connector.hpp"
#include "connector/outcomes.hpp"
#include "connector/process/codec/fields.hpp"
#include "model/texts.hpp"

namespace merpati::connector::process {
namespace {

using model::Outcome;
using model::StatusCode;
using Kind = model::Outcome::Kind;

constexpr std::size_t details_bytes_max = 512;
constexpr std::uint64_t retry_after_max = 86'400'000;
constexpr std::uint64_t until_max = 253'402'300'799'999;  // The year 9999.

struct KindRow {
    std::string_view kind;
    Kind outcome;
    StatusCode code;
    std::string_view words;  // The details, if the worker gives none.
};

constexpr std::array rows{
    KindRow{"recipient_unregistered", Kind::failed, StatusCode::recipient_unregistered,
            model::details::recipient_unregistered},
    KindRow{"recipient_invalid", Kind::failed, StatusCode::recipient_invalid,
            model::details::recipient_invalid},
    KindRow{"media_type", Kind::failed, StatusCode::media_refused,
            model::details::platform_file_type},
    KindRow{"media_too_large", Kind::failed, StatusCode::failed,
            model::details::platform_file_size},
    KindRow{"text_too_long", Kind::failed, StatusCode::failed, model::details::text_too_long},
    KindRow{"recipient_refused", Kind::failed, StatusCode::failed,
            model::details::recipient_refused},
    KindRow{"account_restricted", Kind::failed, StatusCode::failed,
            model::details::account_restricted},
    KindRow{"refused", Kind::failed, StatusCode::failed, model::details::platform_refused},
    KindRow{"unsupported", Kind::failed, StatusCode::failed, model::details::unsupported},
    KindRow{"internal", Kind::failed, StatusCode::failed, model::details::connector_failed},
    KindRow{"throttled", Kind::retry, StatusCode::failed, model::details::platform_throttles},
    KindRow{"unavailable", Kind::retry, StatusCode::failed, model::details::platform_unavailable},
    KindRow{"busy", Kind::retry, StatusCode::failed, model::details::connector_busy},
    KindRow{"restricted", Kind::restricted, StatusCode::failed,
            model::details::new_chats_restricted},
    KindRow{"device_down", Kind::device_down, StatusCode::failed,
            model::details::device_not_connected},
    KindRow{"closing", Kind::device_down, StatusCode::failed, model::details::connector_closing},
    KindRow{"outcome_unknown", Kind::unknown, StatusCode::failed, model::details::unknown},
};

const KindRow& row_of(std::string_view kind) {
    const auto found = std::ranges::find(rows, kind, &KindRow::kind);
    return found == rows.end() ? rows.back() : *found;
}

std::string with_code(std::string words, const std::string& platform_code) {
    return platform_code.empty() ? std::move(words) : fmt::format("{} ({})", words, platform_code);
}

/// The worker's details, or `otherwise`, with the platform's code.
std::string details_of(Fields& fields, std::string_view otherwise) {
    auto words = fields.words("details", details_bytes_max);
    return with_code(words.empty() ? std::string{otherwise} : std::move(words),
                     fields.code_or_empty("platform_code"));
}

Outcome refusal_of(const boost::json::object& error) {
    Fields fields{error};
    const auto& row = row_of(fields.words("kind", 64));
    Outcome outcome{.kind = row.outcome,
                    .code = row.code,
                    .details = details_of(fields, row.words),
                    .platform_id = {}};
    if (row.outcome == Kind::retry) {
        if (const auto wish = fields.count_if("retry_after_ms", 0, retry_after_max)) {
            outcome.retry_after = Millis{*wish};
        }
    } else if (row.outcome == Kind::restricted) {
        if (const auto until = fields.count_if("until_at_ms", 0, until_max)) {
            outcome.restricted_until = from_unix_millis(static_cast<std::int64_t>(*until));
        } else {
            outcome.kind = Kind::retry;  // Nobody knows until when it would wait.
        }
    }
    return outcome;
}

}  // namespace

Outcome outcome_of(const Frame& answer) {
    if (!answer.ok) {
        return refusal_of(answer.fields);
    }
    Fields fields{answer.fields};
    const auto word = fields.text("outcome", 16);
    auto id = fields.text_or_empty("platform_id", model::platform_id_bytes_max);
    const bool has_id = is_platform_id(id);
    if (word == "sent" && (has_id || id.empty())) {
        return {.kind = Kind::sent,
                .code = StatusCode::sent,
                .details = details_of(fields, model::details::sent),
                .platform_id = std::move(id)};
    }
    if (word == "accepted" && has_id) {
        return {.kind = Kind::accepted,
                .code = StatusCode::sent,
                .details = details_of(fields, model::details::accepted),
                .platform_id = std::move(id),
                .decide_within = Millis{
                    fields.count_if("decide_within_ms", 1'000, retry_after_max).value_or(60'000)}};
    }
    return unknown_outcome(model::details::connector_unreadable);
}

model::PlatformStatus failure_of(const boost::json::object& error) {
    Fields fields{error};
    const auto& row = row_of(fields.words("kind", 64));
    model::PlatformStatus status;
    status.progress = model::Progress::failed;
    status.code = row.code;
    status.details = details_of(
        fields, row.outcome == Kind::failed ? row.words : model::details::platform_failed);
    return status;
}

Outcome worker_crowded() {
    return {.kind = Kind::retry,
            .details = std::string{row_of("busy").words},
            .platform_id = {},
            .retry_after = Millis{1'000}};
}

}  // namespace merpati::connector::process
