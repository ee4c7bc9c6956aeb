#include "media/freshness.hpp"

#include <gtest/gtest.h>

namespace merpati::media {
namespace {

using namespace std::chrono_literals;

const Timestamp now = parse_rfc3339("2026-11-20T10:00:00Z").value();

Freshness of(std::vector<std::pair<std::string, std::string>> headers) {
    return freshness_of({.status = 200, .headers = std::move(headers)}, now, 10min);
}

TEST(Freshness, IsWhatCacheControlSays) {
    EXPECT_EQ(of({{"cache-control", "public, Max-Age=90"}}).lifetime, 90s);
    EXPECT_EQ(of({{"cache-control", "max-age=\"90\""}, {"age", "30"}}).lifetime, 60s);
    EXPECT_EQ(of({{"cache-control", "max-age=90"}, {"age", "100"}}).lifetime, 0s);
    EXPECT_EQ(of({{"cache-control", "max-age=90, no-cache"}}).lifetime, 0s);
    EXPECT_EQ(of({{"cache-control", "public"}, {"cache-control", "max-age=5"}}).lifetime, 5s);
    EXPECT_EQ(of({{"cache-control", "max-age=soon"}}).lifetime, 0s);
    EXPECT_EQ(of({{"cache-control", "max-age=99999999999999999999"}}).lifetime, 24h);
    EXPECT_EQ(of({{"cache-control", ",,=,"}}).lifetime, 10min);
}

TEST(Freshness, IsElseUntilItExpires) {
    EXPECT_EQ(of({{"expires", "Fri, 20 Nov 2026 10:02:00 GMT"}}).lifetime, 2min);
    EXPECT_EQ(of({{"expires", "Fri, 20 Nov 2026 12:02:00 GMT"},
                  {"date", "Fri, 20 Nov 2026 12:01:00 GMT"}})
                  .lifetime,
              1min);
    EXPECT_EQ(of({{"expires", "0"}}).lifetime, 0s);
    EXPECT_EQ(of({{"expires", "0"}, {"cache-control", "max-age=7"}}).lifetime, 7s);
}

TEST(Freshness, IsElseTenMinutes) {
    EXPECT_EQ(of({}).lifetime, 10min);
}

TEST(Freshness, AsksWithTheEtagOrTheDate) {
    const auto both = of({{"etag", "W/\"a\""}, {"last-modified", "Sun, 06 Nov 1994 08:49:37 GMT"}});
    EXPECT_EQ(both.conditions(), "If-None-Match: W/\"a\"\r\n");
    EXPECT_EQ(of({{"last-modified", "yesterday"}}).conditions(),
              "If-Modified-Since: yesterday\r\n");
    EXPECT_EQ(of({}).conditions(), "");
    EXPECT_EQ(of({{"etag", "\"a\""}, {"cache-control", "no-store"}}).conditions(), "");
    EXPECT_EQ(of({{"etag", "a\r\nX: y"}}).conditions(), "");
    EXPECT_EQ(of({{"etag", std::string(300, 'a')}}).conditions(), "");
}

TEST(HttpDate, HasOneForm) {
    EXPECT_EQ(to_rfc3339(parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT").value()),
              "1994-11-06T08:49:37.000Z");
    for (const auto* text : {"", "0", "-1", "Sun, 06 Nov 1994 08:49:37 UTC",
                             "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
                             "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Nox 1994 08:49:37 GMT",
                             "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, +6 Nov 1994 08:49:37 GMT"}) {
        EXPECT_FALSE(parse_http_date(text)) << text;
    }
}

}  // namespace
}  // namespace merpati::media
