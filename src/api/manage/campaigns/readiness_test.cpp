// Checks and tests of campaigns, as calls answer them.
#include "api/manage/engine/manage_fixture.hpp"

namespace merpati::api::manage {
namespace {

struct ReadinessTest : testing::ManageTest {
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
    const std::string id = make_campaign(account, "6281100000001");
};

TEST_F(ReadinessTest, EachNumberIsTried) {
    EXPECT_EQ(test().status, 200);
    EXPECT_EQ(control.tests.size(), 2U);
}

TEST_F(ReadinessTest, ARefusalOfOneDoesNotEndTheOthers) {
    control.refusal = ErrorCode::conflict;
    EXPECT_EQ(test().status, 409);
    EXPECT_EQ(control.tests.size(), 2U);
}

TEST_F(ReadinessTest, TheOthersDoNotWaitForAStoreThatIsSlow) {
    control.refusal = ErrorCode::timeout;
    EXPECT_EQ(test().status, 504);
    EXPECT_EQ(control.tests.size(), 1U);
}

TEST_F(ReadinessTest, TheFirstTestThatIsStoredHasTheKey) {
    EXPECT_EQ(test_with_key().status, 200);
    ASSERT_EQ(control.tests.size(), 2U);
    ASSERT_TRUE(control.tests.front().key);
    EXPECT_EQ(control.tests.front().key->key, "local monday");
    EXPECT_FALSE(control.tests.back().key);
    EXPECT_EQ(test_with_key().status, 200);
    EXPECT_EQ(control.tests.size(), 2U);
}

TEST_F(ReadinessTest, AfterARefusalTheNextTestHasTheKey) {
    control.refusal = ErrorCode::conflict;
    EXPECT_EQ(test_with_key().status, 409);
    ASSERT_EQ(control.tests.size(), 2U);
    EXPECT_TRUE(control.tests.back().key);
}

TEST_F(ReadinessTest, AViewersCheckQuotesNothing) {
    ASSERT_EQ(post("/admin/people", R"({"email":"v@toko.example","password":"kuda lumping 7",)"
                                    R"("account":"acc_1","role":"viewer"})")
                  .status,
              200);
    ASSERT_EQ(
        call(http::Method::patch, "/campaigns/" + id, R"({"message":"halo {{rahasia"})").status,
        200);
    const auto viewer =
        admission::Principal::of(directory.people().find(std::string_view{"v@toko.example"}));
    const auto path = "/campaigns/" + id + "/check";
    EXPECT_THAT(post(path, "{}").whole(), ::testing::HasSubstr("rahasia"));
    const auto seen = call_as(viewer, http::Method::post, path, "{}");
    EXPECT_EQ(seen.status, 200);
    EXPECT_THAT(seen.whole(), ::testing::Not(::testing::HasSubstr("rahasia")));
    EXPECT_FALSE(seen.json.at("ready").as_bool());
}

}  // namespace
}  // namespace merpati::api::manage
