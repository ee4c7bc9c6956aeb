#include "telemetry/log.hpp"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/manual_clock.hpp"

namespace merpati::telemetry {
namespace {

struct LogTest : ::testing::Test {
    testing::ManualClock clock;

    static std::string captured(const auto& act) {
        ::testing::internal::CaptureStderr();
        act();
        return ::testing::internal::GetCapturedStderr();
    }
};

TEST_F(LogTest, WritesALineForPeople) {
    const Log log{clock, Level::info, Format::text};
    EXPECT_EQ(captured([&] { log.in("store").info("committed", {{"rows", 3}, {"to", "a b"}}); }),
              "2026-11-20T10:00:00.000Z INFO store: committed rows=3 to=\"a b\"\n");
}

TEST_F(LogTest, WritesAnObjectForPrograms) {
    const Log log{clock, Level::info, Format::json};
    EXPECT_EQ(captured([&] { log.warn("x", {{"rows", 3}, {"why", "\"y\""}}); }),
              "{\"time\":\"2026-11-20T10:00:00.000Z\",\"level\":\"warn\",\"room\":\"merpati\","
              "\"message\":\"x\",\"rows\":3,\"why\":\"\\\"y\\\"\"}\n");
}

TEST_F(LogTest, WritesTheLeastAndTheGreatestNumber) {
    const Log log{clock, Level::info, Format::text};
    EXPECT_THAT(captured([&] {
                    log.info("x", {{"least", std::numeric_limits<std::int64_t>::min()},
                                   {"greatest", std::numeric_limits<std::uint64_t>::max()}});
                }),
                ::testing::HasSubstr("least=-9223372036854775808 greatest=18446744073709551615\n"));
}

TEST_F(LogTest, NoValueBeginsALineOfItsOwn) {
    const Log log{clock, Level::info, Format::text};
    const auto text = captured([&] { log.info("x", {{"evil", "a\n2026 ERROR forged"}}); });
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
}

TEST_F(LogTest, LeavesOutWhatIsBelowItsLevel) {
    const Log log{clock, Level::warn, Format::text};
    EXPECT_EQ(captured([&] { log.info("quiet"); }), "");
}

TEST_F(LogTest, ALineThatComesAgainAndAgainIsCountedInstead) {
    const Log log{clock, Level::info, Format::text};
    const auto flood = captured([&] {
        for (int number = 0; number < 1000; ++number) {
            log.in("http").warn("broken", {{"number", number}});
        }
        log.tell_left_out();
    });
    EXPECT_EQ(std::count(flood.begin(), flood.end(), '\n'), 20);
    EXPECT_EQ(
        captured([&] {
            clock.advance(std::chrono::minutes{1});
            log.tell_left_out();
            log.tell_left_out();
        }),
        "2026-11-20T10:01:00.000Z WARN http: left out repeated lines line=broken count=980\n");
}

TEST_F(LogTest, TheNextLineTellsWhatWasLeftOutBeforeIt) {
    const Log log{clock, Level::info, Format::text};
    const auto text = captured([&] {
        for (int number = 0; number < 30; ++number) {
            log.error("broken");
        }
        clock.advance(std::chrono::minutes{1});
        log.info("next");
    });
    EXPECT_NE(text.find("ERROR merpati: left out repeated lines line=broken count=10\n"
                        "2026-11-20T10:01:00.000Z INFO merpati: next\n"),
              std::string::npos)
        << text;
}

TEST_F(LogTest, WhoAsksForDebugLinesGetsThemAll) {
    const Log log{clock, Level::debug, Format::text};
    const auto text = captured([&] {
        for (int number = 0; number < 30; ++number) {
            log.debug("step");
        }
    });
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 30);
}

TEST(MaskNumberTest, ShowsTooLittleToWriteTo) {
    EXPECT_EQ(mask_number("6281234567890"), "62812***7890");
    EXPECT_EQ(mask_number("6281"), "***");
}

}  // namespace
}  // namespace merpati::telemetry
