// Devices that leave this process, and come back to it.
#include <algorithm>

#include <gtest/gtest.h>

#include "scheduler/dispatcher.hpp"
#include "scheduler/dispatcher_fixture.hpp"
#include "scheduler/watched_reader_fixture.hpp"

namespace merpati::scheduler {
namespace {

using namespace std::chrono_literals;
using Kind = model::Outcome::Kind;
using model::Leave;
using model::MessageState;

struct MoveTest : DispatcherFixture {
    void detach(Leave how = Leave::when_settled) {
        post(DevicesDetached{
            .devices = {device.number}, .how = how, .done = [this] { ++requests_done; }});
    }
    void attach() { post(DevicesAttached{.devices = {device}}); }

    /// Starts, and accepts a message of a device that is down, which has an hour to come back.
    model::MessageId accept_while_down() {
        options.give_up = 1h;
        start();
        store_device(device.number, device.account);
        device.state = model::DeviceState::disconnected;
        post(DeviceChanged{.device = device});
        return accept(message());
    }
    /// The message is given up after `wait`, and not before.
    void expect_to_fail_after(const model::MessageId& id, Millis wait) {
        advance(wait - 1s);
        EXPECT_EQ(state(id), MessageState::pending);
        advance(1s);
        EXPECT_EQ(state(id), MessageState::failed);
    }

