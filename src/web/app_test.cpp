#include "web/app.hpp"

#include <array>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "web/accepts.hpp"

namespace merpati::web {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::array files{
    Asset{.path = "assets/font-1.woff2", .content_type = "font/woff2", .hash = "f1", .plain = "F"},
    Asset{.path = "assets/index-1.js",
          .content_type = "text/javascript",
          .hash = "a1",
          .plain = "plain",
          .gzip = "gz",
          .brotli = "br"},
    Asset{.path = "index.html",
          .content_type = "text/html; charset=utf-8",
          .hash = "b2",
          .plain = "<html>",
          .gzip = "gzipped",
          .brotli = "brotlied"},
};

struct AppTest : ::testing::Test {
    using Headers = std::vector<http::Request::Header>;

    static http::Reply get(const App& app, std::string_view path, const Headers& headers = {}) {
        http::Request request;
        request.method = http::Method::get;
        request.path = path;
        request.headers = headers;
        return app.answer(request);
    }
    [[nodiscard]] http::Reply get(std::string_view path, const Headers& headers = {}) const {
        return get(app, path, headers);
    }

    App app{files};
    Headers browser{{"Accept", "text/html,application/xhtml+xml,*/*;q=0.8"}};
};

TEST_F(AppTest, KeepsHashedFilesForEver) {
    const auto reply = get("/app/assets/index-1.js");
    EXPECT_EQ(reply.content(), "plain");
    EXPECT_EQ(reply.content_type, "text/javascript");
    EXPECT_THAT(reply.headers, HasSubstr("Cache-Control: public, max-age=31536000, immutable\r\n"));
}

TEST_F(AppTest, AsksForItsPageEachTime) {
    const auto reply = get("/app/", browser);
    EXPECT_EQ(reply.content(), "<html>");
    EXPECT_THAT(reply.headers, HasSubstr("Cache-Control: no-cache\r\n"));
    EXPECT_THAT(reply.headers, HasSubstr("ETag: \"b2\"\r\n"));
    EXPECT_EQ(get("/app/", {{"If-None-Match", "\"b2\""}}).status, 304);
    EXPECT_EQ(get("/app/", {{"If-None-Match", "W/\"b2\""}}).status, 304);
    EXPECT_EQ(get("/app/", {{"If-None-Match", "\"b3\""}}).status, 200);
}

TEST_F(AppTest, SendsTheSmallestFormThatIsTaken) {
    const auto get_as = [this](std::string_view codings) {
        return get("/app/assets/index-1.js", {{"Accept-Encoding", codings}});
    };
    EXPECT_EQ(get_as("gzip, deflate, br").content(), "br");
    EXPECT_THAT(get_as("br").headers, HasSubstr("ETag: \"a1br\"\r\n"));
    EXPECT_EQ(get_as("GZIP").content(), "gz");
    EXPECT_EQ(get_as("br;q=0, gzip;q=0.5").content(), "gz");
    EXPECT_EQ(get_as("identity").content(), "plain");
    EXPECT_THAT(get_as("identity").headers, Not(HasSubstr("Content-Encoding")));
    EXPECT_THAT(get_as("identity").headers, HasSubstr("Vary: Accept-Encoding\r\n"));
    EXPECT_THAT(get("/app/assets/font-1.woff2").headers, Not(HasSubstr("Vary")));
}

TEST_F(AppTest, AnswersItsPagesToBrowsersAlone) {
    EXPECT_EQ(get("/app/messages/1", browser).content(), "<html>");
    EXPECT_EQ(get("/app/messages/1", {{"Accept", "*/*"}}).status, 404);
    EXPECT_EQ(get("/app/messages/1").status, 404);
    EXPECT_EQ(get("/app/assets/index-2.js", browser).status, 404);
    EXPECT_EQ(get("/app/../index.html").status, 404);
}

TEST_F(AppTest, LetsNothingElseRunOrFrameIt) {
    for (const auto* const path : {"/app/", "/app/assets/index-1.js", "/app/nothing"}) {
        const auto reply = get(path);
        EXPECT_THAT(reply.headers, HasSubstr("default-src 'none'; script-src 'self'"));
        EXPECT_THAT(reply.headers, HasSubstr("frame-ancestors 'none'"));
        EXPECT_THAT(reply.headers, Not(HasSubstr("unsafe")));
        EXPECT_THAT(reply.headers, HasSubstr("Referrer-Policy: same-origin\r\n"));
    }
}

TEST_F(AppTest, SaysWhatIsMissingWithoutIt) {
    const App empty{{}};
    const auto reply = get(empty, "/app/", browser);
    EXPECT_EQ(reply.status, 404);
    EXPECT_THAT(std::string{reply.content()}, HasSubstr("Node 20.19"));
}

TEST_F(AppTest, LeadsToIt) {
    http::Router router;
    app.add_routes(router);
    for (const auto* const path : {"/", "/app", "/app/", "/app/devices"}) {
        EXPECT_NE(router.find(http::Method::get, path).handler, nullptr) << path;
        EXPECT_EQ(router.find(http::Method::post, path).status, 405) << path;
    }
}

TEST(AssetsTest, AreSortedAndTyped) {
    EXPECT_TRUE(std::ranges::is_sorted(assets(), {}, &Asset::path));
    for (const auto& asset : assets()) {
        EXPECT_FALSE(asset.plain.empty()) << asset.path;
        EXPECT_NE(asset.content_type, "application/octet-stream") << asset.path;
        EXPECT_EQ(asset.hash.size(), 32U) << asset.path;
    }
}

}  // namespace
}  // namespace merpati::web
