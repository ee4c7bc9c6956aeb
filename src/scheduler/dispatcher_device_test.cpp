// A lane whose device goes down, comes back, or is removed.
#include <algorithm>

#include "model/texts.hpp"
#include "scheduler/dispatcher_fixture.hpp"

namespace merpati::scheduler {
namespace {

using namespace std::chrono_literals;
using model::DeviceState;
using model::MessageState;
using Kind = model::Outcome::Kind;

struct DeviceTest : DispatcherFixture {
    void restrict(const model::MessageId& id, Timestamp until) {
        post(Reported{.message = id,
                      .outcome = {.kind = Kind::restricted, .restricted_until = until}});
    }
    void set_state(DeviceState state) {
        device.state = state;
        post(DeviceChanged{.device = device});
    }
};

TEST_F(DeviceTest, OneOutageOfManySendsIsProbedAfterFiveSecondsThenHalfAsOften) {
    start();
    std::vector<model::MessageId> all;
    for (int count = 0; count < 10; ++count) {
        all.push_back(accept(message()));
    }
    for (const auto& id : all) {
        report(id, Kind::device_down);
    }
    connector->sent.clear();
    for (const auto wait : {5s, 10s, 20s, 40s, 60s, 60s}) {
        advance(wait - 1ms);
        EXPECT_TRUE(connector->sent.empty()) << wait.count();
        advance(1ms);
        ASSERT_EQ(connector->sent, std::vector{all.front()}) << wait.count();
        connector->sent.clear();
        report(all.front(), Kind::device_down);
    }
    advance(60s);
    report_sent(all.front());
    EXPECT_EQ(connector->sent, all);
    EXPECT_EQ(stored(all.front()).completion->attempts, 1U);
}

TEST_F(DeviceTest, ADeviceIsNotProbedBeforeThePlatformAllowsIt) {
    start();
    const auto first = accept(message());
    const auto second = accept(message());
    report(first, Kind::device_down);
    post(Reported{.message = second, .outcome = {.kind = Kind::device_down, .retry_after = 90s}});
    connector->sent.clear();
    advance(90s - 1ms);
    EXPECT_TRUE(connector->sent.empty());
    advance(1ms);
    EXPECT_EQ(connector->sent, std::vector{first});
    report_sent(first);
    report_sent(second);
    EXPECT_EQ(stored(second).completion->attempts, 1U);
}

TEST_F(DeviceTest, APlatformThatAsksForAShorterWaitIsAskedThen) {
    start();
    const auto first = accept(message());
    for (int probe = 0; probe < 8; ++probe) {
        ASSERT_EQ(connector->sent, std::vector{first}) << probe;
        connector->sent.clear();
        post(Reported{.message = first, .outcome = {.kind = Kind::device_down, .retry_after = 2s}});
        advance(2s - 1ms);
        EXPECT_TRUE(connector->sent.empty()) << probe;
        advance(1ms);
    }
    connector->sent.clear();
    report(first, Kind::device_down);
    advance(5s - 1ms);
    EXPECT_TRUE(connector->sent.empty()) << "it did not ask";
    advance(1ms);
    EXPECT_EQ(connector->sent, std::vector{first});
}

TEST_F(DeviceTest, APlatformThatAsksForNoWaitIsNotAskedWithoutEnd) {
    start();
    const auto first = accept(message());
    connector->sent.clear();
    post(Reported{.message = first, .outcome = {.kind = Kind::device_down, .retry_after = 0s}});
    advance(1s - 1ms);
    EXPECT_TRUE(connector->sent.empty());
    advance(1ms);
    EXPECT_EQ(connector->sent, std::vector{first});
}

TEST_F(DeviceTest, ADeviceOfWhichThePlatformSaysLaterThatItCannotSendIsProbedThen) {
    start();
    post(WentDown{.device = device.number, .retry_after = 30s});
    const auto first = accept(message());
    (void)accept(message());
    advance(30s - 1ms);
    EXPECT_TRUE(connector->sent.empty());
    advance(1ms);
    EXPECT_EQ(connector->sent, std::vector{first});
    report_sent(first);
    EXPECT_EQ(connector->sent.size(), 2U);
}

TEST_F(DeviceTest, AnOutageUsesUpNothingOfTheDaysCap) {
    device.pace = {.gap_min = 1s, .per_day_max = 2};
    connector->abilities.window = 1;
    start();
    const auto first = accept(message());
    const auto second = accept(message());
    for (int probe = 0; probe < 20; ++probe) {
        ASSERT_EQ(connector->sent.size(), static_cast<std::size_t>(probe) + 1);
        report(connector->sent.back(), Kind::device_down);
        advance(60s);
    }
    report_sent(first);
    advance(1s);
    ASSERT_EQ(connector->sent.back(), second);
    report_sent(second);
    const auto third = accept(message());
    advance(60s);
    EXPECT_EQ(connector->sent.back(), second) << "two messages are the cap";
    advance(24h);
    EXPECT_EQ(connector->sent.back(), third);
}

TEST_F(DeviceTest, AWiderWindowOfTheConnectorHoldsFromTheNextOutcomeOn) {
    connector->abilities.window = 1;
    start();
    const auto first = accept(message());
    (void)accept(message());
    (void)accept(message());
    ASSERT_EQ(connector->sent.size(), 1U);
    connector->abilities.window = 2;
    report_sent(first);
    EXPECT_EQ(connector->sent.size(), 3U);
}

TEST_F(DeviceTest, AnOutcomeFromBeforeTheOutageDoesNotEndThePause) {
    start();
    const auto before = accept(message());
    const auto down = accept(message());
    report(down, Kind::device_down);
    report_sent(before);
    EXPECT_EQ(connector->sent.size(), 2U);
    advance(5s);
    EXPECT_EQ(connector->sent.back(), down);
}

TEST_F(DeviceTest, AMessageThatMayBeginNoChatWaitsForTheEndAndOthersGoOn) {
    device.pace = {.gap_min = 1min, .per_day_max = 2};
    start();
    set_state(DeviceState::restricted);
    const auto next_chat = accept(message());
    const auto answer = accept(message());
    ASSERT_EQ(connector->sent, std::vector{next_chat});
    restrict(next_chat, clock.now() + 26h);
    ASSERT_EQ(connector->sent, (std::vector{next_chat, answer}));  // No gap was used up.
    report_sent(answer);
    EXPECT_EQ(state(answer), MessageState::sent);
    EXPECT_EQ(state(next_chat), MessageState::pending);
    EXPECT_EQ(stored(next_chat).attempts, 0U);

    const auto third = accept(message());
    advance(1min);
    EXPECT_EQ(connector->sent.back(), third);  // Nor was the day's cap.
    report_sent(third);
    restart();
    advance(26h - 1min - 1s);
    EXPECT_EQ(connector->sent, std::vector<model::MessageId>{});
    advance(1s);
    ASSERT_EQ(connector->sent, std::vector{next_chat});
    report_sent(next_chat);
    EXPECT_EQ(stored(next_chat).completion->attempts, 1U);
    const auto events = (*store->open_reader())->trail(next_chat)->events;
    ASSERT_EQ(events.size(), 1U);
    EXPECT_EQ(events[0].reason(), model::WaitReason::restricted);
    EXPECT_EQ(events[0].until, events[0].at + 26h);
}

TEST_F(DeviceTest, ARestrictionThatIsOverOrTooLongIsAskedForAgain) {
    start();
    const auto over = accept(message());
    restrict(over, clock.now() - 1h);
    const auto ages = accept(message());
    restrict(ages, clock.now() + std::chrono::days{400});
    connector->sent.clear();
    advance(5s);
    EXPECT_EQ(connector->sent, std::vector{over});
    report_sent(over);
    connector->sent.clear();
    advance(std::chrono::days{7});
    EXPECT_EQ(connector->sent, std::vector{ages});
}

TEST_F(DeviceTest, APausedLaneGivesUpThoughItsDeviceIsCalledConnected) {
    options.give_up = 1h;
    start();
    const auto first = accept(message());
    const auto second = accept(message());
    for (int probe = 0; probe < 70 && state(first) == MessageState::pending; ++probe) {
        while (!connector->sent.empty()) {
            const auto id = connector->sent.back();
            connector->sent.pop_back();
            report(id, Kind::device_down);
        }
        advance(60s);
    }
    for (const auto& id : {first, second}) {
        EXPECT_EQ(state(id), MessageState::failed);
        ASSERT_TRUE(stored(id).completion);
        EXPECT_EQ(stored(id).completion->details, model::details::device_down);
    }
}

TEST_F(DeviceTest, OutcomesOfARemovedDevicesSendsAreStillTaken) {
    start();
    const auto unknown = accept(message());
    auto careful = message();
    careful->delivery = model::Delivery::at_most_once;
    const auto held = accept(std::move(careful));
    post(DeviceRemoved{.device = device.number});
    report(unknown, Kind::unknown);
    report(held, Kind::unknown);
    EXPECT_EQ(state(unknown), MessageState::pending);
    EXPECT_EQ(state(held), MessageState::held);
}

TEST_F(DeviceTest, AnIntentOfADeviceThatIsRemovedMeanwhileComesToItsEnd) {
    start();
    auto careful = commit([&] {
        auto made = message();
        made->delivery = model::Delivery::at_most_once;
        return made;
    }());
    const auto id = careful->id;
    {
        std::vector<Event> now;
        now.emplace_back(Accepted{.message = std::move(careful)});
        dispatcher->step(now);  // The intent is being committed.
    }
    post(DeviceRemoved{.device = device.number});
    EXPECT_EQ(connector->sent, std::vector{id});
}

TEST_F(DeviceTest, WhatWaitsForARemovedDeviceFailsAfterItsTime) {
    options.give_up = 1h;
    start();
    const auto id = accept(message(10s));
    post(DeviceRemoved{.device = device.number});
    EXPECT_EQ(dispatcher->lanes(), 1U);
    advance(10s + 1h);
    EXPECT_EQ(state(id), MessageState::failed);
    EXPECT_TRUE(connector->sent.empty());
    EXPECT_EQ(dispatcher->lanes(), 0U);
}

TEST_F(DeviceTest, ARemovedDeviceLeavesNothingInMemoryOnceItsSendsHaveEnded) {
    start();
    const auto id = accept(message());
    post(DeviceRemoved{.device = device.number});
    EXPECT_EQ(dispatcher->lanes(), 1U);
    report_sent(id);
    EXPECT_EQ(dispatcher->lanes(), 0U);
    EXPECT_EQ(dispatcher->counts().lanes, 0U);
    EXPECT_EQ(dispatcher->next_step_at(), Timestamp::max());
    post(DeviceChanged{.device = device});
    const auto next = accept(message());
    EXPECT_EQ(connector->sent, (std::vector{id, next}));
}

// What the last process stored of it is needed when its device comes.
TEST_F(DeviceTest, ALaneOfTheLastProcessStaysUntilItsDeviceIsRemoved) {
    device.pace = {.gap_min = 1h};
    start();
    report_sent(accept(message()));
    auto other = device;
    other.number = *model::PhoneNumber::parse("6289876543211");
    std::swap(device, other);
    restart();
    advance(1min);
    EXPECT_EQ(dispatcher->lanes(), 2U);
    post(DeviceRemoved{.device = other.number});
    EXPECT_EQ(dispatcher->lanes(), 1U);
}

TEST_F(DeviceTest, AWarmUpBeginsWhenTheDeviceIsAddedWhateverTheWallClockWasSetTo) {
    clock.set_wall(clock.now() - 960h);
    device.created_at = clock.now();
    device.pace = {.per_day_max = 4, .warm_up_days = 3};
    start();
    accept(message());
    accept(message());
    EXPECT_EQ(connector->sent.size(), 1U);
}

TEST_F(DeviceTest, ADeviceHasTimeToComeBackAfterALongStandstillOfTheServer) {
    options.give_up = 1h;
    const auto id = commit(message())->id;
    clock.advance(25h);
    device.state = DeviceState::disconnected;
    start();
    EXPECT_EQ(state(id), MessageState::pending);
    advance(20s);
    set_state(DeviceState::connected);
    EXPECT_EQ(connector->sent, std::vector{id});
}

TEST_F(DeviceTest, AShortOutageFailsNothingHoweverLongItWasQueued) {
    options.give_up = 1h;
    device.pace.gap_min = 1min;
    start();
    std::vector<model::MessageId> all;
    for (int count = 0; count < 120; ++count) {
        all.push_back(accept(message()));
    }
    for (int minute = 0; minute < 90; ++minute) {
        report_sent(connector->sent.back());
        advance(1min);
    }
    set_state(DeviceState::disconnected);
    advance(1s);
    set_state(DeviceState::connected);
    for (int minute = 0; minute < 30; ++minute) {
        report_sent(connector->sent.back());
        advance(1min);
    }
    for (const auto& id : all) {
        EXPECT_EQ(state(id), MessageState::sent);
    }
}

TEST_F(DeviceTest, AnOutageIsCountedFromItsBeginOverARestartAndOtherDownStates) {
    options.give_up = 1h;
    start();
    store_device(device.number, device.account);
    set_state(DeviceState::disconnected);
    const auto id = accept(message());
    advance(30min);
    restart();
    advance(20min);
    set_state(DeviceState::reconnecting);
    set_state(DeviceState::disconnected);
    advance(10min - 1s);
    EXPECT_EQ(state(id), MessageState::pending);
    advance(2s);
    EXPECT_EQ(state(id), MessageState::failed);
}

TEST_F(DeviceTest, AnOutageThatOnlySendsNoticeIsCountedOverARestart) {
    options.give_up = 1h;
    start();
    const auto id = accept(message());
    report(id, Kind::device_down);
    advance(3s);
    restart();
    report(id, Kind::device_down);
    clock.advance(1h);
    settle();
    EXPECT_EQ(state(id), MessageState::pending);  // One more try, which may show that it is back.
    report(id, Kind::device_down);
    EXPECT_EQ(state(id), MessageState::failed);
}

TEST_F(DeviceTest, AnOutageEndsWithTheFirstSendThatIsAnswered) {
    options.give_up = 1h;
    start();
    const auto first = accept(message());
    report(first, Kind::device_down);
    advance(5s);
    report_sent(first);
    advance(2h);
    const auto second = accept(message());
    report(second, Kind::device_down);
    advance(2s);
    EXPECT_EQ(state(second), MessageState::pending);
    EXPECT_EQ((*store->open_reader())->lane_records()->at(0).down_since, clock.now() - 2s);
}

TEST_F(DeviceTest, AfterALongOutageTheNextMessageIsTriedBeforeItFails) {
    options.give_up = 1h;
    start();
    const auto first = accept(message());
    for (int probe = 0; probe < 70 && state(first) == MessageState::pending; ++probe) {
        report(first, Kind::device_down);
        advance(60s);
    }
    ASSERT_EQ(state(first), MessageState::failed);
    advance(60s);
    const auto second = accept(message());
    EXPECT_EQ(connector->sent.back(), second);
    report_sent(second);
    EXPECT_EQ(state(second), MessageState::sent);
}

TEST_F(DeviceTest, GiveUpRunsFromTheFirstFailedAttemptOverARestart) {
    options.give_up = 1h;
    start();
    const auto id = commit(message())->id;
    advance(25h);  // It waits on disk, as for its turn behind others.
    post(QueuedOnDisk{.device = device.number, .due = clock.now()});
    ASSERT_EQ(connector->sent, std::vector{id});
    report(id, Kind::retry);
    EXPECT_EQ(state(id), MessageState::pending);
    advance(30min);
    report(id, Kind::retry);
    restart();
    clock.advance(29min);
    settle();
    report(id, Kind::retry);
    EXPECT_EQ(state(id), MessageState::pending);
    clock.advance(1min);
    settle();
    report(id, Kind::retry);
    EXPECT_EQ(state(id), MessageState::failed);
}

TEST_F(DeviceTest, AnInterruptedSendOfADownDeviceIsHeldNotFailed) {
    options.give_up = 1h;
    auto careful = message();
    careful->delivery = model::Delivery::at_most_once;
    const auto id = careful->id;
    careful = commit(std::move(careful));
    store::WriteBatch batch;
    batch.intents.push_back({.message = id, .device = device.number, .queued_at = careful->due_at});
    ASSERT_TRUE(store->write(batch));
    device.state = DeviceState::disconnected;
    start();
    advance(2h);
    EXPECT_EQ(state(id), MessageState::held);
}

TEST_F(DeviceTest, ADownDeviceHoldsNoMemory) {
    start();
    const auto waiting = accept(message(1s));
    EXPECT_EQ(dispatcher->counts().messages_in_memory, 1U);
    set_state(DeviceState::disconnected);
    const auto accepted = accept(message());
    EXPECT_EQ(dispatcher->counts().messages_in_memory, 0U);
    advance(1h);
    set_state(DeviceState::connected);
    EXPECT_EQ(connector->sent, (std::vector{accepted, waiting}));
}

TEST_F(DeviceTest, OnlyLanesWithWorkAreCounted) {
    start();
    EXPECT_EQ(dispatcher->counts().lanes, 0U);
    const auto id = accept(message(1h));
    EXPECT_EQ(dispatcher->counts().lanes, 1U);
    advance(1h);
    report_sent(id);
    EXPECT_EQ(dispatcher->counts().lanes, 0U);
}

}  // namespace
}  // namespace merpati::scheduler
