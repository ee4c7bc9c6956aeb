#include "media/freshness.hpp"

#include <gtest/gtest.h>

namespace merpati::media {
namespace {

using namespace std::chrono_literals;

const Timestamp now = parse_rfc3339("2026-11-20T10:00:00Z").value();

Millis of(std::vector<std::pair<std::string, std::string>> headers) {
    return freshness_of({.status = 200, .headers = std::move(headers)}, now, 10min);
}

TEST(Freshness, IsWhatCacheControlSays) {
    EXPECT_EQ(of({{"cache-control", "public, Max-Age=90"}}), 90s);
    EXPECT_EQ(of({{"cache-control", "max-age=\"90\""}, {"age", "30"}}), 60s);
    EXPECT_EQ(of({{"cache-control", "max-age=90"}, {"age", "100"}}), 0s);
    EXPECT_EQ(of({{"cache-control", "max-age=90, no-cache"}}), 0s);
    EXPECT_EQ(of({{"cache-control", "public"}, {"cache-control", "max-age=5"}}), 5s);
    EXPECT_EQ(of({{"cache-control", "max-age=soon"}}), 0s);
    EXPECT_EQ(of({{"cache-control", "max-age=99999999999999999999"}}), 24h);
    EXPECT_EQ(of({{"cache-control", ",,=,"}}), 10min);
}

TEST(Freshness, IsElseUntilItExpires) {
    EXPECT_EQ(of({{"expires", "Fri, 20 Nov 2026 10:02:00 GMT"}}), 2min);
    EXPECT_EQ(of({{"expires", "Fri, 20 Nov 2026 12:02:00 GMT"},
                  {"date", "Fri, 20 Nov 2026 12:01:00 GMT"}}),
              1min);
    EXPECT_EQ(of({{"expires", "0"}}), 0s);
    EXPECT_EQ(of({{"expires", "0"}, {"cache-control", "max-age=7"}}), 7s);
}

TEST(Freshness, IsElseTenMinutes) {
    EXPECT_EQ(of({}), 10min);
}

}  // namespace
}  // namespace merpati::media
