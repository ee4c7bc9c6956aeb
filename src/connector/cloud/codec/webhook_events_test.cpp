#include "connector/cloud/codec/webhook_events.hpp"

#include <string>

#include <gtest/gtest.h>

namespace merpati::connector::cloud {
namespace {

using model::Progress;

const Timestamp received{std::chrono::seconds{2'000'000'000}};

std::vector<WebhookEvent> read(const std::string& value) {
    return read_webhook(R"({"object":"whatsapp_business_account","entry":[{"id":"1","changes":[)"
                        R"({"field":"messages","value":{"messaging_product":"whatsapp",)"
                        R"("metadata":{"display_phone_number":"62811","phone_number_id":"106"},)" +
                            value + "}}]}]}",
                        received);
}

StatusEvent status_of(const std::string& fields) {
    const auto events = read(R"("statuses":[{"id":"wamid.1",)" + fields + "}]");
    return events.size() == 1 ? std::get<StatusEvent>(events[0]) : StatusEvent{};
}

InboundEvent inbound_of(const std::string& fields) {
    const auto events =
        read(R"("messages":[{"id":"wamid.2","timestamp":"1700000000",)" + fields + "}]");
    return events.size() == 1 ? std::get<InboundEvent>(events[0]) : InboundEvent{};
}

TEST(WebhookEventsTest, ReadsEachStatus) {
    const std::pair<const char*, Progress> expected[]{{"sent", Progress::sent},
                                                      {"delivered", Progress::delivered},
                                                      {"read", Progress::read},
                                                      {"played", Progress::read},
                                                      {"failed", Progress::failed}};
    for (const auto& [word, progress] : expected) {
        const auto event = status_of(std::string{R"("status":")"} + word +
                                     R"(","timestamp":"1700000000","recipient_id":"628",)"
                                     R"("biz_opaque_callback_data":"ours","new":{})");
        EXPECT_EQ(event.progress, progress) << word;
        EXPECT_EQ(event.phone_number_id, "106");
        EXPECT_EQ(event.platform_id, "wamid.1");
        EXPECT_EQ(event.opaque, "ours");
        EXPECT_EQ(event.at, Timestamp{std::chrono::seconds{1'700'000'000}});
    }
}

TEST(WebhookEventsTest, AFailureSaysWhy) {
    const auto event =
        status_of(R"("status":"failed","errors":[{"code":131047,"title":"Re-engagement message",)"
                  R"("error_data":{"details":"24 hours"}},{"code":1}])");
    EXPECT_EQ(event.error.code, 131'047);
    EXPECT_EQ(event.error.title, "Re-engagement message");
    EXPECT_EQ(event.error.http_status, 0);
    EXPECT_EQ(event.at, received);
    EXPECT_EQ(status_of(R"("status":"failed")").error.code, GraphError::no_code);
}

TEST(WebhookEventsTest, ReadsEveryEventInItsOrder) {
    const auto body =
        R"({"object":"whatsapp_business_account","entry":[
            {"changes":[{"field":"messages","value":{"metadata":{"phone_number_id":"1"},
               "statuses":[{"id":"a","status":"sent"},{"id":"b","status":"read"}]}},
              {"field":"messages","value":{"metadata":{"phone_number_id":"2"},
               "messages":[{"id":"c","from":"628","type":"text","text":{"body":"x"}}]}}]},
            {"changes":[{"field":"account_update","value":{}},
              {"field":"messages","value":{"metadata":{"phone_number_id":"1"},
               "statuses":[{"id":"d","status":"sent"}]}}]}]})";
    const auto events = read_webhook(body, received);
    ASSERT_EQ(events.size(), 4U);
    EXPECT_EQ(std::get<StatusEvent>(events[1]).platform_id, "b");
    EXPECT_EQ(std::get<InboundEvent>(events[2]).phone_number_id, "2");
    EXPECT_EQ(std::get<StatusEvent>(events[3]).platform_id, "d");
}

TEST(WebhookEventsTest, WhatIsNotKnownIsSkipped) {
    for (const auto* body : {"", "no JSON", "[]", "{}", R"({"object":"page","entry":[]})",
                             R"({"object":"whatsapp_business_account","entry":{}})",
                             R"({"object":"whatsapp_business_account","entry":[1,{},{"changes":[2,
                                 {"field":"messages"},{"field":"messages","value":[]}]}]})"}) {
        EXPECT_TRUE(read_webhook(body, received).empty()) << body;
    }
    EXPECT_TRUE(read(R"("statuses":[{"id":"a","status":"warning"},{"status":"sent"},7,
                                    {"id":"with blank","status":"sent"}])")
                    .empty());
    EXPECT_TRUE(
        read(R"("messages":[{"id":"a","type":"text"},{"from":"628","type":"text"}])").empty());
    EXPECT_TRUE(read_webhook(std::string(100'000, '['), received).empty());
}

TEST(WebhookEventsTest, ReadsTextsAndReplies) {
    const auto text = inbound_of(R"("from":"628","type":"text","text":{"body":"h\u00e9"})");
    EXPECT_EQ(text.message.type, "text");
    EXPECT_EQ(text.message.text, "h\xC3\xA9");
    EXPECT_EQ(text.message.sender, "628");
    EXPECT_EQ(text.message.platform_id, "wamid.2");
    const std::pair<const char*, const char*> replies[]{
        {R"("type":"button","button":{"text":"Ya","payload":"yes"})", "Ya"},
        {R"("type":"interactive","interactive":{"type":"button_reply",
            "button_reply":{"id":"1","title":"Tidak"}})",
         "Tidak"},
        {R"("type":"interactive","interactive":{"type":"list_reply",
            "list_reply":{"id":"1","title":"Satu","description":"d"}})",
         "Satu"}};
    for (const auto& [fields, title] : replies) {
        const auto reply = inbound_of(std::string{R"("from":"628",)"} + fields);
        EXPECT_EQ(reply.message.type, "text");
        EXPECT_EQ(reply.message.text, title);
    }
}

