#include "connector/cloud/codec/graph_error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "connector/cloud/codec/json_reading.hpp"

namespace merpati::connector::cloud {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

outbound::Response response_with(std::string body, std::string retry_after = {}) {
    return {.status = 400, .headers = {{"retry-after", retry_after}}, .body = std::move(body)};
}

TEST(GraphErrorTest, ReadsThePlatformsEnvelope) {
    const auto error = error_of(response_with(
        R"({"error":{"message":"(#131009) Parameter value is not valid","code":131009,
            "error_subcode":33,"error_data":{"details":"to is wrong"},"new":[1]}})",
        "120"));
    EXPECT_EQ(error.code, 131'009);
    EXPECT_EQ(error.subcode, 33);
    EXPECT_EQ(error.http_status, 400);
    EXPECT_EQ(error.retry_after, Millis{120'000});
    EXPECT_EQ(words_of(error, {}), "131009 Parameter value is not valid: to is wrong");
}

TEST(GraphErrorTest, WhatIsNoEnvelopeHasNoCode) {
    for (const auto* body : {"", "<html>", "[]", R"({"error":"no"})", R"({"error":{"code":{}}})"}) {
        const auto error = error_of(response_with(body, "soon"));
        EXPECT_EQ(error.code, GraphError::no_code) << body;
        EXPECT_EQ(error.retry_after, std::nullopt);
        EXPECT_EQ(words_of(error, {}), "HTTP 400") << body;
    }
}

TEST(GraphErrorTest, ReadsTheErrorOfAFailedStatus) {
    const auto object = parse_object(
        R"({"code":131047,"title":"Re-engagement message","message":"Other words",
            "error_data":{"details":"More than 24 hours have passed"}})");
    EXPECT_EQ(words_of(error_of(*object), {}),
              "131047 Re-engagement message: More than 24 hours have passed");
}

TEST(GraphErrorTest, NothingOfATokenIsRepeated) {
    const std::string token = "EAAGm0PX4ZCpsBAKZBZC1abcDEF";
    GraphError error{.code = 190, .title = {}, .details = {}, .retry_after = {}};
    for (const auto& text : {"Malformed access token " + token, "Cannot parse " + token + "!",
                             "Malformed: " + token.substr(0, 12), "x" + token,
                             std::string{"another one: abcdefghijklmnopqrstuvwxyz0123456789"},
                             std::string{"EAAB12345 is bad"}}) {
        error.title = text;
        const auto words = words_of(error, token);
        EXPECT_THAT(words, HasSubstr("***")) << text;
        EXPECT_THAT(words, Not(HasSubstr("m0PX4Z"))) << words;
        EXPECT_THAT(words, Not(HasSubstr("0123456789"))) << words;
    }
    error.title = "Object with ID '106540352242922' does not exist";
    EXPECT_EQ(words_of(error, token), "190 Object with ID '106540352242922' does not exist");
}

TEST(GraphErrorTest, TheWordsAreShortAndPrintable) {
    GraphError error{.code = 1, .title = "a\nb\x1b[31m", .details = {}, .retry_after = {}};
    for (int word = 0; word < 100; ++word) {
        error.details += "panjang ";
    }
    const auto words = words_of(error, {});
    EXPECT_LE(words.size(), words_bytes_max);
    EXPECT_THAT(words, Not(HasSubstr("\n")));
    EXPECT_THAT(words, Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace merpati::connector::cloud
