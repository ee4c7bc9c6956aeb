#include "connector/process/program/output_log.hpp"

#include <chrono>
#include <functional>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/manual_clock.hpp"

namespace merpati::connector::process {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

struct LineLimitTest : ::testing::Test {
    static std::string logged_by(const std::function<void()>& act) {
        ::testing::internal::CaptureStderr();
        act();
        return ::testing::internal::GetCapturedStderr();
    }
    /// `count` different lines, because the log itself leaves out repeated ones.
    void flood(std::size_t count) {
        for (std::size_t line = 0; line < count; ++line) {
            limit.log(telemetry::Level::info, fmt::format("line {}", line));
        }
    }

    testing::ManualClock clock;
    LineLimit limit{clock, telemetry::Log{clock, telemetry::Level::info, telemetry::Format::text}};
};

TEST_F(LineLimitTest, TheLinesLeftOutAreCountedThoughNoOtherFollows) {
    const auto flooded = logged_by([&] { flood(LineLimit::lines_max + 7); });
    EXPECT_THAT(flooded, HasSubstr("line 199"));
    EXPECT_THAT(flooded, Not(HasSubstr("line 200")));
    EXPECT_EQ(logged_by([&] { limit.tell_left_out(); }), "") << "more may follow";
    clock.advance(LineLimit::period);
    EXPECT_THAT(logged_by([&] { limit.tell_left_out(); }), HasSubstr("count=7"));
    EXPECT_EQ(logged_by([&] { limit.tell_left_out(); }), "");
}

TEST_F(LineLimitTest, TheNextLineBeginsAPeriodOfItsOwn) {
    (void)logged_by([&] { flood(LineLimit::lines_max + 7); });
    clock.advance(LineLimit::period);
    const auto next = logged_by([&] { flood(LineLimit::lines_max); });
    EXPECT_THAT(next, HasSubstr("count=7"));
    EXPECT_THAT(next, HasSubstr("line 199"));
}

}  // namespace
}  // namespace merpati::connector::process
