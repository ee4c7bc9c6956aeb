// A start after a crash does not begin with the callbacks that were in flight.
#include "callback/suspects.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "callback/sender_fixture.hpp"

namespace merpati::callback {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

struct SuspectsTest : SenderFixture {
    Options options{.under_way_file = folder.file("under-way")};

    /// The process dies: its attempts are never answered.
    void crash_and_start() {
        core.reset();
        attempts.clear();
        start(options);
    }

    [[nodiscard]] bool attempted(std::size_t place, model::EventId id) const {
        return attempts.at(place).request.headers.contains(id.text());
    }
};

TEST_F(SuspectsTest, OthersGoFirstAndItIsNotLost) {
    start(options);
    const auto suspect = send(7);
    const auto other = commit(8);
    crash_and_start();
    ASSERT_EQ(attempts.size(), 1U);
    EXPECT_TRUE(attempted(0, other.id));
    EXPECT_EQ(core->counts().suspects, 1U);
    pass_time(1900ms);
    EXPECT_EQ(attempts.size(), 1U);
    pass_time(200ms);
    ASSERT_EQ(attempts.size(), 2U);
    EXPECT_TRUE(attempted(1, suspect));
    answer(1, 200);
    EXPECT_EQ(stored(suspect).state, model::CallbackState::delivered);
    EXPECT_EQ(core->counts().suspects, 0U);
}

TEST_F(SuspectsTest, OthersOfTheSameOriginGoFirst) {
    start(options);
    const auto suspect = send(7);
    const auto later = commit(7);
    crash_and_start();
    ASSERT_EQ(attempts.size(), 1U);
    EXPECT_TRUE(attempted(0, later.id));
    answer(0, 200);
    pass_time(2100ms);
    ASSERT_EQ(attempts.size(), 2U);
    EXPECT_TRUE(attempted(1, suspect));
}

TEST_F(SuspectsTest, OneWhoseRowIsDamagedStopsNoStart) {
    start(options);
    const auto suspect = send(7);
    const auto other = commit(8);
    damage("UPDATE callback SET last_status = -5 WHERE id = " + std::to_string(suspect.sequence()));
    crash_and_start();
    ASSERT_EQ(attempts.size(), 1U);
    EXPECT_TRUE(attempted(0, other.id));
    EXPECT_EQ(core->counts().suspects, 0U);
    EXPECT_EQ(store->condition().damages(), 1U);
    crash_and_start();  // Its slot in the file is free.
    EXPECT_EQ(core->counts().suspects, 1U) << "the other one, which was in flight now";
}

TEST_F(SuspectsTest, WaitsTwiceAsLongWithEachCrashThatMeetsIt) {
    start(options);
    const auto suspect = send(7);
    for (const auto wait : {2s, 4s, 8s, 16s}) {
        crash_and_start();
        EXPECT_TRUE(attempts.empty());
        pass_time(wait - 100ms);
        EXPECT_TRUE(attempts.empty());
        pass_time(200ms);
        ASSERT_EQ(attempts.size(), 1U);
        EXPECT_TRUE(attempted(0, suspect));
    }
}

TEST_F(SuspectsTest, ACrashWhileItIsHeldBackCountsNothing) {
    start(options);
    static_cast<void>(send(7));
    crash_and_start();
    crash_and_start();
    pass_time(2100ms);
    EXPECT_EQ(attempts.size(), 1U);
}

TEST_F(SuspectsTest, ThoseThatMetFewerCrashesGoFirst) {
    start(options);
    const auto old = send(7);
    crash_and_start();
    pass_time(2100ms);
    const auto young = send(8);
    crash_and_start();
    pass_time(2100ms);
    ASSERT_EQ(attempts.size(), 1U);
    EXPECT_TRUE(attempted(0, young));
    pass_time(2100ms);
    ASSERT_EQ(attempts.size(), 2U);
    EXPECT_TRUE(attempted(1, old));
}

TEST_F(SuspectsTest, WhatEndedIsNotHeldBack) {
    start(options);
    static_cast<void>(send(7));
    answer(0, 503);
    crash_and_start();
    EXPECT_EQ(core->counts().suspects, 0U);
    pass_time(7s);
    EXPECT_EQ(attempts.size(), 1U);
}

TEST_F(SuspectsTest, OneWhoseResultWasKeptBeforeTheEndIsForgotten) {
    start(options);
    const auto id = send(7);
    std::vector<store::CallbackUpdate> updates(1);
    updates[0].event = id;
    updates[0].progress.state = model::CallbackState::delivered;
    committer.update_callbacks(std::move(updates), [] {});
    ASSERT_TRUE(committer.change_and_wait([](store::Tables&) { return Result<void>{}; }));
    crash_and_start();
    EXPECT_EQ(core->counts().suspects, 0U);
    crash_and_start();
    EXPECT_EQ(core->counts().suspects, 0U);
}

TEST_F(SuspectsTest, AFileThatCannotBeMadeHoldsNothingBackAndIsReported) {
    options.under_way_file = folder.file("missing/under-way");
    std::vector<ErrorCode> errors;
    options.on_file_error = [&errors](const Error& error) { errors.push_back(error.code); };
    start(options);
    EXPECT_EQ(errors, std::vector{ErrorCode::io_failed});
    static_cast<void>(send(7));
    crash_and_start();
    EXPECT_EQ(attempts.size(), 1U);
}

}  // namespace
}  // namespace merpati::callback
