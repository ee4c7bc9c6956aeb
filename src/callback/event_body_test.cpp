#include "callback/event_body.hpp"

#include <gtest/gtest.h>

namespace merpati::callback {
namespace {

struct EventBodyTest : ::testing::Test {
    model::Message message{.id = {5, 9},
                           .account = {1},
                           .device = *model::PhoneNumber::parse("6281100000001"),
                           .recipient = "6281234567890"};
    model::Completion completion{.state = model::MessageState::sent,
                                 .code = model::StatusCode::sent,
                                 .details = "Pesan \"terkirim\"",
                                 .platform_id = "sim-1"};
};

TEST_F(EventBodyTest, HasTheInterfacesFieldsInItsOrderWithNumbersAsNumbers) {
    EXPECT_EQ(message_status_body(message, completion),
              R"({"device":6281100000001,"requestId":")" + message.id.text() +
                  R"(","campaignId":"","type":"text","messageid":"sim-1","status":"sent",)"
                  R"("to":6281234567890,"code":200,"details":"Pesan \"terkirim\""})");
}

TEST_F(EventBodyTest, NamesTheCampaignOfACampaignsMessage) {
    message.campaign = model::CampaignId{12};
    EXPECT_NE(message_status_body(message, completion).find(R"(,"campaignId":"cmp_12","type":)"),
              std::string::npos);
}

TEST_F(EventBodyTest, NamesOurOwnIdWhereThePlatformGaveNone) {
    completion.platform_id.clear();
    EXPECT_NE(message_status_body(message, completion).find(message.id.text() + "\",\"status"),
              std::string::npos);
}

TEST_F(EventBodyTest, ARecipientThatIsNoNumberIsItsDigits) {
    completion.state = model::MessageState::failed;
    for (const auto& [recipient, number] : {std::pair{"abc", "0"},
                                            {"0812", "812"},
                                            {"-5", "5"},
                                            {"+62 81-2", "62812"},
                                            {"000", "0"},
                                            {"1234567890123456789012", "123456789012345678"}}) {
        message.recipient = recipient;
        EXPECT_NE(message_status_body(message, completion)
                      .find(std::string{R"("status":"failed","to":)"} + number + ","),
                  std::string::npos)
            << recipient;
    }
}

TEST_F(EventBodyTest, TheOriginIsSchemeHostAndPort) {
    EXPECT_EQ(origin_key_of("https://a.example/x?y"), origin_key_of("https://a.example"));
    EXPECT_EQ(origin_key_of("https://a.example?y"), origin_key_of("https://a.example/"));
    EXPECT_NE(origin_key_of("https://a.example/"), origin_key_of("https://a.example:8443/"));
    EXPECT_NE(origin_key_of("https://a.example/"), origin_key_of("http://a.example/"));
}

}  // namespace
}  // namespace merpati::callback
