#include "http/router.hpp"

#include <gtest/gtest.h>

namespace merpati::http {
namespace {

struct RouterTest : ::testing::Test {
    void add(Method method, const std::string& path) {
        router.add(method, path, [this, path](const Request&, const Responder&) { called = path; });
    }
    /// The path of the matching route, or the status of the refusal.
    std::string find(Method method, std::string_view path) {
        const auto match = router.find(method, path);
        if (match.handler == nullptr) {
            return std::to_string(match.status) + " " + std::string{match.allow};
        }
        (*match.handler)(Request{}, Responder{nullptr});
        return called;
    }

    Router router;
    std::string called;
};

TEST_F(RouterTest, FindsExactPathsAlone) {
    add(Method::post, "/v1/send");
    EXPECT_EQ(find(Method::post, "/v1/send"), "/v1/send");
    EXPECT_EQ(find(Method::post, "/v1/send/"), "404 ");
    EXPECT_EQ(find(Method::post, "/v1/sen"), "404 ");
    EXPECT_EQ(find(Method::post, "/V1/send"), "404 ");
    EXPECT_EQ(find(Method::post, "v1/send"), "404 ");
    EXPECT_EQ(find(Method::post, ""), "404 ");
}

TEST_F(RouterTest, FindsUploadsBesideOtherMethodsOfTheirPath) {
    add(Method::get, "/a/{}/rows");
    router.add_upload(
        Method::post, "/a/{}/rows",
        [](const Request&, Responder, PieceHold) -> std::unique_ptr<BodyReceiver> { return {}; },
        7);
    const auto match = router.find(Method::post, "/a/1/rows");
    EXPECT_EQ(match.handler, nullptr);
    EXPECT_NE(match.upload, nullptr);
    EXPECT_EQ(match.body_max, 7U);
    EXPECT_EQ(find(Method::get, "/a/1/rows"), "/a/{}/rows");
    EXPECT_EQ(find(Method::put, "/a/1/rows"), "405 GET, HEAD, POST");
}

TEST_F(RouterTest, PrefersExactThenLongerPaths) {
    add(Method::get, "/*");
    add(Method::get, "/a/b/*");
    add(Method::get, "/a/*");
    add(Method::get, "/a/b/c");
    EXPECT_EQ(find(Method::get, "/a/b/c"), "/a/b/c");
    EXPECT_EQ(find(Method::get, "/a/b/d"), "/a/b/*");
    EXPECT_EQ(find(Method::get, "/a/b/c/d"), "/a/b/*");
    EXPECT_EQ(find(Method::get, "/a/x"), "/a/*");
    EXPECT_EQ(find(Method::get, "/a"), "/*");
    EXPECT_EQ(find(Method::get, "/"), "/*");
}

TEST_F(RouterTest, NamesTheMethodsOfAKnownPath) {
    add(Method::post, "/a");
    add(Method::get, "/a");
    add(Method::del, "/b/*");
    EXPECT_EQ(find(Method::put, "/a"), "405 GET, HEAD, POST");
    EXPECT_EQ(find(Method::other, "/a"), "405 GET, HEAD, POST");
    EXPECT_EQ(find(Method::head, "/b/c"), "405 DELETE");
}

TEST_F(RouterTest, AnswersHeadLikeGet) {
    add(Method::get, "/a");
    EXPECT_EQ(find(Method::head, "/a"), "/a");
}

TEST_F(RouterTest, LetsAWiderPathAnswerAMethodTheExactOneLacks) {
    add(Method::get, "/a/*");
    add(Method::post, "/a/b");
    EXPECT_EQ(find(Method::get, "/a/b"), "/a/*");
    EXPECT_EQ(find(Method::put, "/a/b"), "405 POST");
}

TEST_F(RouterTest, APatternStandsForOneSegmentAndYieldsToAnExactPath) {
    add(Method::get, "/things/{}");
    add(Method::post, "/things/{}/turn");
    add(Method::get, "/things/all");
    add(Method::put, "/things/*");
    EXPECT_EQ(find(Method::get, "/things/7"), "/things/{}");
    EXPECT_EQ(find(Method::get, "/things/all"), "/things/all");
    EXPECT_EQ(find(Method::post, "/things/7/turn"), "/things/{}/turn");
    EXPECT_EQ(find(Method::put, "/things/7/turn"), "/things/*");
    EXPECT_EQ(find(Method::post, "/things/7"), "405 GET, HEAD");
    for (const auto* other : {"/things/", "/things", "/things/7/", "/things/7/8/turn"}) {
        EXPECT_NE(find(Method::get, other), "/things/{}") << other;
    }
    EXPECT_EQ(match_path("/things/{}/turn", "/things/a%20b/turn"), "a%20b");
}

TEST_F(RouterTest, TakesEachRouteOnce) {
    add(Method::get, "/a");
    EXPECT_DEATH(add(Method::get, "/a"), "added once");
    EXPECT_DEATH(add(Method::get, "a"), "starts with a slash");
}

}  // namespace
}  // namespace merpati::http