    int requests_done = 0;
};

TEST_F(MoveTest, WhatWaitsIsSentByWhoeverHasTheDevice) {
    start();
    const auto later = accept(message(10s));
    detach();
    EXPECT_EQ(requests_done, 1);
    EXPECT_EQ(dispatcher->lanes(), 0U);
    EXPECT_EQ(dispatcher->counts().lanes, 0U);
    EXPECT_EQ(dispatcher->next_step_at(), Timestamp::max());
    const auto meanwhile = accept(message());
    advance(10s);
    EXPECT_TRUE(connector->sent.empty());
    EXPECT_EQ(dispatcher->lanes(), 0U);
    attach();
    EXPECT_EQ(connector->sent, (std::vector{meanwhile, later}));
    report_sent(meanwhile);
    report_sent(later);
    EXPECT_EQ(state(meanwhile), MessageState::sent);
    EXPECT_EQ(dispatcher->counts().lanes, 0U);
}

TEST_F(MoveTest, ALaneIsGivenUpWhenItsSendsAreCommittedAndBeginsNoOthers) {
    connector->abilities.window = 1;
    start();
    const auto in_flight = accept(message());
    const auto waiting = accept(message());
    detach();
    EXPECT_EQ(requests_done, 0);
    EXPECT_EQ(dispatcher->in_flight(), 1U);
    report_sent(in_flight);
    EXPECT_EQ(requests_done, 1);
    EXPECT_EQ(state(in_flight), MessageState::sent);
    EXPECT_EQ(state(waiting), MessageState::pending);
    EXPECT_EQ(connector->sent, std::vector{in_flight});
    EXPECT_EQ(dispatcher->lanes(), 0U);
    attach();
    EXPECT_EQ(connector->sent, (std::vector{in_flight, waiting}));
}

TEST_F(MoveTest, EveryOutcomeLetsTheLaneGo) {
    for (const auto kind : {Kind::failed, Kind::retry, Kind::unknown, Kind::device_down}) {
        connector->sent.clear();
        if (dispatcher == nullptr) {
            start();
        } else {
            attach();
        }
        requests_done = 0;
        (void)accept(message());
        ASSERT_FALSE(connector->sent.empty());
        detach();
        for (const auto& id : std::vector{connector->sent}) {
            EXPECT_EQ(requests_done, 0);
            report(id, kind);
        }
        EXPECT_EQ(requests_done, 1);
        EXPECT_EQ(dispatcher->lanes(), 0U);
        EXPECT_EQ(dispatcher->in_flight(), 0U);
        EXPECT_EQ(dispatcher->counts().messages_in_memory, 0U);
        advance(1h);  // Whatever was put back is due again.
    }
}

TEST_F(MoveTest, AnIntentThatIsBeingRecordedIsClearedAndTheMessageNotSent) {
    start();
    const auto id = begin_careful_send();
    detach();
    EXPECT_EQ(requests_done, 1);
    EXPECT_TRUE(connector->sent.empty());
    attach();
    EXPECT_EQ(connector->sent, std::vector{id});
}

TEST_F(MoveTest, AtOnceTheLaneIsGoneAndLaterOutcomesAreDropped) {
    start();
    const auto id = accept(message());
    detach(Leave::at_once);
    EXPECT_EQ(requests_done, 1);
    report_sent(id);
    EXPECT_EQ(state(id), MessageState::pending);
    EXPECT_EQ(dispatcher->lanes(), 0U);
    EXPECT_EQ(dispatcher->in_flight(), 0U);
}

TEST_F(MoveTest, ASendThatAnotherOwnerMustNotRepeatIsHeldAfterALeaveAtOnce) {
    start();
    auto stored = careful();
    const auto id = stored->id;
    post(Accepted{.message = std::move(stored)});
    ASSERT_EQ(connector->sent, std::vector{id});
    detach(Leave::at_once);
    report_sent(id);
    attach();
    EXPECT_EQ(state(id), MessageState::held);
    EXPECT_EQ(connector->sent.size(), 1U);
}

TEST_F(MoveTest, ADeviceThatComesBackWaitsForTheSendsOfItsEarlierStay) {
    start();
    const auto id = accept(message());
    detach(Leave::at_once);
    attach();
    const auto next = accept(message());
    advance(1min);
    EXPECT_EQ(connector->sent, std::vector{id});
    report_sent(id);  // Of the earlier stay: the message is sent again.
    EXPECT_EQ(connector->sent, (std::vector{id, id, next}));
    report_sent(id);
    EXPECT_EQ(state(id), MessageState::sent);
}

TEST_F(MoveTest, ALeaveAtOnceFollowsOneThatWaits) {
    start();
    const auto id = accept(message());
    detach();
    detach(Leave::at_once);
    EXPECT_EQ(requests_done, 1);
    report_sent(id);
    EXPECT_EQ(requests_done, 2);
    EXPECT_EQ(state(id), MessageState::pending);
}

TEST_F(MoveTest, PaceAndCapAreThoseOfTheDevice) {
    device.pace = {.gap_min = 1min, .per_day_max = 2};
    start();
    const auto first = accept(message());
    report_sent(first);
    const auto second = accept(message());
    const auto third = accept(message());
    detach();
    attach();
    EXPECT_EQ(connector->sent, std::vector{first});
    advance(1min);
    EXPECT_EQ(connector->sent, (std::vector{first, second}));
    report_sent(second);
    detach();
    attach();
    advance(1h);
    EXPECT_EQ(connector->sent, (std::vector{first, second}));
    advance(24h);
    EXPECT_EQ(connector->sent, (std::vector{first, second, third}));
}

TEST_F(MoveTest, AnOutageIsCountedFromItsBegin) {
    const auto id = accept_while_down();
    advance(30min);
    detach();
    advance(29min);
    attach();
    expect_to_fail_after(id, 1min);
}

TEST_F(MoveTest, ADeviceHasTimeToComeBackWhenItWasTakenIn) {
    const auto id = accept_while_down();
    detach();
    advance(2h);
    attach();
    expect_to_fail_after(id, 30s);
}

TEST_F(MoveTest, ALaneThatCannotBeReadSendsNothingUntilItIs) {
    Watch watch;
    wrap_reader = [&watch](std::unique_ptr<store::Reader> real) {
        return std::make_unique<WatchedReader>(std::move(real), watch);
    };
    device.pace = {.gap_min = 1min};
    start();
    const auto first = accept(message());
    report_sent(first);
    detach();
    const auto second = accept(message());
    watch.broken = true;
    attach();
    device.pace.gap_min = 2min;
    post(DeviceChanged{.device = device});
    advance(90s);
    watch.broken = false;
    advance(1s);
    EXPECT_EQ(connector->sent, std::vector{first});  // The pace is known, and the new one holds.
    advance(30s);
    EXPECT_EQ(connector->sent, (std::vector{first, second}));
}

TEST_F(MoveTest, AProcessThatStartsEmptySendsNothingOfDevicesThatItWasNotGiven) {
    options.starts_empty = true;
    const auto waiting = commit(message());
    start();
    post(DevicesDetached{.devices = {device.number}, .done = [] {}});
    EXPECT_TRUE(connector->sent.empty());
    EXPECT_EQ(dispatcher->lanes(), 0U);
    attach();
    EXPECT_EQ(connector->sent, std::vector{waiting->id});
}

TEST_F(MoveTest, TheLanesOfManyDevicesAreReadTogether) {
    Watch watch;
    wrap_reader = [&watch](std::unique_ptr<store::Reader> real) {
        return std::make_unique<WatchedReader>(std::move(real), watch);
    };
    options.starts_empty = true;
    start();
    post(DevicesDetached{.devices = {device.number}, .done = [] {}});
    std::vector<model::Device> devices;
    for (std::int64_t number = 6282000000001; number <= 6282000000100; ++number) {
        devices.push_back(device);
        devices.back().number = model::PhoneNumber::from_stored(number);
    }
    const auto accept_of = [this](const model::Device& sender) {
        auto made = message();
        made->device = sender.number;
        return accept(std::move(made));
    };
    const auto first = accept_of(devices.front());
    const auto last = accept_of(devices.back());
    post(DevicesAttached{.devices = devices});
    EXPECT_EQ(connector->sent.size(), 2U);
    EXPECT_TRUE(std::ranges::count(connector->sent, first) == 1);
    EXPECT_TRUE(std::ranges::count(connector->sent, last) == 1);
    EXPECT_EQ(watch.starts, 1);
}

TEST_F(MoveTest, NothingIsBegunWhileThisProcessMayNot) {
    bool may = true;
    options.may_begin = [&may] { return may; };
    start();
    const auto in_flight = accept(message());
    may = false;
    const auto waiting = accept(message());
    report_sent(in_flight);
    advance(1min);
    EXPECT_EQ(state(in_flight), MessageState::sent);
    EXPECT_EQ(connector->sent, std::vector{in_flight});
    may = true;
    advance(100ms);
    EXPECT_EQ(connector->sent, (std::vector{in_flight, waiting}));
}

TEST_F(MoveTest, AnIntentThatIsRecordedWhenThisProcessMayNotBeginIsCleared) {
    bool may = true;
    options.may_begin = [&may] { return may; };
    start();
    const auto id = begin_careful_send();
    may = false;
    advance(1s);
    EXPECT_TRUE(connector->sent.empty());
    EXPECT_EQ(state(id), MessageState::pending);
    may = true;
    advance(1s);
    EXPECT_EQ(connector->sent, std::vector{id});
}

TEST_F(MoveTest, NothingIsDoneByHandToMessagesOfADeviceThatIsElsewhere) {
    start();
    const auto id = accept(message(1h));
    detach();
    Result<void> cancelled;
    post(CancelRequested{
        .message = {.message = std::make_unique<model::Message>(stored(id).message)},
        .done = [&](Result<void> done) { cancelled = std::move(done); }});
    ASSERT_FALSE(cancelled);
    EXPECT_EQ(cancelled.error().code, ErrorCode::busy);
    post(QueuedOnDisk{.device = device.number, .due = queue_clock.now()});
    post(WentDown{.device = device.number});
    EXPECT_EQ(dispatcher->lanes(), 0U);
}

}  // namespace
}  // namespace merpati::scheduler
