#include "base/http_date.hpp"

#include <gtest/gtest.h>

namespace merpati {
namespace {

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
}  // namespace merpati
