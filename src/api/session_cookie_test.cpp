#include "api/session_cookie.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace merpati::api {
namespace {

using Headers = std::vector<http::Request::Header>;

std::optional<std::string_view> token_of(std::string_view cookies, bool is_secure) {
    static Headers headers;
    headers = {{"Cookie", cookies}};
    http::Request request;
    request.headers = headers;
    return session_token(request, is_secure);
}

bool is_own(const Headers& headers) {
    http::Request request;
    request.headers = headers;
    return is_own_request(request);
}

TEST(SessionCookieTest, IsFoundAmongOthers) {
    EXPECT_EQ(token_of("a=1; merpati_session=abc; b=2", false), "abc");
    EXPECT_EQ(token_of("merpati_session=abc", false), "abc");
    EXPECT_EQ(token_of("a=1;__Host-merpati_session=abc", true), "abc");
    EXPECT_EQ(token_of("merpati_session=first; merpati_session=second", false), "first");
    EXPECT_EQ(token_of("", false), std::nullopt);
    EXPECT_EQ(token_of("merpati_session", false), std::nullopt);
    EXPECT_EQ(token_of("x_merpati_session=abc; merpati_sessions=abc", false), std::nullopt);
    EXPECT_EQ(token_of(";;; ;", false), std::nullopt);
}

// Session fixation: a cookie that was set over plain http must not work over https.
TEST(SessionCookieTest, TheTwoKindsAreNeverMixed) {
    EXPECT_EQ(token_of("merpati_session=abc", true), std::nullopt);
    EXPECT_EQ(token_of("__Host-merpati_session=abc", false), std::nullopt);
}

TEST(SessionCookieTest, IsGivenToTheServerAlone) {
    EXPECT_EQ(set_cookie("abc", true, std::chrono::seconds{60}),
              "Set-Cookie: __Host-merpati_session=abc; Path=/; Max-Age=60; HttpOnly; "
              "SameSite=Lax; Secure\r\n");
    EXPECT_EQ(clear_cookie(false),
              "Set-Cookie: merpati_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax\r\n");
}

TEST(SessionCookieTest, AnotherSitesRequestIsTold) {
    EXPECT_TRUE(is_own({{"X-Merpati-Request", "1"}}));
    EXPECT_TRUE(is_own({{"x-merpati-request", "1"}, {"Sec-Fetch-Site", "same-origin"}}));
    EXPECT_TRUE(is_own({{"X-Merpati-Request", "1"}, {"Sec-Fetch-Site", "none"}}));
    EXPECT_FALSE(is_own({}));
    EXPECT_FALSE(is_own({{"X-Merpati-Request", "0"}}));
    EXPECT_FALSE(is_own({{"Sec-Fetch-Site", "same-origin"}}));
    EXPECT_FALSE(is_own({{"X-Merpati-Request", "1"}, {"Sec-Fetch-Site", "cross-site"}}));
    EXPECT_FALSE(is_own({{"X-Merpati-Request", "1"}, {"Sec-Fetch-Site", "same-site"}}));
}

// Otherwise all clients behind the proxy would share one limit on failed sign-ins.
TEST(SessionCookieTest, TheProxyOfThisMachineSaysWhereTheClientIs) {
    const auto client = [](const AppAddress& app, bool from_loopback, std::string_view forwarded) {
        const Headers headers{{"X-Forwarded-For", forwarded}};
        http::Request request;
        request.headers = headers;
        request.from_loopback = from_loopback;
        return app.client(request).text();
    };
    const AppAddress proxied{.is_https = true};
    EXPECT_EQ(client(proxied, true, "198.51.100.9, 203.0.113.7"), "203.0.113.7");
    EXPECT_EQ(client(proxied, true, "2001:db8:1:2::5"), "2001:db8:1:2::/64");
    EXPECT_EQ(client(proxied, true, "::ffff:203.0.113.7"), "203.0.113.7");
    EXPECT_EQ(client(proxied, true, "203.0.113.7:4711"), "203.0.113.7");
    EXPECT_EQ(client(proxied, true, "[2001:db8:1:2::5]:4711"), "2001:db8:1:2::/64");
    EXPECT_EQ(client(proxied, true, "unknown"), "local");
    EXPECT_EQ(client(proxied, true, std::string(100, '1')), "local");
    EXPECT_EQ(client(proxied, false, "203.0.113.7"), "local");
    EXPECT_EQ(client(AppAddress{}, true, "203.0.113.7"), "local");
}

TEST(SessionCookieTest, AnAddressThatCannotBeReadIsTold) {
    const auto unreadable = [](const AppAddress& app, bool from_loopback,
                               std::string_view forwarded) {
        const Headers headers{{"X-Forwarded-For", forwarded}};
        http::Request request;
        request.headers = headers;
        request.from_loopback = from_loopback;
        return app.unreadable(request);
    };
    const AppAddress proxied{.is_https = true};
    EXPECT_EQ(unreadable(proxied, true, "203.0.113.7, unknown"), " unknown");
    EXPECT_EQ(unreadable(proxied, true, "unknown, 203.0.113.7"), std::nullopt);
    EXPECT_EQ(unreadable(proxied, true, ""), std::nullopt);
    EXPECT_EQ(unreadable(proxied, false, "unknown"), std::nullopt);
    EXPECT_EQ(unreadable(AppAddress{}, true, "unknown"), std::nullopt);
}

// Some proxies add a header of their own after the one that the client sent.
TEST(SessionCookieTest, OfSeveralLinesTheProxysIsTheLast) {
    const Headers headers{{"X-Forwarded-For", "198.51.100.9"},
                          {"Host", "merpati.example"},
                          {"x-forwarded-for", "203.0.113.7"}};
    http::Request request;
    request.headers = headers;
    request.from_loopback = true;
    EXPECT_EQ(AppAddress{.is_https = true}.client(request).text(), "203.0.113.7");
}

TEST(SessionCookieTest, SignsInOverTlsOrWithinTheMachine) {
    http::Request outside;
    http::Request inside;
    inside.from_loopback = true;
    http::Request encrypted;
    encrypted.is_encrypted = true;
    const AppAddress unset;
    EXPECT_FALSE(unset.may_sign_in(outside));
    EXPECT_TRUE(unset.may_sign_in(inside));
    EXPECT_FALSE(unset.is_secure(inside));
    EXPECT_TRUE(unset.is_secure(encrypted));
    EXPECT_TRUE(AppAddress{.is_https = true}.is_secure(outside));
    // The open port behind a proxy: who comes by it directly would send the password in clear.
    EXPECT_FALSE(AppAddress{.is_https = true}.may_sign_in(outside));
    EXPECT_TRUE(AppAddress{.is_https = true}.may_sign_in(inside));
    const Headers by_tls{{"X-Forwarded-Proto", "https"}};
    http::Request proxied = outside;
    proxied.headers = by_tls;
    EXPECT_TRUE(AppAddress{.is_https = true}.may_sign_in(proxied));
    EXPECT_FALSE(unset.may_sign_in(proxied));
    const Headers in_clear{{"X-Forwarded-Proto", "http"}};
    proxied.headers = in_clear;
    EXPECT_FALSE(AppAddress{.is_https = true}.may_sign_in(proxied));
    EXPECT_TRUE(AppAddress{.is_http = true}.may_sign_in(outside));
    EXPECT_FALSE(AppAddress{.is_http = true}.is_secure(outside));
}

}  // namespace
}  // namespace merpati::api
