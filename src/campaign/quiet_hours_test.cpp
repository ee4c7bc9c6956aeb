#include "campaign/quiet_hours.hpp"

#include <gtest/gtest.h>

namespace merpati::campaign {
namespace {

using namespace std::chrono_literals;

Timestamp at(std::string_view time) {
    return parse_rfc3339(time).value();
}

TimeZone zone(std::string_view name) {
    return TimeZone::find(name).value();
}

constexpr model::QuietHours night{.from = 20h, .to = 8h};

TEST(TimeZoneTest, ZonesAreFoundByTheirIanaNames) {
    EXPECT_TRUE(TimeZone::find("Asia/Jakarta"));
    EXPECT_TRUE(TimeZone::find("UTC"));
    for (const auto* name : {"", "Asia/Nowhere", "asia", "../etc/passwd", "/etc/localtime"}) {
        const auto found = TimeZone::find(name);
        ASSERT_FALSE(found) << name;
        EXPECT_EQ(found.error().code, ErrorCode::invalid_argument) << name;
    }
}

TEST(TimeZoneTest, ALocalTimeIsTheMomentInWhichTheZonesClockShowsIt) {
    const auto jakarta = zone("Asia/Jakarta");
    const auto noon = at("2026-11-25T12:00:00+07:00");
    EXPECT_EQ(jakarta.instant_of(jakarta.local_of(noon)), noon);
    EXPECT_EQ(jakarta.local_of(noon).time_since_epoch() % 24h, 12h);
}

TEST(TimeZoneTest, ATimeThatTheClockShowsTwiceHasTwoMoments) {
    const auto berlin = zone("Europe/Berlin");  // Set back at 03:00 on 25 October 2026.
    const auto shown = berlin.local_of(at("2026-10-25T02:30:00+02:00"));
    EXPECT_EQ(berlin.local_of(at("2026-10-25T02:30:00+01:00")), shown);
    EXPECT_EQ(berlin.instant_of(shown), at("2026-10-25T02:30:00+02:00"));
    EXPECT_EQ(berlin.instant_of(shown, TimeZone::Twice::last), at("2026-10-25T02:30:00+01:00"));
}

TEST(TimeZoneTest, ATimeThatTheClockLeavesOutIsTheMomentInWhichItIsSetForward) {
    const auto berlin = zone("Europe/Berlin");  // Set forward at 02:00 on 29 March 2026.
    const auto before = berlin.local_of(at("2026-03-29T01:00:00+01:00"));
    EXPECT_EQ(berlin.instant_of(before + 90min), at("2026-03-29T03:00:00+02:00"));
}

TEST(QuietHoursTest, TheyLastPastMidnightAndEndWithTheirLastMinute) {
    const auto jakarta = zone("Asia/Jakarta");
    const auto end = at("2026-11-26T08:00:00+07:00");
    EXPECT_EQ(quiet_until(night, jakarta, at("2026-11-25T19:59:59.999+07:00")), std::nullopt);
    EXPECT_EQ(quiet_until(night, jakarta, at("2026-11-25T20:00:00+07:00")), end);
    EXPECT_EQ(quiet_until(night, jakarta, at("2026-11-26T03:00:00+07:00")), end);
    EXPECT_EQ(quiet_until(night, jakarta, at("2026-11-26T07:59:59.999+07:00")), end);
    EXPECT_EQ(quiet_until(night, jakarta, end), std::nullopt);
}

TEST(QuietHoursTest, TheyMayBeAPartOfOneDay) {
    const auto jakarta = zone("Asia/Jakarta");
    const model::QuietHours noon{.from = 12h, .to = 13h + 30min};
    EXPECT_EQ(quiet_until(noon, jakarta, at("2026-11-25T12:10:00+07:00")),
              at("2026-11-25T13:30:00+07:00"));
    EXPECT_EQ(quiet_until(noon, jakarta, at("2026-11-25T14:00:00+07:00")), std::nullopt);
}

TEST(QuietHoursTest, WithTheSameEndsNothingIsQuiet) {
    EXPECT_EQ(quiet_time({.from = 8h, .to = 8h}, zone("UTC"), at("2026-11-25T08:00:00Z")),
              std::nullopt);
}

TEST(QuietHoursTest, TheNextQuietTimeIsKnownBefore) {
    EXPECT_EQ(quiet_time(night, zone("Asia/Jakarta"), at("2026-11-25T12:00:00+07:00")),
              (QuietTime{.from = at("2026-11-25T20:00:00+07:00"),
                         .until = at("2026-11-26T08:00:00+07:00")}));
}

TEST(QuietHoursTest, ANightInWhichTheClockIsSetIsAnHourLongerOrShorter) {
    const auto berlin = zone("Europe/Berlin");
    const auto autumn = quiet_time(night, berlin, at("2026-10-25T00:00:00+02:00"));
    ASSERT_TRUE(autumn);
    EXPECT_EQ(autumn->until - autumn->from, 13h);
    const auto spring = quiet_time(night, berlin, at("2026-03-29T00:00:00+01:00"));
    ASSERT_TRUE(spring);
    EXPECT_EQ(spring->until - spring->from, 11h);
}

TEST(QuietHoursTest, AnEndThatTheClockShowsTwiceIsTheLastOfThem) {
    const auto berlin = zone("Europe/Berlin");
    const model::QuietHours hours{.from = 22h, .to = 2h + 30min};
    const auto end = at("2026-10-25T02:30:00+01:00");
    EXPECT_EQ(quiet_until(hours, berlin, at("2026-10-25T02:45:00+02:00")), end);
    EXPECT_EQ(quiet_until(hours, berlin, at("2026-10-25T02:15:00+01:00")), end);
    EXPECT_EQ(quiet_until(hours, berlin, end), std::nullopt);
}

TEST(QuietHoursTest, OnesThatTheClockLeavesOutAreNone) {
    const auto berlin = zone("Europe/Berlin");
    const model::QuietHours hours{.from = 2h, .to = 3h};
    EXPECT_EQ(quiet_until(hours, berlin, at("2026-03-29T03:00:00+02:00")), std::nullopt);
    EXPECT_EQ(quiet_time(hours, berlin, at("2026-03-29T00:30:00+01:00"))->from,
              at("2026-03-30T02:00:00+02:00"));
}

}  // namespace
}  // namespace merpati::campaign
