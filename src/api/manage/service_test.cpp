#include "api/manage/service.hpp"

#include <chrono>
#include <future>

#include "api/manage/manage_fixture.hpp"

namespace merpati::api::manage::testing {
namespace {

using namespace std::chrono_literals;

/// Where one reply arrives.
struct Awaited final : http::ReplySink {
    void deliver(http::Reply&& reply) override {
        thread = std::this_thread::get_id();
        promise.set_value(std::move(reply));
    }
    std::promise<http::Reply> promise;
    std::thread::id thread;
};

struct ServiceTest : ManageTest {
    ServiceTest() { service.add_to(router); }

    http::Reply request(http::Method method, std::string_view path, std::string_view body = {}) {
        auto sink = std::make_shared<Awaited>();
        auto reply = sink->promise.get_future();
        const auto match = router.find(method, path);
        EXPECT_NE(match.handler, nullptr);
        http::Request asked;
        asked.method = method;
        asked.path = path;
        asked.body = body;
        (*match.handler)(asked, http::Responder{sink});
        EXPECT_EQ(reply.wait_for(10s), std::future_status::ready);
        answered_on = sink->thread;
        return reply.get();
    }

    http::Router router;
    Service service{*manage};
    std::thread::id answered_on;
};

TEST_F(ServiceTest, AnswersFromAThreadOfItsOwn) {
    service.start();
    const auto reply = request(http::Method::post, "/manage/v1/accounts", R"({"name":"Toko"})");
    EXPECT_EQ(reply.status, 200);
    EXPECT_THAT(reply.body, HasSubstr("whsec_"));
    EXPECT_TRUE(answered_on != std::this_thread::get_id());
    EXPECT_EQ(request(http::Method::get, "/manage/v1/nothing").status, 404);
}

TEST_F(ServiceTest, EveryMethodIsAnsweredInTheShapeOfThisApi) {
    service.start();
    for (const auto method : {http::Method::put, http::Method::options, http::Method::other}) {
        const auto reply = request(method, "/manage/v1/accounts");
        EXPECT_EQ(reply.status, 405);
        EXPECT_THAT(reply.body, HasSubstr(R"("code":"method_not_allowed")"));
        EXPECT_THAT(reply.headers, HasSubstr("Allow: GET, POST\r\n"));
    }
}

TEST_F(ServiceTest, AnswersBusyBeforeItStartsAndAfterItStopped) {
    EXPECT_EQ(request(http::Method::get, "/manage/v1/accounts").status, 503);
    service.start();
    EXPECT_EQ(request(http::Method::get, "/manage/v1/accounts").status, 200);
    service.stop();
    service.stop();
    EXPECT_EQ(request(http::Method::get, "/manage/v1/accounts").status, 503);
}

}  // namespace
}  // namespace merpati::api::manage::testing
