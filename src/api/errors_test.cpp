#include "api/errors.hpp"

#include <gtest/gtest.h>

namespace merpati::api {
namespace {

using model::Revision;

struct Expected {
    Refusal refusal;
    Revision revision;
    const char* text;
    const char* status;
    int code;
};

// Interface 7.1 and 7.2, row by row.
constexpr Expected interface_rows[]{
    {Refusal::send_failed, Revision::a, "Gagal mengirim pesan", "error", 500},
    {Refusal::file_type_unsupported, Revision::a, "Jenis file tidak didukung", "invalid", 415},
    {Refusal::json_invalid, Revision::a, "Invalid json format", "invalid", 400},
    {Refusal::media_url_missing, Revision::a, "Url media harus diberikan", "invalid", 400},
    {Refusal::message_empty, Revision::a, "Pesan tidak boleh kosong", "invalid", 400},
    {Refusal::key_invalid, Revision::a, "Api key tidak valid", "failed", 401},
    {Refusal::device_disconnected, Revision::a, "Perangkat disconnect", "disconnect", 503},
    {Refusal::sender_invalid, Revision::a, "Nomor pengirim tidak valid", "Invalid", 400},
    {Refusal::type_unsupported, Revision::a, "Jenis pesan tidak didukung", "Invalid", 400},
    {Refusal::account_expired, Revision::a, "Masa berlaku habis", "expired", 403},
    {Refusal::rate_exceeded, Revision::a, "Anda telah melebihi batas permintaan", "throttled", 429},
    {Refusal::file_too_large, Revision::a, "Ukuran file melebihi batas maksimum", "Invalid", 413},
    {Refusal::send_failed, Revision::b, "Gagal mengirim pesan", "error", 500},
    {Refusal::mime_type_unsupported, Revision::b, "Mime type tidak didukung", "invalid", 415},
    {Refusal::file_type_unsupported, Revision::b, "Jenis file tidak didukung", "invalid", 415},
    {Refusal::key_invalid, Revision::b, "Api key tidak valid", "failed", 401},
    {Refusal::credit_exhausted, Revision::b, "Saldo credit habis", "limit", 402},
    {Refusal::sender_invalid, Revision::b, "Nomor pengirim tidak valid", "Invalid", 400},
    {Refusal::type_unsupported, Revision::b, "Jenis pesan tidak didukung", "Invalid", 400},
    {Refusal::account_expired, Revision::b, "Masa berlaku habis", "expired", 400},
    {Refusal::file_too_large, Revision::b, "Ukuran file melebihi batas maksimum", "Invalid", 400},
};

TEST(ErrorsTest, EveryRowOfTheInterfaceIsAnsweredToTheLetter) {
    for (const auto& row : interface_rows) {
        const auto reply = failure(row.refusal, row.revision);
        EXPECT_EQ(reply.status, row.code) << row.text;
        EXPECT_EQ(reply.body, std::string{R"({"success":false,"message":")"} + row.text +
                                  R"(","status":")" + row.status + R"(","code":)" +
                                  std::to_string(row.code) + R"(,"data":{"status":")" + row.status +
                                  R"(","code":)" + std::to_string(row.code) + "}}");
    }
}

TEST(ErrorsTest, ARefusalSaysHowToAuthenticateAndWhenToTryAgain) {
    for (std::size_t place = 0; place < refusals_count; ++place) {
        const auto refusal = static_cast<Refusal>(place);
        const auto& row = error_row(refusal);
        std::string headers = refusal == Refusal::key_invalid ? "WWW-Authenticate: Bearer\r\n" : "";
        if (row.retry_after > 0) {
            headers += "Retry-After: " + std::to_string(row.retry_after) + "\r\n";
        }
        headers += refusal == Refusal::elsewhere ? "merpati-not-here: 1\r\n" : "";
        EXPECT_EQ(failure(refusal).headers, headers) << row.name;
    }
}

TEST(ErrorsTest, TheServersOwnRefusalsAreThoseOfTheCatalogue) {
    for (const auto refusal :
         {Refusal::bad_request, Refusal::not_found, Refusal::method_not_allowed,
          Refusal::request_timeout, Refusal::body_too_large, Refusal::uri_too_long,
          Refusal::headers_too_large, Refusal::overloaded, Refusal::version_unsupported}) {
        const auto reply = failure(refusal);
        EXPECT_EQ(refusal_body(reply.status), reply.body);
    }
    for (const int other : {500, 501}) {
        EXPECT_EQ(refusal_body(static_cast<std::uint16_t>(other)),
                  R"({"success":false,"message":"Terjadi kesalahan pada server","status":"error",)"
                  R"("code":)" +
                      std::to_string(other) + R"(,"data":{"status":"error","code":)" +
                      std::to_string(other) + "}}");
    }
}

}  // namespace
}  // namespace merpati::api
