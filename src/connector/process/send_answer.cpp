#include "connector/process/send_answer.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "connector/connector.hpp"
#include "connector/process/fields.hpp"

namespace merpati::connector::process {
namespace {

using model::Outcome;
using model::StatusCode;
using Kind = model::Outcome::Kind;

constexpr std::size_t details_bytes_max = 512;
constexpr std::uint64_t retry_after_max = 86'400'000;

struct KindRow {
    std::string_view kind;
    Kind outcome;
    StatusCode code;
    std::string_view words;  // The details, if the worker gives none.
};

constexpr std::array rows{
    KindRow{"recipient_unregistered", Kind::failed, StatusCode::recipient_unregistered,
            "Nomor tujuan tidak terdaftar"},
    KindRow{"recipient_invalid", Kind::failed, StatusCode::recipient_invalid,
            "Nomor tujuan tidak valid"},
    KindRow{"media_type", Kind::failed, StatusCode::media_refused,
            "Jenis file tidak didukung oleh platform"},
    KindRow{"media_too_large", Kind::failed, StatusCode::failed,
            "Ukuran file melebihi batas maksimum platform"},
    KindRow{"text_too_long", Kind::failed, StatusCode::failed, "Pesan terlalu panjang"},
    KindRow{"recipient_refused", Kind::failed, StatusCode::failed,
            "Penerima tidak dapat dikirimi pesan"},
    KindRow{"account_restricted", Kind::failed, StatusCode::failed,
            "Platform membatasi akun pengirim"},
    KindRow{"refused", Kind::failed, StatusCode::failed, "Platform menolak pesan"},
    KindRow{"unsupported", Kind::failed, StatusCode::failed, "Pesan tidak didukung konektor"},
    KindRow{"internal", Kind::failed, StatusCode::failed, "Konektor gagal mengirim pesan"},
    KindRow{"throttled", Kind::retry, StatusCode::failed, "Platform meminta jeda"},
    KindRow{"unavailable", Kind::retry, StatusCode::failed, "Platform sedang tidak tersedia"},
    KindRow{"busy", Kind::retry, StatusCode::failed, "Konektor sedang sibuk"},
    KindRow{"device_down", Kind::device_down, StatusCode::failed, "Perangkat tidak terhubung"},
    KindRow{"closing", Kind::device_down, StatusCode::failed, "Konektor sedang berhenti"},
    KindRow{"outcome_unknown", Kind::unknown, StatusCode::failed,
            "Hasil pengiriman tidak diketahui"},
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
                .details = details_of(fields, "Pesan terkirim"),
                .platform_id = std::move(id)};
    }
    if (word == "accepted" && has_id) {
        return {.kind = Kind::accepted,
                .code = StatusCode::sent,
                .details = details_of(fields, "Diterima platform"),
                .platform_id = std::move(id),
                .decide_within = Millis{
                    fields.count_if("decide_within_ms", 1'000, retry_after_max).value_or(60'000)}};
    }
    return unknown_outcome("Jawaban konektor tidak dapat dibaca");
}

model::PlatformStatus failure_of(const boost::json::object& error) {
    Fields fields{error};
    const auto& row = row_of(fields.words("kind", 64));
    model::PlatformStatus status;
    status.progress = model::Progress::failed;
    status.code = row.code;
    status.details = details_of(
        fields, row.outcome == Kind::failed ? row.words : "Platform gagal mengirim pesan");
    return status;
}

Outcome unknown_outcome(std::string_view why) {
    return {.kind = Kind::unknown, .details = std::string{why}, .platform_id = {}};
}

Outcome device_down(std::string_view why) {
    return {.kind = Kind::device_down, .details = std::string{why}, .platform_id = {}};
}

}  // namespace merpati::connector::process
