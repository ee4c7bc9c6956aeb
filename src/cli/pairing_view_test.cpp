#include "cli/pairing_view.hpp"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace merpati::cli {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr Timestamp now{1'800'000'000'000ms};

struct PairingViewTest : ::testing::Test {
    std::string printed() {
        auto text = out.str();
        out.str("");
        return text;
    }
    std::string show(const ShownStep& step) {
        view.show(step, now);
        return printed();
    }
    std::string tick(Timestamp at) {
        view.tick(at);
        return printed();
    }

    std::ostringstream out;
    std::ostringstream err;
    Console console{.out = out, .err = err, .environment = {}, .columns = 80};
    PairingView view{console, "6281100000001"};
    const ShownStep qr{.method = "qr", .payload = "2@secret,key", .expires_at = now + 20s};
};

TEST_F(PairingViewTest, ATerminalIsShownTheCodeAndHowToComeBack) {
    EXPECT_THAT(show(qr), AllOf(HasSubstr("█"), HasSubstr("merpati device pair 6281100000001"),
                                Not(HasSubstr("2@secret")), HasSubstr("Valid for 20 s more.")));
}

TEST_F(PairingViewTest, TheTimeThatIsLeftCountsDownInItsLine) {
    (void)show(qr);
    EXPECT_EQ(tick(now), "");
    EXPECT_EQ(tick(now + 1s), "\r\x1b[KValid for 19 s more.");
    EXPECT_EQ(tick(now + 20s), "\r\x1b[KExpired; the next one is being asked for.");
}

TEST_F(PairingViewTest, TheNextStepReplacesTheOneBefore) {
    (void)show(qr);
    // 15 lines for 29 rows of modules, the instruction, two empty lines, and how to resume.
    EXPECT_THAT(show({.method = "qr", .payload = "2@next,key", .expires_at = now + 40s}),
                StartsWith("\r\x1b[19A\x1b[J"));
}

TEST_F(PairingViewTest, NothingIsLeftAtTheEnd) {
    (void)show(qr);
    view.end();
    EXPECT_EQ(printed(), "\r\x1b[19A\x1b[J");
    EXPECT_EQ(tick(now + 5s), "");
}

TEST_F(PairingViewTest, ACodeIsShownInTwoGroups) {
    EXPECT_THAT(show({.method = "code", .payload = "ABCDEFGH", .expires_at = now + 60s}),
                HasSubstr("\n  ABCD-EFGH\n"));
}

TEST_F(PairingViewTest, ANarrowTerminalIsToldSoAndShownTheText) {
    console.columns = 28;
    EXPECT_THAT(show(qr),
                AllOf(HasSubstr("28 columns"), HasSubstr("2@secret,key"), Not(HasSubstr("█"))));
}

TEST_F(PairingViewTest, OutsideATerminalAStepIsText) {
    console.columns = 0;
    EXPECT_THAT(show(qr), AllOf(HasSubstr("\n  2@secret,key\n"), HasSubstr("until 2027-01-15"),
                                Not(HasSubstr("\x1b"))));
    EXPECT_EQ(tick(now + 5s), "");
}

TEST_F(PairingViewTest, WhatAPlatformSaysCannotSteerTheTerminal) {
    const ShownStep asked{.method = "otp", .payload = "type\x1b[2Jthis", .expires_at = now + 60s};
    EXPECT_THAT(show(asked), Not(HasSubstr("\x1b[2J")));
    EXPECT_EQ(tick(now + 1s), "");  // The person types the answer where a countdown would be.
}

}  // namespace
}  // namespace merpati::cli
