// POST /v1/messages with an Idempotency-Key: the key is in the commit of the message.
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "daemon/concurrency_fixture.hpp"

namespace merpati::daemon {
namespace {

struct KeyedMessagesTest : ConcurrencyFixture {
    KeyedMessagesTest() {
        account = post("/admin/accounts", R"({"name":"Toko"})", "id");
        const auto key = post("/keys", fmt::format(R"({{"account":"{}"}})", account), "key");
        EXPECT_EQ(addnew(key, "6281100000001").status, 200);
        intake.on_accepted = [this](const model::Message& message) {
            accepted.push_back(message.id);
            // What a restart finds if the process dies now.
            stored_key = *(*store->open_reader())->idempotency({}, "local monday");
        };
    }

    api::manage::Outcome send() {
        const auto operation = std::ranges::find_if(api::operations(), [](const auto& one) {
            return one.path == "/v1/messages" && one.method == http::Method::post;
        });
        return manage.run(
            *operation,
            {.method = http::Method::post,
             .path = "/v1/messages",
             .query = {},
             .body = fmt::format(R"({{"account":"{}","from":"6281100000001","to":"6281234567890",)"
                                 R"("type":"text","message":"halo"}})",
                                 account),
             .head = {.accept = {}, .idempotency_key = "monday"}},
            admission::Principal::local());
    }

    std::string account;
    std::vector<model::MessageId> accepted;  // Written before `send` returns.
    std::optional<store::IdempotencyRecord> stored_key;
};

TEST_F(KeyedMessagesTest, TheKeyIsStoredWithTheMessage) {
    EXPECT_EQ(send().status, 200);
    stop();
    ASSERT_EQ(accepted.size(), 1U);
    ASSERT_TRUE(stored_key);
    EXPECT_EQ(stored_key->message, accepted.front());
    EXPECT_EQ(stored_key->status, 0);
}

TEST_F(KeyedMessagesTest, ARepeatIsAnsweredAsTheFirst) {
    const auto first = send();
    const auto again = send();
    EXPECT_EQ(again.status, 200);
    EXPECT_EQ(again.body, first.body);
    stop();
    EXPECT_EQ(accepted.size(), 1U);
}

TEST_F(KeyedMessagesTest, ARepeatAfterACrashSendsNothing) {
    EXPECT_EQ(send().status, 200);
    ASSERT_TRUE(stored_key);
    // The state if the process dies before the answer is stored.
    const auto unanswered = committer.change_and_wait(
        [&](store::Tables& tables) -> Result<void> { return tables.put_idempotency(*stored_key); });
    ASSERT_TRUE(unanswered);
    const auto again = send();
    EXPECT_EQ(again.status, 409);
    EXPECT_TRUE(again.body.contains("idempotency_unfinished")) << again.body;
    stop();
    EXPECT_EQ(accepted.size(), 1U);
}

}  // namespace
}  // namespace merpati::daemon
