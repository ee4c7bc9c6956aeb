// What the dispatcher tells of waits: those that are over, and the current one.
#include <gtest/gtest.h>

#include "scheduler/dispatcher_fixture.hpp"

namespace merpati::scheduler {
namespace {

using namespace std::chrono_literals;
using model::DeviceState;
using model::MessageEvent;
using model::MessageState;
using model::MessageStep;
using model::WaitReason;
using Kind = model::Outcome::Kind;

struct TrailTest : DispatcherFixture {
    std::vector<MessageEvent> events_of(const model::MessageId& id) {
        return (*store->open_reader())->trail(id)->events;
    }
    void set_state(DeviceState state) {
        device.state = state;
        post(DeviceChanged{.device = device});
    }
    store::QueuedMessage queued(const model::MessageId& id) {
        auto record = stored(id);
        return {.message = std::make_unique<model::Message>(std::move(record.message)),
                .queued_at = record.queued_at,
                .attempts = record.attempts,
                .intent_recorded = record.state == model::MessageState::sending};
    }
    Wait wait_of(const model::MessageId& id) {
        std::optional<Wait> found;
        post(ExplainRequested{.message = queued(id),
                              .done = [&found](Result<Wait> wait) { found = *wait; }});
        EXPECT_TRUE(found);
        return found.value_or(Wait{});
    }
    Result<void> hasten(const model::MessageId& id) {
        Result<void> answer = fail(ErrorCode::timeout, "no answer");
        post(HastenRequested{.message = queued(id),
                             .done = [&answer](Result<void> done) { answer = std::move(done); }});
        return answer;
    }
    void expect_waits(const model::MessageId& id, const std::vector<WaitReason>& reasons) {
        std::vector<WaitReason> found;
        for (const auto& event : events_of(id)) {
            EXPECT_EQ(event.step, MessageStep::waited);
            EXPECT_TRUE(event.until);
            found.push_back(event.reason());
        }
        EXPECT_EQ(found, reasons);
    }
};

TEST_F(TrailTest, AMessageSentWhenItIsDueHasNoEvents) {
    start();
    const auto id = accept(message());
    clock.advance(70ms);
    report_sent(id);
    EXPECT_TRUE(events_of(id).empty());
    EXPECT_EQ(stored(id).completion->took, 70ms);
    const auto delayed = accept(message(1h));
    advance(1h);
    report_sent(delayed);
    EXPECT_EQ(state(delayed), MessageState::sent);
    EXPECT_TRUE(events_of(delayed).empty());
}

TEST_F(TrailTest, APauseIsNamedWhileItLastsAndAfterwards) {
    start();
    const auto id = accept(message(1s));
    device.pause = model::Pause{.since = clock.now()};
    post(DeviceChanged{.device = device});
    advance(1h);
    EXPECT_EQ(wait_of(id).reason, WaitReason::paused);
    device.pause.reset();
    device.resumed_at = queue_clock.now();
    post(DeviceChanged{.device = device});
    report_sent(id);
    expect_waits(id, {WaitReason::paused});
}

TEST_F(TrailTest, MessagesThatOnlyQueueBehindOthersHaveNoEvents) {
    options.window = 1;
    start();
    const auto first = accept(message());
    const auto second = accept(message());
    advance(30s);
    report_sent(first);
    report_sent(second);
    EXPECT_EQ(state(second), MessageState::sent);
    EXPECT_TRUE(events_of(second).empty());
}

TEST_F(TrailTest, PaceIsToldOfTheMessageThatItHeldBack) {
    device.pace.gap_min = 10s;
    start();
    const auto first = accept(message());
    const auto second = accept(message());
    const auto due = clock.now();
    report_sent(first);
    EXPECT_EQ(wait_of(second).reason, WaitReason::pace);
    EXPECT_EQ(wait_of(second).until, due + 10s);
    advance(10s);
    report_sent(second);
    expect_waits(second, {WaitReason::pace});
    EXPECT_EQ(events_of(second)[0].at, due);
    EXPECT_EQ(events_of(second)[0].until, due + 10s);
    EXPECT_TRUE(events_of(first).empty());
}

TEST_F(TrailTest, TheCapIsToldOfEachMessageThatItHeldBack) {
    device.pace.gap_min = 1s;
    device.pace.per_day_max = 1;
    start();
    const auto first = accept(message());
    const auto second = accept(message());
    report_sent(first);
    EXPECT_EQ(wait_of(second).reason, WaitReason::cap);
    advance(24h);
    report_sent(second);
    expect_waits(second, {WaitReason::cap});
}

TEST_F(TrailTest, AnOutageIsToldOfTheMessagesThatWereDueMeanwhile) {
    start();
    set_state(DeviceState::disconnected);
    const auto waiting = accept(message());
    const auto due = clock.now();
    advance(5s);
    EXPECT_EQ(wait_of(waiting).reason, WaitReason::device);
    EXPECT_EQ(wait_of(waiting).since, due);
    set_state(DeviceState::connected);
    report_sent(waiting);
    expect_waits(waiting, {WaitReason::device});
    EXPECT_EQ(events_of(waiting)[0].until, due + 5s);
    const auto later = accept(message());
    report_sent(later);
    EXPECT_TRUE(events_of(later).empty());
}

TEST_F(TrailTest, AnOutageThatProbesFoundIsToldToo) {
    start();
    const auto id = accept(message());
    report(id, Kind::device_down);
    EXPECT_EQ(wait_of(id).reason, WaitReason::device);
    EXPECT_EQ(wait_of(id).until, clock.now() + 5s);
    advance(5s);
    report_sent(id);
    expect_waits(id, {WaitReason::device});
}

TEST_F(TrailTest, AProbeThatWaitsForThePaceTellsWhenItComes) {
    device.pace.gap_min = 20s;
    start();
    const auto id = accept(message());
    const auto began = clock.now();
    report(id, Kind::device_down);
    for (int second = 0; second < 20; ++second) {
        EXPECT_EQ(wait_of(id).reason, WaitReason::device);
        EXPECT_EQ(wait_of(id).until, began + 20s);
        advance(1s);
    }
    EXPECT_EQ(connector->sent.size(), 2U);
}

TEST_F(TrailTest, EachAttemptThatFailedIsToldWithThePlatformsCode) {
    start();
    const auto id = accept(message());
    report(id, Kind::retry, model::StatusCode::recipient_unregistered);
    EXPECT_EQ(wait_of(id).reason, WaitReason::retry);
    const auto retry_at = stored(id).queued_at;
    advance(retry_at - clock.now());
    report_sent(id);
    const auto events = events_of(id);
    ASSERT_EQ(events.size(), 1U);
    EXPECT_EQ(events[0].step, MessageStep::attempted);
    EXPECT_EQ(events[0].code, 1001);
    EXPECT_EQ(events[0].details, "kata platform");
    EXPECT_EQ(events[0].until, retry_at);
    EXPECT_EQ(state(id), MessageState::sent);
}

TEST_F(TrailTest, AMessageThatGivesUpTellsOfTheOutage) {
    options.give_up = 1h;
    start();
    set_state(DeviceState::disconnected);
    const auto id = accept(message());
    advance(1h);
    EXPECT_EQ(state(id), MessageState::failed);
    expect_waits(id, {WaitReason::device});
}

TEST_F(TrailTest, AHandOverKeepsItsTime) {
    start();
    const auto id = accept(message());
    clock.advance(40ms);
    post(Reported{.message = id,
                  .outcome = {.kind = Kind::accepted, .details = "ok", .platform_id = "3EB0"}});
    EXPECT_EQ((*store->open_reader())->trail(id)->handed_over_at, clock.now());
}

TEST_F(TrailTest, SaysWhatAMessageWaitsFor) {
    options.window = 1;
    start();
    const auto sending = accept(message());
    const auto behind = accept(message());
    const auto delayed = accept(message(1h));
    EXPECT_EQ(wait_of(sending).reason, WaitReason::platform);
    EXPECT_EQ(wait_of(sending).since, clock.now());
    EXPECT_EQ(wait_of(behind).reason, WaitReason::queue);
    EXPECT_EQ(wait_of(delayed).reason, WaitReason::due);
    EXPECT_EQ(wait_of(delayed).until, clock.now() + 1h);
    post(DeviceRemoved{.device = device.number});
    EXPECT_EQ(wait_of(behind).reason, WaitReason::device);
}

TEST_F(TrailTest, AMessageWhoseSendACrashInterruptedIsHeldAndNotMadeDue) {
    start();
    auto careful = message();
    careful->delivery = model::Delivery::at_most_once;
    const auto id = accept(std::move(careful));
    device.pause = model::Pause{.since = clock.now()};
    restart();
    EXPECT_EQ(hasten(id).error().code, ErrorCode::conflict);
    device.pause.reset();
    post(DeviceChanged{.device = device});
    EXPECT_TRUE(connector->sent.empty());
    EXPECT_EQ(stored(id).state, model::MessageState::held);
}

TEST_F(TrailTest, ADelayedMessageIsMadeDueNowBehindThoseThatAreDue) {
    options.window = 1;
    start();
    const auto first = accept(message());
    const auto second = accept(message());
    const auto delayed = accept(message(5h));
    EXPECT_TRUE(hasten(delayed));
    EXPECT_EQ(stored(delayed).queued_at, clock.now());
    report_sent(first);
    report_sent(second);
    EXPECT_EQ(connector->sent, (std::vector{first, second, delayed}));
    report_sent(delayed);
    const auto events = events_of(delayed);
    ASSERT_EQ(events.size(), 1U);
    EXPECT_EQ(events[0].step, MessageStep::hastened);
}

TEST_F(TrailTest, ARetriedMessageIsMadeDueNowAndKeepsItsCount) {
    start();
    const auto id = accept(message());
    report(id, Kind::retry);
    EXPECT_TRUE(hasten(id));
    EXPECT_EQ(connector->sent, (std::vector{id, id}));
    report_sent(id);
    EXPECT_EQ(stored(id).completion->attempts, 2U);
}

TEST_F(TrailTest, WhatIsBeingSentOrHasEndedIsNotMadeDue) {
    start();
    const auto id = accept(message());
    EXPECT_EQ(hasten(id).error().code, ErrorCode::conflict);
    auto before = queued(id);
    report_sent(id);
    Result<void> answer;
    post(HastenRequested{.message = std::move(before),
                         .done = [&answer](Result<void> done) { answer = std::move(done); }});
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, ErrorCode::conflict);
    EXPECT_EQ(connector->sent, std::vector{id});
}

}  // namespace
}  // namespace merpati::scheduler
