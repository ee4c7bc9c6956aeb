#include "base/clock.hpp"

#include <gtest/gtest.h>

namespace merpati {
namespace {

TEST(ClockTest, PrintsAndReadsTheSameMoment) {
    const auto time = from_unix_millis(1'795'168'800'123);
    EXPECT_EQ(to_rfc3339(time), "2026-11-20T10:00:00.123Z");
    EXPECT_EQ(parse_rfc3339("2026-11-20T10:00:00.123Z").value(), time);
    for (const auto* text : {"0001-01-01T00:00:00.000Z", "1969-12-31T23:59:59.999Z",
                             "2024-02-29T23:59:59.009Z", "9999-12-31T23:59:59.999Z"}) {
        EXPECT_EQ(to_rfc3339(parse_rfc3339(text).value()), text);
    }
}

TEST(ClockTest, ReadsOffsetsAndShortForms) {
    EXPECT_EQ(parse_rfc3339("2026-11-20T17:00:00+07:00").value(),
              from_unix_millis(1'795'168'800'000));
    EXPECT_EQ(parse_rfc3339("2026-11-20T09:30:00.5-00:30").value(),
              from_unix_millis(1'795'168'800'500));
}

TEST(ClockTest, RefusesWhatIsNotATime) {
    for (const auto* text : {"", "2026-11-20", "2026-13-20T10:00:00Z", "2026-02-30T10:00:00Z",
                             "2026-11-20T24:00:00Z", "2026-11-20T10:00:00", "2026-11-20T10:00:00Zx",
                             "2026-11-20T10:00:00.Z", "-026-11-20T10:00:00Z"}) {
        EXPECT_FALSE(parse_rfc3339(text)) << text;
    }
}

}  // namespace
}  // namespace merpati
