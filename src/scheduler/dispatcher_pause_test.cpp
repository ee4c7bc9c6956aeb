// Messages of a device that a person pauses.
#include "model/texts.hpp"
#include "scheduler/dispatcher_fixture.hpp"

namespace merpati::scheduler {
namespace {

using namespace std::chrono_literals;
using model::DeviceState;
using model::MessageState;
using Kind = model::Outcome::Kind;

struct PauseTest : DispatcherFixture {
    void pause() {
        device.pause = model::Pause{.since = clock.now()};
        post(DeviceChanged{.device = device});
    }
    void resume() {
        device.pause.reset();
        device.resumed_at = queue_clock.now();
        post(DeviceChanged{.device = device});
    }
    void set_state(DeviceState state) {
        device.state = state;
        post(DeviceChanged{.device = device});
    }
};

TEST_F(PauseTest, NothingIsSentUntilItGoesOnAndThenInOrder) {
    start();
    const auto delayed = accept(message(5s));
    pause();
    const auto first = accept(message());
    const auto second = accept(message());
    advance(48h);
    EXPECT_TRUE(connector->sent.empty());
    EXPECT_EQ(dispatcher->counts().messages_in_memory, 0U);
    resume();
    EXPECT_EQ(connector->sent, (std::vector{first, second, delayed}));
}

TEST_F(PauseTest, WhatIsWithThePlatformEndsAsUsual) {
    start();
    const auto sent = accept(message());
    const auto again = accept(message());
    const auto down = accept(message());
    pause();
    report_sent(sent);
    report(again, Kind::retry);
    report(down, Kind::device_down);
    EXPECT_EQ(state(sent), MessageState::sent);
    advance(1h);
    EXPECT_EQ(connector->sent.size(), 3U);
    resume();
    EXPECT_EQ(connector->sent.size(), 5U);
}

TEST_F(PauseTest, ASendThatIsBegunButNotHandedOverWaits) {
    start();
    const auto id = begin_careful_send();
    pause();
    EXPECT_TRUE(connector->sent.empty());
    EXPECT_EQ(state(id), MessageState::pending);
    resume();
    EXPECT_EQ(connector->sent, std::vector{id});
}

TEST_F(PauseTest, ASendThatIsNotHandedOverUsesUpNothingOfThePace) {
    device.pace = {.gap_min = 1h, .per_day_max = 1};
    start();
    const auto id = begin_careful_send();
    pause();
    restart();
    EXPECT_TRUE(connector->sent.empty());
    resume();
    EXPECT_EQ(connector->sent, std::vector{id});
}

TEST_F(PauseTest, ItSurvivesARestart) {
    start();
    pause();
    const auto id = accept(message());
    restart();
    advance(1h);
    EXPECT_TRUE(connector->sent.empty());
    resume();
    EXPECT_EQ(connector->sent, std::vector{id});
}

TEST_F(PauseTest, ADeviceThatIsDownTooLongWhilePausedGetsItsTimeAfterwards) {
    options.give_up = 1h;
    start();
    const auto id = accept(message(1s));
    set_state(DeviceState::disconnected);
    pause();
    advance(5h);
    EXPECT_EQ(state(id), MessageState::pending);
    resume();
    advance(59min);
    EXPECT_EQ(state(id), MessageState::pending);
    restart();
    advance(59s);
    EXPECT_EQ(state(id), MessageState::pending);
    advance(2s);
    EXPECT_EQ(state(id), MessageState::failed);
    EXPECT_EQ(stored(id).completion->details, model::details::device_down);
}

TEST_F(PauseTest, AMessageThatFailedBeforeThePauseGetsItsTimeAfterwards) {
    options.give_up = 1h;
    start();
    const auto id = accept(message());
    report(id, Kind::retry);
    pause();
    advance(5h);
    resume();
    ASSERT_EQ(connector->sent.size(), 2U);
    report(id, Kind::retry);
    EXPECT_EQ(state(id), MessageState::pending);
    advance(1h);
    report(id, Kind::retry);
    EXPECT_EQ(state(id), MessageState::failed);
}

TEST_F(PauseTest, AWaitingMessageCanBeCancelled) {
    start();
    pause();
    const auto id = accept(message());
    bool done = false;
    auto queued = stored(id);
    post(CancelRequested{
        .message = {.message = std::make_unique<model::Message>(std::move(queued.message)),
                    .queued_at = queued.queued_at},
        .done = [&](const Result<void>& cancelled) { done = cancelled.has_value(); }});
    EXPECT_TRUE(done);
    EXPECT_EQ(state(id), MessageState::cancelled);
}

}  // namespace
}  // namespace merpati::scheduler
