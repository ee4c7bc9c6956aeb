// POST /campaigns/ID/test: each number is judged by itself.
#include "api/manage/engine/manage_fixture.hpp"

namespace merpati::api::manage {
namespace {

struct CampaignTestSendsTest : testing::ManageTest {
    CampaignTestSendsTest() {
        make_device(account, "6281100000001");
        id = call(http::Method::post, "/campaigns",
                  R"({"account":")" + account +
                      R"(","name":"Promo","purpose":"transactional","message":"halo",)"
                      R"("devices":["6281100000001"]})")
                 .text("id");
    }

    testing::Answer test() {
        return post("/campaigns/" + id + "/test", R"({"to":["6281234567890","6281234567891"]})");
    }

    Outcome test_with_key() {
        const auto operation =
            std::ranges::find(operations(), "/v1/campaigns/{}/test", &Operation::path);
        return manage->run(*operation,
                           {.method = http::Method::post,
                            .path = "/v1/campaigns/" + id + "/test",
                            .query = {},
                            .body = R"({"to":["6281234567890","6281234567891"]})",
                            .head = {.accept = {}, .idempotency_key = "monday"}},
                           admission::Principal::local());
    }

    const std::string account = make_account();
    std::string id;
};

TEST_F(CampaignTestSendsTest, EachNumberIsTried) {
    EXPECT_EQ(test().status, 200);
    EXPECT_EQ(control.tests.size(), 2U);
}

TEST_F(CampaignTestSendsTest, ARefusalOfOneDoesNotEndTheOthers) {
    control.refusal = ErrorCode::conflict;
    EXPECT_EQ(test().status, 409);
    EXPECT_EQ(control.tests.size(), 2U);
}

TEST_F(CampaignTestSendsTest, TheOthersDoNotWaitForAStoreThatIsSlow) {
    control.refusal = ErrorCode::timeout;
    EXPECT_EQ(test().status, 504);
    EXPECT_EQ(control.tests.size(), 1U);
}

TEST_F(CampaignTestSendsTest, TheFirstTestThatIsStoredHasTheKey) {
    EXPECT_EQ(test_with_key().status, 200);
    ASSERT_EQ(control.tests.size(), 2U);
    ASSERT_TRUE(control.tests.front().key);
    EXPECT_EQ(control.tests.front().key->key, "local monday");
    EXPECT_FALSE(control.tests.back().key);
    EXPECT_EQ(test_with_key().status, 200);
    EXPECT_EQ(control.tests.size(), 2U);
}

TEST_F(CampaignTestSendsTest, AfterARefusalTheNextTestHasTheKey) {
    control.refusal = ErrorCode::conflict;
    EXPECT_EQ(test_with_key().status, 409);
    ASSERT_EQ(control.tests.size(), 2U);
    EXPECT_TRUE(control.tests.back().key);
}

}  // namespace
}  // namespace merpati::api::manage
