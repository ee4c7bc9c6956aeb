#include "api/operations.hpp"

#include <gtest/gtest.h>

namespace merpati::api {
namespace {

struct Kept final : http::ReplySink {
    http::Reply reply;
    void deliver(http::Reply&& given) override { reply = std::move(given); }
};

struct OperationsTest : ::testing::Test {
    std::vector<Unready> unready;
    Operations operations{
        .unready = [this] { return unready; }, .metrics = {}, .metrics_token = {}};
    http::Router router;

    OperationsTest() { operations.add_to(router); }

    http::Reply get(std::string_view path) {
        const auto sink = std::make_shared<Kept>();
        (*router.find(http::Method::get, path).handler)(http::Request{}, http::Responder{sink});
        return std::move(sink->reply);
    }
};

TEST_F(OperationsTest, IsReadyWhileNothingIsAmiss) {
    const auto reply = get("/readyz");
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(reply.body, R"({"status":"ready"})");
}

TEST_F(OperationsTest, NamesEachPartThatIsNotReady) {
    unready = {{.part = "store", .reason = "its disk is \"full\""},
               {.part = "connectors", .reason = "have not started"}};
    const auto reply = get("/readyz");
    EXPECT_EQ(reply.status, 503);
    EXPECT_TRUE(reply.body.starts_with(R"({"success":false,)")) << reply.body;
    EXPECT_TRUE(reply.body.ends_with(R"("code":503},"reasons":[)"
                                     R"({"part":"store","reason":"its disk is \"full\""},)"
                                     R"({"part":"connectors","reason":"have not started"}]})"))
        << reply.body;
    EXPECT_EQ(get("/healthz").status, 200);  // The process is up all the same.
}

}  // namespace
}  // namespace merpati::api
