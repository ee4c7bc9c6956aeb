// How far ahead a campaign may be asked to end.
#include "api/manage/engine/manage_fixture.hpp"

namespace merpati::api::manage {
namespace {

using std::chrono::days;

struct PlanFieldsTest : testing::ManageTest {
    PlanFieldsTest() { make_device(account, "6281100000001"); }

    testing::Answer create(Timestamp finish_by) {
        return call(http::Method::post, "/campaigns",
                    R"({"account":")" + account +
                        R"(","name":"Promo","purpose":"transactional","message":"halo",)"
                        R"("devices":["6281100000001"],"finish_by":")" +
                        to_rfc3339(finish_by) + R"("})");
    }

    const std::string account = make_account();
};

TEST_F(PlanFieldsTest, ACampaignIsToEndWithinAYear) {
    const auto made = create(clock.now() + days{366});
    EXPECT_EQ(made.status, 200) << made.whole();
    const auto refused = create(clock.now() + days{366} + std::chrono::minutes{1});
    EXPECT_EQ(refused.status, 400);
    EXPECT_EQ(refused.text("detail"), "'finish_by' must be at most 366 days ahead");
}

}  // namespace
}  // namespace merpati::api::manage
