#include "api/manage/engine/manage_fixture.hpp"

namespace merpati::api::manage {
namespace {

using testing::Answer;
using testing::HasSubstr;
using testing::IsEmpty;

struct NewMessageTest : testing::ManageTest {
    NewMessageTest() { make_device(account, "6289876543210"); }

    Answer send(const std::string& fields) {
        return call_as(sender, http::Method::post, "/messages", "{" + fields + "}");
    }
    /// The submission of the only message that was sent.
    const admission::Submission& submitted() {
        EXPECT_EQ(messages.sent.size(), 1);
        return messages.sent.front().submission;
    }

    const std::string account = make_account();
    admission::Principal sender =
        key_of(account, {model::Scope::send, model::Scope::messages_read});
};

TEST_F(NewMessageTest, IsSubmittedAsRevisionAWouldAndAnsweredAsItIsShown) {
    const auto stored = accept(account, "6289876543210");
    messages.send_answer = stored.id;
    const auto answer = send(
        R"("from":"0898-7654-3210","to":"+62 812-3456-7890","type":"text","message":"Halo\nAni",)"
        R"("delay":"5","typing":true)");
    EXPECT_EQ(answer.status, 200) << answer.whole();
    EXPECT_EQ(answer.text("id"), stored.id.text());
    EXPECT_THAT(answer.json.at("callbacks").as_array(), IsEmpty());
    EXPECT_EQ(submitted().revision, model::Revision::a);
    EXPECT_EQ(submitted().type, model::MessageType::text);
    EXPECT_EQ(submitted().sender, "6289876543210");
    EXPECT_EQ(submitted().recipient, "6281234567890");
    EXPECT_EQ(submitted().content, "Halo\nAni");
    EXPECT_EQ(submitted().delay.seconds, 5);
    EXPECT_EQ(submitted().typing, true);
    EXPECT_EQ(submitted().callback_url, "");
    EXPECT_EQ(messages.sent.front().account.text(), account);
}

TEST_F(NewMessageTest, WhatIsMissingOrMalformedIsForTheChecksOfRevisionA) {
    messages.send_answer = std::unexpected(SingleRefusal{.why = Refusal::type_unsupported});
    EXPECT_EQ(send(R"("type":7,"from":true,"to":{},"delay":"soon","typing":1)").status, 400);
    EXPECT_EQ(submitted().type, std::nullopt);
    EXPECT_EQ(submitted().sender, "");
    EXPECT_EQ(submitted().recipient, "");
    EXPECT_EQ(submitted().delay.kind, admission::Delay::Kind::malformed);
    EXPECT_EQ(submitted().typing, std::nullopt);
}

TEST_F(NewMessageTest, ARefusalHasStatusAndTextOfRevisionA) {
    messages.send_answer = std::unexpected(SingleRefusal{.why = Refusal::credit_exhausted});
    const auto poor = send(R"("type":"text")");
    EXPECT_EQ(poor.status, 402);
    EXPECT_EQ(poor.text("code"), "credit_exhausted");
    EXPECT_EQ(poor.error(), "Saldo credit habis");
    EXPECT_EQ(poor.text("title"), "Payment Required");
    messages.send_answer = std::unexpected(SingleRefusal{.why = Refusal::file_too_large});
    EXPECT_EQ(send(R"("type":"media")").status, 413);
}

TEST_F(NewMessageTest, AnExceededRateSaysWhenToComeAgain) {
    messages.send_answer = std::unexpected(
        SingleRefusal{.why = Refusal::rate_exceeded, .retry_after = std::chrono::seconds{7}});
    const auto refused = problem(Refusal::rate_exceeded, std::chrono::seconds{7});
    EXPECT_EQ(send(R"("type":"text")").status, 429);
    EXPECT_THAT(refused.headers, HasSubstr("Retry-After: 7\r\n"));
    EXPECT_THAT(problem(Refusal::overloaded, {}).headers, HasSubstr("Retry-After: 1\r\n"));
}

TEST_F(NewMessageTest, AnUnknownFieldIsRefusedAndNothingIsSent) {
    const auto answer = send(R"("type":"text","callbackStatus":"https://toko.example")");
    EXPECT_EQ(answer.status, 400);
    EXPECT_THAT(answer.error(), HasSubstr("callbackStatus"));
    EXPECT_THAT(messages.sent, IsEmpty());
}

TEST_F(NewMessageTest, NeedsTheScopeInTheAccountThatIsMeant) {
    const auto other = make_account();
    EXPECT_EQ(send(R"("account":")" + other + R"(","type":"text")").status, 404);
    const auto reader = key_of(account, {model::Scope::messages_read});
    EXPECT_EQ(call_as(reader, http::Method::post, "/messages", "{}").status, 403);
    EXPECT_THAT(messages.sent, IsEmpty());
}

}  // namespace
}  // namespace merpati::api::manage
