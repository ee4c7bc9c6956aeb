#include "api/monitoring.hpp"

#include <gtest/gtest.h>

namespace merpati::api {
namespace {

struct MonitoringTest : ::testing::Test {
    std::vector<Unready> unready;
    Monitoring monitoring{
        .unready = [this] { return unready; }, .degraded = {}, .metrics = {}, .metrics_token = {}};
};

TEST_F(MonitoringTest, IsReadyWhileNothingIsAmiss) {
    const auto reply = monitoring.readiness();
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(reply.body, R"({"status":"ready"})");
}

TEST_F(MonitoringTest, APartThatDoesNotWorkIsNamedThoughItIsReady) {
    monitoring.degraded = [] {
        return std::vector<Unready>{{.part = "connector linked", .reason = "its worker is gone"}};
    };
    const auto reply = monitoring.readiness();
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(reply.body, R"({"status":"ready","degraded":[)"
                          R"({"part":"connector linked","reason":"its worker is gone"}]})");
}

TEST_F(MonitoringTest, NamesEachPartThatIsNotReady) {
    unready = {{.part = "store", .reason = "its disk is \"full\""},
               {.part = "connectors", .reason = "have not started"}};
    const auto reply = monitoring.readiness();
    EXPECT_EQ(reply.status, 503);
    EXPECT_TRUE(reply.body.starts_with(R"({"success":false,)")) << reply.body;
    EXPECT_TRUE(reply.body.ends_with(R"("code":503},"reasons":[)"
                                     R"({"part":"store","reason":"its disk is \"full\""},)"
                                     R"({"part":"connectors","reason":"have not started"}]})"))
        << reply.body;
    EXPECT_NE(reply.headers.find("Retry-After: 1\r\n"), std::string::npos);
    EXPECT_NE(reply.headers.find("Cache-Control: no-store\r\n"), std::string::npos);
    EXPECT_EQ(Monitoring::liveness().status, 200);  // The process is up all the same.
}

TEST_F(MonitoringTest, WithoutATokenMetricsAreForThisMachineAlone) {
    http::Request request;
    EXPECT_FALSE(monitoring.may_read_metrics(request));
    request.from_loopback = true;
    EXPECT_TRUE(monitoring.may_read_metrics(request));
    monitoring.metrics_token = "secret";
    EXPECT_FALSE(monitoring.may_read_metrics(request));
    request.authorization = "Bearer secret";
    request.from_loopback = false;
    EXPECT_TRUE(monitoring.may_read_metrics(request));
}

}  // namespace
}  // namespace merpati::api
