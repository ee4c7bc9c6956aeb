#include "api/errors.hpp"

#include <array>
#include <string>

#include <fmt/format.h>

#include "base/assert.hpp"
#include "forwarding/passage_text.hpp"

namespace merpati::api {
namespace {

/// The same words and code in both revisions.
constexpr ErrorRow both(Refusal id, std::string_view name, std::string_view text,
                        std::string_view status, std::uint16_t code,
                        std::uint16_t retry_after = 0) {
    return {.id = id,
            .name = name,
            .text = text,
            .a = {status, code},
            .b = {status, code},
            .retry_after = retry_after};
}

using enum Refusal;

// In the order of `Refusal`. A revision that has no row of its own for a fault uses the row of the
// other one. Exception: a disconnected device is not answered 503 in B but `Gagal mengirim pesan`
// (decisions.md, Fields); admission chooses that refusal.
constexpr std::array catalogue{
    both(send_failed, "send_failed", "Gagal mengirim pesan", "error", 500),
    both(file_type_unsupported, "file_type_unsupported", "Jenis file tidak didukung", "invalid",
         415),
    both(mime_type_unsupported, "mime_type_unsupported", "Mime type tidak didukung", "invalid",
         415),
    both(json_invalid, "json_invalid", "Invalid json format", "invalid", 400),
    both(media_url_missing, "media_url_missing", "Url media harus diberikan", "invalid", 400),
    both(message_empty, "message_empty", "Pesan tidak boleh kosong", "invalid", 400),
    both(key_invalid, "key_invalid", "Api key tidak valid", "failed", 401),
    both(device_disconnected, "device_disconnected", "Perangkat disconnect", "disconnect", 503),
    both(sender_invalid, "sender_invalid", "Nomor pengirim tidak valid", "Invalid", 400),
    both(type_unsupported, "type_unsupported", "Jenis pesan tidak didukung", "Invalid", 400),
    ErrorRow{.id = account_expired,
             .name = "account_expired",
             .text = "Masa berlaku habis",
             .a = {"expired", 403},
             .b = {"expired", 400}},
    both(rate_exceeded, "rate_exceeded", "Anda telah melebihi batas permintaan", "throttled", 429),
    ErrorRow{.id = file_too_large,
             .name = "file_too_large",
             .text = "Ukuran file melebihi batas maksimum",
             .a = {"Invalid", 413},
             .b = {"Invalid", 400}},
    both(credit_exhausted, "credit_exhausted", "Saldo credit habis", "limit", 402),
    both(revision_unknown, "revision_unknown", "Revisi tidak dikenal", "invalid", 400),
    both(recipient_invalid, "recipient_invalid", "Nomor tujuan tidak valid", "Invalid", 400),
    both(message_too_long, "message_too_long", "Pesan terlalu panjang", "invalid", 400),
    both(delay_invalid, "delay_invalid", "Delay tidak valid", "invalid", 400),
    both(typing_invalid, "typing_invalid", "Typing tidak valid", "invalid", 400),
    both(callback_url_invalid, "callback_url_invalid", "Url callback tidak valid", "invalid", 400),
    both(media_url_invalid, "media_url_invalid", "Url media tidak valid", "invalid", 400),
    both(media_unreachable, "media_unreachable", "Url media tidak dapat diakses", "invalid", 400),
    both(idempotency_key_invalid, "idempotency_key_invalid", "Idempotency-Key tidak valid",
         "invalid", 400),
    both(idempotency_key_reused, "idempotency_key_reused", "Idempotency-Key sudah dipakai",
         "invalid", 422),
    both(idempotency_in_progress, "idempotency_in_progress", "Permintaan yang sama masih diproses",
         "error", 409, 1),
    both(device_number_invalid, "device_number_invalid", "Nomor perangkat tidak valid", "Invalid",
         400),
    both(webhook_url_invalid, "webhook_url_invalid", "Url webhook tidak valid", "invalid", 400),
    both(plan_forbids_devices, "plan_forbids_devices", "Paket Anda tidak dapat menambah perangkat",
         "limit", 403),
    both(devices_exhausted, "devices_exhausted", "Batas jumlah perangkat tercapai", "limit", 403),
    both(device_taken, "device_taken", "Perangkat sudah terdaftar", "invalid", 409),
    both(scope_missing, "scope_missing", "Api key tidak memiliki izin", "failed", 403),
    both(bad_request, "bad_request", "Permintaan tidak valid", "invalid", 400),
    both(not_found, "not_found", "Alamat tidak ditemukan", "error", 404),
    both(method_not_allowed, "method_not_allowed", "Metode tidak diizinkan", "error", 405),
    both(request_timeout, "request_timeout", "Waktu permintaan habis", "error", 408),
    both(body_too_large, "body_too_large", "Permintaan terlalu besar", "invalid", 413),
    both(uri_too_long, "uri_too_long", "Alamat terlalu panjang", "invalid", 414),
    both(headers_too_large, "headers_too_large", "Header terlalu besar", "invalid", 431),
    both(overloaded, "overloaded", "Server sedang sibuk", "error", 503, 1),
    both(elsewhere, "elsewhere", "Akun sedang berpindah server", "error", 503, 1),
    both(storage_full, "storage_full", "Penyimpanan server penuh", "error", 503, 5),
    both(storage_unavailable, "storage_unavailable", "Penyimpanan server tidak terjangkau", "error",
         503, 5),
    both(storage_damaged, "storage_damaged", "Penyimpanan server rusak", "error", 503),
    both(version_unsupported, "version_unsupported", "Versi HTTP tidak didukung", "invalid", 505),
    both(internal, "internal", "Terjadi kesalahan pada server", "error", 500),
};

constexpr bool in_order() {
    for (std::size_t place = 0; place < catalogue.size(); ++place) {
        if (static_cast<std::size_t>(catalogue[place].id) != place) {
            return false;
        }
    }
    return catalogue.size() == refusals_count;
}
static_assert(in_order(), "the catalogue has one row per refusal, in the order of the enum");

std::string body_of(std::string_view text, Wording wording) {
    return fmt::format(
        R"({{"success":false,"message":"{0}","status":"{1}","code":{2},"data":{{"status":"{1}","code":{2}}}}})",
        text, wording.status, wording.code);
}

}  // namespace

const ErrorRow& error_row(Refusal refusal) noexcept {
    return catalogue[static_cast<std::size_t>(refusal)];
}

http::Reply failure(Refusal refusal, model::Revision revision) {
    const auto& row = error_row(refusal);
    const auto wording = revision == model::Revision::a ? row.a : row.b;
    http::Reply reply;
    reply.status = wording.code;
    reply.body = body_of(row.text, wording);
    if (refusal == key_invalid) {
        reply.add_header("WWW-Authenticate", "Bearer");
    }
    if (row.retry_after > 0) {
        reply.add_header("Retry-After", std::to_string(row.retry_after));
    }
    if (refusal == elsewhere) {
        reply.add_header(forwarding::not_here_header, "1");
    }
    return reply;
}

std::string refusal_body(std::uint16_t status) {
    for (const auto refusal :
         {bad_request, not_found, method_not_allowed, request_timeout, body_too_large, uri_too_long,
          headers_too_large, overloaded, version_unsupported}) {
        const auto& row = error_row(refusal);
        if (row.a.code == status) {
            return body_of(row.text, row.a);
        }
    }
    return body_of(error_row(internal).text, {.status = "error", .code = status});
}

}  // namespace merpati::api
