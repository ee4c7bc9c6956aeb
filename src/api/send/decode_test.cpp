#include "api/send/decode.hpp"

#include <gtest/gtest.h>

namespace merpati::api {
namespace {

using admission::Delay;
using model::MessageType;
using enum model::Revision;

admission::Submission decoded(std::string_view body, model::Revision revision = a) {
    return decode(*JsonFields::parse(body), revision);
}

TEST(DecodeTest, TakesEachRevisionsOwnFieldsAndIgnoresTheOthers) {
    constexpr std::string_view body =
        R"({"message":"halo","pesan":"hai","callbackStatus":"https://a.example/","typing":true})";
    const auto in_a = decoded(body, a);
    EXPECT_EQ(in_a.content, "halo");
    EXPECT_EQ(in_a.callback_url, "https://a.example/");
    EXPECT_EQ(in_a.typing, true);
    const auto in_b = decoded(body, b);
    EXPECT_EQ(in_b.content, "hai");
    EXPECT_EQ(in_b.callback_url, "");
    EXPECT_EQ(in_b.typing, false);
}

TEST(DecodeTest, WhatIsMissingOrOfAnotherTypeIsLeftOut) {
    for (const auto* body :
         {"{}", R"({"Type":1,"message":5,"url":7,"from":null,"to":["6281"]})",
          R"({"Type":"Text","message":null,"url":{},"from":true,"to":6.28e11})"}) {
        const auto submission = decoded(body);
        EXPECT_FALSE(submission.type) << body;
        EXPECT_FALSE(submission.content) << body;
        EXPECT_EQ(submission.media_url, "") << body;
        EXPECT_EQ(submission.sender, "") << body;
        EXPECT_EQ(submission.recipient, "") << body;
        EXPECT_EQ(submission.callback_url, "") << body;
        EXPECT_EQ(submission.typing, false) << body;
    }
}

TEST(DecodeTest, ATypeIsExactlyTextOrMedia) {
    EXPECT_EQ(decoded(R"({"Type":"text"})").type, MessageType::text);
    EXPECT_EQ(decoded(R"({"Type":"media"})").type, MessageType::media);
    for (const auto* body : {R"({"type":"text"})", R"({"Type":"image"})", R"({"Type":""})"}) {
        EXPECT_FALSE(decoded(body).type) << body;
    }
}

TEST(DecodeTest, NumbersAreStringsOrIntegersOfAnyLength) {
    const auto written = decoded(R"({"to":6281234567890,"from":6281100000001})");
    EXPECT_EQ(written.recipient, "6281234567890");
    EXPECT_FALSE(written.recipient_quoted);
    EXPECT_EQ(written.sender, "6281100000001");
    EXPECT_TRUE(decoded(R"({"to":"abc"})").recipient_quoted);
    const std::string digits(5'000, '6');
    EXPECT_EQ(decoded("{\"to\":" + digits + "}").recipient, digits);
}

TEST(DecodeTest, ADelayIsAnIntegerOrAStringOfOne) {
    for (const auto& [body, seconds] :
         std::initializer_list<std::pair<const char*, unsigned>>{{R"({"delay":1})", 1},
                                                                 {R"({"delay":"18000"})", 18000},
                                                                 {R"({"delay":18001})", 18001}}) {
        EXPECT_EQ(decoded(body).delay.kind, Delay::Kind::seconds) << body;
        EXPECT_EQ(decoded(body).delay.seconds, seconds) << body;
    }
    EXPECT_EQ(decoded("{}").delay.kind, Delay::Kind::none);
    EXPECT_EQ(decoded(R"({"delay":"random"})").delay.kind, Delay::Kind::random);
    for (const auto* body :
         {R"({"delay":-1})", R"({"delay":"1.5"})", R"({"delay":1.5})", R"({"delay":" 1"})",
          R"({"delay":"+1"})", R"({"delay":""})", R"({"delay":"Random"})", R"({"delay":null})",
          R"({"delay":true})", R"({"delay":99999999999999999999})", R"({"delay":"01"})",
          R"({"delay":"007"})", R"({"delay":"00000000001"})", R"({"delay":" 5"})",
          R"({"delay":"5.0"})", R"({"delay":5.0})", R"({"delay":1e1})", R"({"delay":"1e1"})"}) {
        EXPECT_EQ(decoded(body).delay.kind, Delay::Kind::malformed) << body;
    }
}

TEST(DecodeTest, TypingIsABooleanOrItsWord) {
    EXPECT_EQ(decoded(R"({"typing":"true"})").typing, true);
    EXPECT_EQ(decoded(R"({"typing":"false"})").typing, false);
    for (const auto* body : {R"({"typing":1})", R"({"typing":"yes"})", R"({"typing":null})"}) {
        EXPECT_FALSE(decoded(body).typing) << body;
        EXPECT_EQ(decoded(body, b).typing, false) << body;
    }
}

TEST(DecodeTest, ACallbackOfAnotherTypeIsToldFromNone) {
    EXPECT_FALSE(decoded(R"({"callbackStatus":7})").callback_url);
    EXPECT_EQ(decoded(R"({"callbackStatus":""})").callback_url, "");
}

}  // namespace
}  // namespace merpati::api
