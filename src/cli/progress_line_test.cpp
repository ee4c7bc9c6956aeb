#include "cli/progress_line.hpp"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/manual_clock.hpp"

namespace merpati::cli::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::EndsWith;
using ::testing::IsEmpty;

struct ProgressLineTest : ::testing::Test {
    merpati::testing::ManualClock clock;
    std::ostringstream out;
    std::ostringstream err;
    Console console{.out = out, .err = err, .environment = {}};
};

TEST_F(ProgressLineTest, WithoutATerminalNothingIsDrawn) {
    ProgressLine line{console};
    line.draw(0.5, "half", clock.steady_now());
    line.draw_now(1, "all");
    line.end();
    EXPECT_THAT(out.str(), IsEmpty());
}

TEST_F(ProgressLineTest, ALineIsDrawnAtMostSoOftenAndNeverTwiceAlike) {
    console.columns = 40;
    ProgressLine line{console};
    line.draw(0.25, "1 of 4", clock.steady_now());
    const auto first = out.str();
    EXPECT_EQ(first, "\r\x1b[K[###..........]  25%  1 of 4");
    line.draw(0.5, "2 of 4", clock.steady_now());
    EXPECT_EQ(out.str(), first);
    clock.advance(ProgressLine::draw_every);
    line.draw(0.25, "1 of 4", clock.steady_now());
    EXPECT_EQ(out.str(), first);
    line.draw_now(0.5, "2 of 4");
    EXPECT_THAT(out.str(), EndsWith("[######.......]  50%  2 of 4"));
}

TEST_F(ProgressLineTest, NothingIsErasedThatWasNotDrawn) {
    console.columns = 40;
    ProgressLine line{console};
    line.end();
    EXPECT_THAT(out.str(), IsEmpty());
    line.draw_now(std::nullopt, "text");
    line.end();
    EXPECT_THAT(out.str(), EndsWith("\r\x1b[K"));
}

TEST(ProgressText, FitsTheTerminalAndDoesNotCommandIt) {
    EXPECT_EQ(progress_text(std::nullopt, "a\x1b[2Jb", 80), "a?[2Jb");
    EXPECT_EQ(progress_text(std::nullopt, "äöü", 3), "äö");
    EXPECT_EQ(progress_text(0.5, "text", 12), "[##..]  50%");
    EXPECT_EQ(progress_text(2.0, "", 12), "[####] 100%");
    EXPECT_EQ(progress_text(0.999, "", 12), "[###.]  99%");
    EXPECT_EQ(progress_text(0.29, "", 12), "[#...]  29%");
    EXPECT_THAT(progress_text(0.5, "text", 0), IsEmpty());
}

TEST(About, NamesTheTwoLargestUnits) {
    EXPECT_EQ(about(-5s), "0 s");
    EXPECT_EQ(about(59s), "59 s");
    EXPECT_EQ(about(60s), "1 min");
    EXPECT_EQ(about(59min + 40s), "1 h 0 min");
    EXPECT_EQ(about(3h + 20min), "3 h 20 min");
    EXPECT_EQ(about(52h), "2 d 4 h");
}

TEST(BytesText, HasOneDigitAfterThePoint) {
    EXPECT_EQ(bytes_text(999), "999 B");
    EXPECT_EQ(bytes_text(1'500), "1.5 kB");
    EXPECT_EQ(bytes_text(2'000'000'000'000'000), "2000.0 TB");
}

}  // namespace
}  // namespace merpati::cli::testing
