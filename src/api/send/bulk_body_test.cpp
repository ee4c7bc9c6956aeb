#include "api/send/bulk_body.hpp"

#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace merpati::api {
namespace {

using ::testing::HasSubstr;

BulkBody read(std::string_view body) {
    auto parsed = BulkBody::parse(body);
    EXPECT_TRUE(parsed) << (parsed ? "" : parsed.error().detail);
    return parsed ? *std::move(parsed) : BulkBody{};
}

std::string refusal_of(std::string_view body) {
    const auto parsed = BulkBody::parse(body);
    EXPECT_FALSE(parsed);
    return parsed ? "" : parsed.error().detail;
}

std::string with_messages(std::size_t count) {
    std::string body{R"({"messages":[)"};
    for (std::size_t number = 0; number < count; ++number) {
        body += number == 0 ? "{}" : ",{}";
    }
    return body + "]}";
}

TEST(BulkBodyTest, DecodesEachMessageAsOneOfRevisionA) {
    const auto body = read(R"({"account":"acc_7","messages":[)"
                           R"({"to":6281,"from":"6289","Type":"text","message":"Halo","delay":5},)"
                           R"({"Type":"media","url":"https://toko.example/a.png","pesan":"x"}]})");
    EXPECT_EQ(body.account, "acc_7");
    EXPECT_FALSE(body.dry_run);
    ASSERT_EQ(body.messages.size(), 2);
    const auto& first = body.messages[0].submission;
    EXPECT_EQ(first.revision, model::Revision::a);
    EXPECT_EQ(first.recipient, "6281");
    EXPECT_FALSE(first.recipient_quoted);
    EXPECT_EQ(first.sender, "6289");
    EXPECT_EQ(first.content, "Halo");
    EXPECT_EQ(first.delay.seconds, 5);
    EXPECT_EQ(body.messages[0].bytes, 2 + 4 + 4 + 4 + 4 + 4 + 7 + 4 + 5 + 1);
    EXPECT_FALSE(body.messages[0].key);
    const auto& second = body.messages[1].submission;
    EXPECT_EQ(second.type, model::MessageType::media);
    EXPECT_EQ(second.media_url, "https://toko.example/a.png");
    EXPECT_EQ(second.content, std::nullopt);
    EXPECT_EQ(second.recipient, "");
}

TEST(BulkBodyTest, TheOrderOfItsFieldsAndWhatIsNestedDoNotMatter) {
    const auto body = read(R"( {"messages" : [ {"to":"1","x":{"messages":[{"to":"2"}]},)"
                           R"("y":[[{}],7]} , {"message":"b"} ] , "dry_run" : true } )");
    EXPECT_TRUE(body.dry_run);
    ASSERT_EQ(body.messages.size(), 2);
    EXPECT_EQ(body.messages[0].submission.recipient, "1");
    EXPECT_EQ(body.messages[1].submission.content, "b");
}

TEST(BulkBodyTest, TheContentOfAKeyedMessageIsItsJsonWithoutKeyAndBlanks) {
    const auto body =
        read(R"({"messages":[{"key":"k-1", "to" : 62, "message":"a\nb\u00e9","x":null,)"
             R"("typing":true},{"key":5},{"to":62,"key":""}]})");
    ASSERT_TRUE(body.messages[0].key);
    EXPECT_EQ(body.messages[0].key->text, "k-1");
    EXPECT_EQ(body.messages[0].key->content,
              "{\"to\":62,\"message\":\"a\\nb\xc3\xa9\",\"x\":null,\"typing\":true}");
    ASSERT_TRUE(body.messages[1].key);
    EXPECT_EQ(body.messages[1].key->text, "");
    EXPECT_EQ(body.messages[1].key->content, "{}");
    EXPECT_TRUE(body.messages[2].key);
}

TEST(BulkBodyTest, HasOneToAThousandMessages) {
    EXPECT_EQ(read(with_messages(1'000)).messages.size(), 1'000);
    EXPECT_THAT(refusal_of(with_messages(1'001)), HasSubstr("at most 1000"));
    for (const auto* body : {"{}", R"({"messages":[]})", R"({"messages":{}})",
                             R"({"messages":"x"})", R"({"dry_run":true})"}) {
        EXPECT_THAT(refusal_of(body), HasSubstr("at least one message")) << body;
    }
}

TEST(BulkBodyTest, TheListHoldsObjectsAlone) {
    for (const auto* element : {"1", "1.5", "true", "null", R"("x")", "[]", "[{}]",
                                "18446744073709551615", "99999999999999999999"}) {
        EXPECT_THAT(refusal_of(fmt::format(R"({{"messages":[{{}},{}]}})", element)),
                    HasSubstr("must hold objects"))
            << element;
    }
}

TEST(BulkBodyTest, IsReadStrictly) {
    for (const auto* body :
         {"", "[]", "{", "null", R"({"messages":[{}]} x)", R"({"messages":[{}],})",
          R"({"messages":[{"to":"1","to":"1"}]})", R"({"messages":[{"x":{"y":1,"y":1}}]})",
          R"({"messages":[{}],"messages":[{}]})", R"({"messages":[{}],"a":1,"a":1})",
          "{\"messages\":[{\"to\":\"\xff\"}]}"}) {
        EXPECT_THAT(refusal_of(body), HasSubstr("one JSON object")) << body;
    }
    EXPECT_THAT(refusal_of(R"({"messages":[{}],"mode":"all"})"), HasSubstr("'mode'"));
    EXPECT_THAT(refusal_of(R"({"messages":[{}],"account":7})"), HasSubstr("'account'"));
    EXPECT_THAT(refusal_of(R"({"messages":[{}],"dry_run":1})"), HasSubstr("'dry_run'"));
}

TEST(BulkBodyTest, AMessageMayBeAsDeepAsABodyOfItsOwn) {
    const auto nested = [](int levels) {
        const auto count = static_cast<std::size_t>(levels);
        return R"({"messages":[{"x":)" + std::string(count, '[') + std::string(count, ']') + "}]}";
    };
    EXPECT_EQ(read(nested(15)).messages.size(), 1);
    EXPECT_FALSE(BulkBody::parse(nested(16)));
}

TEST(BulkBodyTest, AMessageHasALimitedNumberOfNames) {
    const auto named = [](std::size_t count) {
        std::string body{R"({"messages":[{},{"x":{)"};
        for (std::size_t number = 1; number < count; ++number) {
            body += fmt::format(R"({}"f{}":1)", number == 1 ? "" : ",", number);
        }
        return body + "}}]}";
    };
    EXPECT_EQ(read(named(BulkBody::names_max)).messages.size(), 2);
    EXPECT_FALSE(BulkBody::parse(named(BulkBody::names_max + 1)));
}

}  // namespace
}  // namespace merpati::api
