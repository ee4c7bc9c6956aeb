#include "media/redirects.hpp"

#include <gtest/gtest.h>

#include "media/host_fixture.hpp"

namespace merpati::media {
namespace {

struct NextHop : ::testing::Test {
    [[nodiscard]] std::string from(const std::string& base, const std::string& location) const {
        const auto next = next_hop(outbound::Url::parse(base).value(), location, policy);
        return next ? next->origin() + next->target : "refused";
    }
    outbound::AddressPolicy policy{{}};
};

TEST_F(NextHop, ResolvesRelativeLocations) {
    const auto* base = "https://a.example.org/x/y?q";
    EXPECT_EQ(from(base, "https://b.example.org/z"), "https://b.example.org/z");
    EXPECT_EQ(from(base, "/z?r"), "https://a.example.org/z?r");
    EXPECT_EQ(from(base, "z"), "https://a.example.org/x/z");
    EXPECT_EQ(from(base, "../z#part"), "https://a.example.org/z");
    EXPECT_EQ(from(base, "?r"), "https://a.example.org/x/y?r");
    EXPECT_EQ(from(base, "//b.example.org/z"), "https://b.example.org/z");
}

TEST_F(NextHop, EncodesWhatServersForgetToEncode) {
    EXPECT_EQ(from("http://a.example.org/", "/foto saya \xC3\xA9.png"),
              "http://a.example.org/foto%20saya%20%C3%A9.png");
    EXPECT_EQ(from("http://a.example.org/", "http://b\xC3\xA9.example.org/"), "refused");
}

TEST_F(NextHop, IsAUrlThatACallerCouldHaveGiven) {
    for (const auto* location :
         {"http://127.0.0.1/", "http://169.254.169.254/latest/meta-data/",
          "http://[fd00:ec2::254]/", "http://[::1]/", "http://[::ffff:10.0.0.1]/",
          "http://2130706433/", "http://0x7f.1/", "http://localhost/", "http://printer.local/",
          "http://metadata.google.internal/", "http://user:pass@b.example.org/",
          "ftp://b.example.org/", "file:///etc/passwd", "javascript:alert(1)", "//", "http://",
          "http:", "http://b.example.org:99999/", "http://b.example.org/\r\nX: y"}) {
        EXPECT_EQ(from("http://a.example.org/", location), "refused") << location;
    }
    EXPECT_EQ(from("http://a.example.org/", "/" + std::string(3'000, 'x')), "refused");
}

TEST_F(NextHop, NeverLeadsFromHttpsToHttp) {
    EXPECT_EQ(from("https://a.example.org/", "http://a.example.org/"), "refused");
    EXPECT_EQ(from("http://a.example.org/", "https://a.example.org/"), "https://a.example.org/");
}

struct FollowerTest : HostTest {
    Result<Followed> follow(const std::string& text, std::chrono::milliseconds timeout) {
        outbound::Request request;
        request.method = "GET";
        request.url = outbound::Url::parse(text).value();
        request.timeout = timeout;
        std::optional<Result<Followed>> result;
        follower.send(std::move(request), [&](Result<Followed> got) { result = std::move(got); });
        run_until([&] { return result.has_value(); });
        return std::move(*result);
    }

    RedirectFollower follower{clock, policy, client};
};

TEST_F(FollowerTest, FollowsThreeRedirectsAndNoMore) {
    serve("/1", redirect("/2"));
    serve("/2", redirect(url("/3", "other.test")));
    serve("/3", redirect("/4"));
    serve("/4", answer("200 OK", "", "hai"));
    serve("/0", redirect("/1"));
    const auto followed = follow(url("/1"), std::chrono::seconds{5});
    ASSERT_TRUE(followed);
    EXPECT_EQ(followed->response.body, "hai");
    EXPECT_EQ(followed->url.origin() + followed->url.target, url("/4", "other.test"));
    const auto refused = follow(url("/0"), std::chrono::seconds{5});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::refused);
}

TEST_F(FollowerTest, EndsALoop) {
    serve("/a", redirect("/b"));
    serve("/b", redirect("/a"));
    EXPECT_FALSE(follow(url("/a"), std::chrono::seconds{5}));
    EXPECT_EQ(heads.size(), 4U);
}

TEST_F(FollowerTest, HasOneDeadlineForAllHops) {
    serve("/a", [this](const std::string&) {
        clock.advance(std::chrono::seconds{3});
        return outbound::ScriptedReply{redirect("/a?" + std::to_string(heads.size()))};
    });
    scripts["/a?1"] = scripts["/a"];
    const auto late = follow(url("/a"), std::chrono::seconds{5});
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().code, ErrorCode::timeout);
}

TEST_F(FollowerTest, HasOneLimitForTheFirstByteOfAllHops) {
    outbound::Request request;
    request.method = "GET";
    request.url = outbound::Url::parse(url("/a")).value();
    request.timeout = std::chrono::minutes{5};
    request.first_byte_timeout = std::chrono::seconds{5};
    serve("/a", [this](const std::string&) {
        clock.advance(std::chrono::seconds{3});
        return outbound::ScriptedReply{redirect("/b")};
    });
    serve("/b", [](const std::string&) {
        return outbound::ScriptedReply{.again = "x", .pause = std::chrono::hours{1}};
    });
    std::optional<Result<Followed>> result;
    follower.send(std::move(request), [&](Result<Followed> got) { result = std::move(got); });
    run_until([&] { return asked("GET /b") == 1; });
    EXPECT_FALSE(result);
    clock.advance(std::chrono::seconds{2});
    run_until([&] { return result.has_value(); });
    EXPECT_EQ(result->error().code, ErrorCode::timeout);
}

TEST_F(FollowerTest, TakesARedirectWithoutALocationAsAnAnswer) {
    serve("/a", answer("302 Found", "", "hai"));
    EXPECT_EQ(follow(url("/a"), std::chrono::seconds{5})->response.status, 302);
}

}  // namespace
}  // namespace merpati::media
