// The messages that try a campaign take the way of all others (intake::Intake).
#include <gtest/gtest.h>

#include "campaign/running_control.hpp"
#include "daemon/concurrency_fixture.hpp"

namespace merpati::daemon {
namespace {

const std::string sender = "6281100000001";

struct CampaignTestSendsTest : ConcurrencyFixture {
    /// Creates an account with a device, and the key of its caller.
    void make_customer(std::string_view fields = {}) {
        account = post("/admin/accounts", fmt::format(R"({{"name":"Toko"{}}})", fields), "id");
        const auto key = post("/keys", fmt::format(R"({{"account":"{}"}})", account), "key");
        ASSERT_EQ(addnew(key, sender).status, 200);
        caller = admission::Principal::of(*directory.find_key(sha256(key)));
    }
    [[nodiscard]] model::AccountId id_of_account() const {
        return model::AccountId::parse(account).value();
    }

    Result<model::MessageId> send_test(std::string_view from = sender,
                                       std::optional<store::IdempotencyRecord> key = {}) {
        model::Campaign campaign;
        campaign.account = id_of_account();
        return control.send_test(campaign,
                                 {.to = *model::PhoneNumber::parse("6281234567890"),
                                  .from = *model::PhoneNumber::parse(from),
                                  .text = "Halo",
                                  .media_url = {},
                                  .key = std::move(key)},
                                 caller);
    }

    std::string account;
    admission::Principal caller;
    campaign::OpenCampaigns open{clock};
    campaign::RunningControl control{{.intake = intake,
                                      .media_fetcher = media_fetcher,
                                      .open = open,
                                      .callback_of = [](model::AccountId) { return std::string{}; },
                                      .find_template = {}}};
};

TEST_F(CampaignTestSendsTest, ATestIsStoredToldAndSent) {
    make_customer();
    std::optional<model::MessageId> told;
    intake.on_accepted = [&](const model::Message& message) {
        EXPECT_TRUE(message.test);
        told = message.id;
    };
    const auto sent = send_test();
    ASSERT_TRUE(sent) << sent.error().describe();
    platform->sent.wait(0);
    stop();
    EXPECT_EQ(told, *sent);
}

TEST_F(CampaignTestSendsTest, ACallerWhoseKeyWasRevokedMeanwhileSendsNoTest) {
    make_customer();
    ASSERT_EQ(call(http::Method::del, "/keys/" + caller.key.key->id.text()).status, 200);
    const auto sent = send_test();
    ASSERT_FALSE(sent);
    EXPECT_EQ(sent.error().code, ErrorCode::forbidden);
}

TEST_F(CampaignTestSendsTest, AnAccountWhoseValidityEndedMeanwhileSendsNoTest) {
    make_customer();
    ASSERT_EQ(call(http::Method::patch, "/admin/accounts/" + account,
                   R"({"expires_at":"2020-01-01T00:00:00Z"})")
                  .status,
              200);
    const auto sent = send_test();
    ASSERT_FALSE(sent);
    EXPECT_EQ(sent.error().code, ErrorCode::conflict);
}

TEST_F(CampaignTestSendsTest, ATestCostsCredit) {
    make_customer(R"(,"credit":1)");
    EXPECT_TRUE(send_test());
    const auto refused = send_test();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::refused);
}

TEST_F(CampaignTestSendsTest, AKeyIsStoredWithTheTestAndSendsItOnce) {
    make_customer();
    const auto key = ledger.record(id_of_account(), "monday", "a test", clock.now());
    const auto sent = send_test(sender, key);
    ASSERT_TRUE(sent) << sent.error().describe();
    const auto stored = ledger.first(key);
    ASSERT_TRUE(stored && *stored);
    EXPECT_EQ((**stored).message, *sent);
    EXPECT_EQ((**stored).status, 0);
    const auto again = send_test(sender, key);
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().code, ErrorCode::conflict);
}

TEST_F(CampaignTestSendsTest, ADeviceOfAnotherAccountSendsNoTest) {
    make_customer();
    const auto refused = send_test("6281100000002");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::conflict);
}

}  // namespace
}  // namespace merpati::daemon