TEST(WebhookEventsTest, TheUserIdStandsWhereThereIsNoNumber) {
    EXPECT_EQ(inbound_of(R"("from_user_id":"ID.77","type":"text")").message.sender, "ID.77");
    EXPECT_EQ(inbound_of(R"("from":"","user_id":"ID.78","type":"text")").message.sender, "ID.78");
    EXPECT_EQ(inbound_of(R"("from":"628","from_user_id":"ID.77","type":"text")").message.sender,
              "628");
}

TEST(WebhookEventsTest, ReadsEachKindOfMedia) {
    for (const auto* kind : {"image", "video", "audio", "document", "sticker"}) {
        const auto event =
            inbound_of(std::string{R"("from":"628","type":")"} + kind + R"(",")" + kind +
                       R"(":{"id":"123","mime_type":"a/b","sha256":"s",)"
                       R"("caption":"c","filename":"f.pdf"})");
        EXPECT_EQ(event.message.type, kind);
        ASSERT_TRUE(event.message.media) << kind;
        EXPECT_EQ(event.message.media->reference, "123");
        EXPECT_EQ(event.message.media->mime, "a/b");
        EXPECT_EQ(event.message.media->name, "f.pdf");
        EXPECT_EQ(event.message.text, "c");
    }
    EXPECT_FALSE(inbound_of(R"("from":"628","type":"image","image":{"id":"../me"})").message.media);
}

TEST(WebhookEventsTest, OtherKindsAreNamed) {
    const auto type_of = [](const char* fields) {
        return inbound_of(std::string{R"("from":"628",)"} + fields).message.type;
    };
    EXPECT_EQ(type_of(R"("type":"location","location":{"latitude":1})"), "location");
    EXPECT_EQ(type_of(R"("type":"contacts","contacts":[])"), "contact");
    EXPECT_EQ(type_of(R"("type":"reaction","reaction":{"emoji":"x"})"), "other");
    EXPECT_EQ(type_of(R"("type":"unsupported")"), "other");
    EXPECT_EQ(type_of(R"("type":7)"), "other");
}

}  // namespace
}  // namespace merpati::connector::cloud
