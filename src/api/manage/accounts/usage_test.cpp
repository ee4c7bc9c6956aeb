#include "api/manage/engine/manage_fixture.hpp"

namespace merpati::api::manage::testing {
namespace {

using boost::json::value;

struct UsageTest : ManageTest {
    std::string account = make_account();
};

TEST_F(UsageTest, UsageIsItsAccountsAlone) {
    const auto other = make_account();
    const auto key = key_of(account, {model::Scope::account_read});
    EXPECT_EQ(call_as(key, http::Method::get, "/usage?account=" + other).status, 404);
    EXPECT_EQ(call_as(key_of(account, {model::Scope::send}), http::Method::get, "/usage").status,
              403);
}

TEST_F(UsageTest, UsageIsCountedByWhatIsAskedFor) {
    make_device(account, "6281100000001");
    finish(accept(account, "6281100000001"), model::MessageState::sent);
    finish(accept(account, "6281100000001"), model::MessageState::failed);
    const auto days = get("/usage?account=" + account);
    ASSERT_EQ(days.items().size(), 1U) << days.whole();
    EXPECT_EQ(days.items()[0].at("sent"), 1);
    EXPECT_EQ(days.items()[0].at("failed"), 1);
    EXPECT_EQ(days.items()[0].at("day"), value(to_rfc3339(clock.now()).substr(0, 10)));
    const auto devices = get("/usage?by=device,source,code&account=" + account);
    ASSERT_EQ(devices.items().size(), 1U) << devices.whole();
    EXPECT_EQ(devices.items()[0].at("device"), "6281100000001");
    EXPECT_EQ(devices.items()[0].at("source"), "api");
    EXPECT_EQ(devices.items()[0].at("code"), 200);
    EXPECT_FALSE(devices.items()[0].as_object().contains("day"));
}

TEST_F(UsageTest, UsageIsATableToo) {
    make_device(account, "6281100000001");
    finish(accept(account, "6281100000001"), model::MessageState::sent);
    const auto outcome = manage->handle(http::Method::get, "/v1/usage",
                                        "by=device,code&format=csv&account=" + account, "");
    EXPECT_EQ(outcome.content_type, "text/csv; charset=utf-8");
    EXPECT_EQ(outcome.body, "account,device,code,sent,failed,cancelled\r\n" + account +
                                ",6281100000001,200,1,0,0\r\n");
}

TEST_F(UsageTest, AWrongQuestionIsNamed) {
    for (const auto* query : {"by=hour", "by=day,", "offset=7", "offset=+25:00", "format=xml",
                              "since=2026-02-01T00:00:00Z&until=2026-01-01T00:00:00Z",
                              "since=2026-01-01T00:00:00Z&until=2026-01-01T00:00:00Z"}) {
        EXPECT_EQ(get(std::string{"/usage?"} + query).status, 400) << query;
    }
    EXPECT_EQ(get("/usage?offset=%2B07:00&by=day,code").status, 200);
}

}  // namespace
}  // namespace merpati::api::manage::testing
