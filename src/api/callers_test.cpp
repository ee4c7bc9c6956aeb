#include "api/callers.hpp"

#include <array>
#include <chrono>

#include "api/manage/manage_fixture.hpp"

namespace merpati::api {
namespace {

using namespace std::chrono_literals;

struct CallersTest : manage::testing::ManageTest {
    /// The status of the refusal; 200: the call is admitted.
    int status_of(std::string_view authorization, model::Scope needs = model::Scope::send) {
        http::Request request;
        request.authorization = authorization;
        const auto admitted =
            callers.admit(request, {.path = "/x", .scope = Scope::catalogue, .needs = needs});
        return admitted ? 200 : admitted.error().status;
    }

    Callers callers{clock, directory, AppAddress{}, {}, model::Rate{.count = 2, .period = 1s}};
};

TEST_F(CallersTest, EachAdmittedCallOfAKeyCountsAgainstItsRate) {
    const auto account = make_account();
    const auto made = post("/keys", R"({"account":")" + account + "\"}");
    const auto bearer = "Bearer " + made.text("key");
    EXPECT_EQ(status_of("Bearer x"), 401);
    EXPECT_EQ(status_of(""), 401);
    EXPECT_EQ(status_of(bearer, model::Scope::admin), 403);
    int admitted = 0;
    while (admitted < 1'000 && status_of(bearer) == 200) {
        ++admitted;
    }
    EXPECT_GE(admitted, 2);
    EXPECT_EQ(status_of(bearer), 429);
    clock.advance(1s);
    EXPECT_EQ(status_of(bearer), 200);
}

}  // namespace
}  // namespace merpati::api
