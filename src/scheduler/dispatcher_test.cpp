#include "scheduler/dispatcher.hpp"

#include <algorithm>

#include "model/texts.hpp"
#include "scheduler/dispatcher_fixture.hpp"

namespace merpati::scheduler {
namespace {

using namespace std::chrono_literals;
using model::MessageState;
using Kind = model::Outcome::Kind;

using DispatcherTest = DispatcherFixture;

TEST_F(DispatcherTest, SendsInTheOrderOfDueTimesThenOfAcceptance) {
    start();
    const auto late = accept(message(1500ms));
    const auto first = accept(message(500ms));
    const auto second = accept(message(500ms));
    advance(499ms);
    EXPECT_TRUE(connector->sent.empty());
    advance(1ms);
    EXPECT_EQ(connector->sent, (std::vector{first, second}));
    advance(1000ms);
    EXPECT_EQ(connector->sent, (std::vector{first, second, late}));
}

TEST_F(DispatcherTest, APlaceInTheWindowIsFreeOnlyWhenTheOutcomeIsDurable) {
    connector->abilities.window = 1;
    start();
    const auto first = accept(message());
    const auto second = accept(message());
    EXPECT_EQ(connector->sent, std::vector{first});
    std::vector<Event> outcome;
    outcome.emplace_back(Reported{
        .message = first,
        .outcome = {.kind = Kind::sent, .code = model::StatusCode::sent, .details = "terkirim"}});
    dispatcher->step(outcome);  // The commit is in flight; its event has not come.
    EXPECT_EQ(connector->sent, std::vector{first});
    flush();
    settle();
    EXPECT_EQ(connector->sent, (std::vector{first, second}));
    EXPECT_EQ(state(first), MessageState::sent);
}

TEST_F(DispatcherTest, KeepsTheGapOfItsPace) {
    device.pace.gap_min = 2s;
    start();
    const auto first = accept(message());
    const auto second = accept(message());
    EXPECT_EQ(connector->sent, std::vector{first});
    advance(1999ms);
    EXPECT_EQ(connector->sent.size(), 1U);
    advance(1ms);
    EXPECT_EQ(connector->sent, (std::vector{first, second}));
}

TEST_F(DispatcherTest, APassingFailureIsTriedAgainLater) {
    start();
    const auto id = accept(message());
    report(id, Kind::retry);
    EXPECT_EQ(state(id), MessageState::pending);
    EXPECT_EQ(stored(id).attempts, 1U);
    EXPECT_EQ(stored(id).last_details, "kata platform");
    advance(3999ms);
    EXPECT_EQ(connector->sent.size(), 1U);
    advance(2001ms);
    ASSERT_EQ(connector->sent.size(), 2U);
    report_sent(id);
    EXPECT_EQ(state(id), MessageState::sent);
    EXPECT_EQ(stored(id).completion->attempts, 2U);
}

TEST_F(DispatcherTest, GivesUpAfterItsTimeAndSaysWhy) {
    options.give_up = 3s;
    start();
    const auto id = accept(message());
    report(id, Kind::retry);
    advance(3s);
    ASSERT_EQ(connector->sent.size(), 2U);
    report(id, Kind::retry);
    EXPECT_EQ(state(id), MessageState::failed);
    EXPECT_EQ(stored(id).completion->code, model::StatusCode::failed);
    EXPECT_NE(stored(id).completion->details.find("kata platform"), std::string::npos);
}

TEST_F(DispatcherTest, ADeviceThatIsDownPausesItsLaneAndIsProbedByOneMessage) {
    start();
    const auto first = accept(message());
    const auto second = accept(message());
    report(first, Kind::device_down);
    report(second, Kind::device_down);
    EXPECT_EQ(connector->sent.size(), 2U);
    EXPECT_EQ(stored(first).attempts, 0U);
    advance(4999ms);
    EXPECT_EQ(connector->sent.size(), 2U);
    advance(1ms);
    EXPECT_EQ(connector->sent, (std::vector{first, second, first}));
    report_sent(first);
    EXPECT_EQ(connector->sent.back(), second);
}

TEST_F(DispatcherTest, WhatWaitsForADisconnectedDeviceGoesWhenItComesBack) {
    start();
    device.state = model::DeviceState::disconnected;
    post(DeviceChanged{.device = device});
    const auto id = accept(message());
    advance(1h);
    EXPECT_TRUE(connector->sent.empty());
    device.state = model::DeviceState::connected;
    post(DeviceChanged{.device = device});
    EXPECT_EQ(connector->sent, std::vector{id});
}

TEST_F(DispatcherTest, WhatWaitsTooLongForADeviceFailsInMemoryAndOnDiskAlike) {
    options.lane_memory_max = 4;
    options.give_up = 1h;
    device.state = model::DeviceState::disconnected;
    const auto on_disk = commit(message())->id;
    start();
    const auto accepted = accept(message());
    advance(1h - 1s);
    EXPECT_EQ(state(on_disk), MessageState::pending);
    advance(2s);
    for (const auto& id : {on_disk, accepted}) {
        EXPECT_EQ(state(id), MessageState::failed);
        EXPECT_EQ(stored(id).completion->details, model::details::device_down);
    }
    EXPECT_TRUE(connector->sent.empty());
}

TEST_F(DispatcherTest, AnImpossibleRecipientFailsWithoutThePlatform) {
    options.recipient_possible = [](std::string_view) { return false; };
    start();
    const auto id = accept(message());
    EXPECT_TRUE(connector->sent.empty());
    EXPECT_EQ(stored(id).completion->code, model::StatusCode::recipient_invalid);
}

TEST_F(DispatcherTest, TheFirstOutcomeCounts) {
    start();
    const auto id = accept(message());
    report_sent(id);
    report(id, Kind::failed);
    EXPECT_EQ(state(id), MessageState::sent);
}

TEST_F(DispatcherTest, AMessageThatMovedSinceItWasReadIsCancelledOrMadeDueWhereItIs) {
    options.retry_first = 60s;  // Far enough for another place on disk.
    start();
    const auto cancelled = accept(message());
    const auto hastened = accept(message());
    const auto as_read = [&](const model::MessageId& id) {
        auto record = stored(id);
        return store::QueuedMessage{
            .message = std::make_unique<model::Message>(std::move(record.message)),
            .queued_at = record.queued_at};
    };
    auto to_cancel = as_read(cancelled);
    auto to_hasten = as_read(hastened);
    report(cancelled, Kind::retry);
    report(hastened, Kind::retry);
    ASSERT_NE(stored(cancelled).queued_at, to_cancel.queued_at);
    const auto expect_done = [](const Result<void>& done) { EXPECT_TRUE(done); };
    post(CancelRequested{.message = std::move(to_cancel), .done = expect_done});
    EXPECT_EQ(state(cancelled), MessageState::cancelled);
    post(HastenRequested{.message = std::move(to_hasten), .done = expect_done});
    EXPECT_EQ(connector->sent.back(), hastened);
    EXPECT_EQ(connector->sent.size(), 3U);
    auto ended = as_read(cancelled);
    post(CancelRequested{.message = std::move(ended), .done = [](const Result<void>& done) {
                             EXPECT_TRUE(!done && done.error().code == ErrorCode::conflict);
                         }});
}

TEST_F(DispatcherTest, AWaitingMessageCanBeCancelledAndOneBeingSentCannot) {
    start();
    const auto sending = accept(message());
    const auto waiting = accept(message(1s));
    const auto on_disk = accept(message(1h));
    std::vector<ErrorCode> refused;
    int cancelled = 0;
    const auto cancel = [&](const model::MessageId& id) {
        const auto record = stored(id);
        store::QueuedMessage queued{.message = std::make_unique<model::Message>(record.message),
                                    .queued_at = record.queued_at};
        post(CancelRequested{.message = std::move(queued), .done = [&](Result<void> result) {
                                 result ? void(++cancelled)
                                        : refused.push_back(result.error().code);
                             }});
    };
    cancel(sending);
    cancel(waiting);
    cancel(on_disk);
    EXPECT_EQ(refused, std::vector{ErrorCode::conflict});
    EXPECT_EQ(cancelled, 2);
    EXPECT_EQ(state(waiting), MessageState::cancelled);
    EXPECT_EQ(state(on_disk), MessageState::cancelled);
    advance(2h);
    EXPECT_EQ(connector->sent, std::vector{sending});
}

struct AtMostOnceTest : DispatcherFixture {
    [[nodiscard]] std::unique_ptr<model::Message> careful() {
        auto made = message();
        made->delivery = model::Delivery::at_most_once;
        return made;
    }
};

TEST_F(AtMostOnceTest, TheIntentIsDurableBeforeThePlatformIsCalled) {
    start();
    const auto id = accept(careful());
    EXPECT_EQ(connector->sent, std::vector{id});
    EXPECT_EQ(state(id), MessageState::sending);
}

TEST_F(AtMostOnceTest, ASendThatACrashInterruptedIsHeld) {
    start();
    const auto id = accept(careful());
    restart();  // The platform may or may not have it.
    EXPECT_TRUE(connector->sent.empty());
    EXPECT_EQ(state(id), MessageState::held);
}

TEST_F(AtMostOnceTest, APlatformThatRecognisesRepeatsNeedsNoIntent) {
    connector->abilities.recognises_repeats = true;
    start();
    const auto id = accept(careful());
    EXPECT_EQ(connector->sent, std::vector{id});
    EXPECT_EQ(state(id), MessageState::pending);
}

TEST_F(AtMostOnceTest, AnUnknownOutcomeIsHeldAndOtherwiseTriedAgain) {
    start();
    const auto held = accept(careful());
    const auto repeated = accept(message());
    report(held, Kind::unknown);
    report(repeated, Kind::unknown);
    EXPECT_EQ(state(held), MessageState::held);
    EXPECT_EQ(state(repeated), MessageState::pending);
    advance(10s);
    EXPECT_EQ(connector->sent, (std::vector{held, repeated, repeated}));
}

TEST_F(DispatcherTest, ABusyLaneDoesNotHoldUpAnother) {
    connector->abilities.window = 100'000;
    for (int count = 0; count < 300; ++count) {
        (void)commit(message());
    }
    auto other = message();
    other->device = *model::PhoneNumber::parse("6289876543211");
    const auto other_id = commit(std::move(other))->id;
    auto second = device;
    second.number = *model::PhoneNumber::parse("6289876543211");
    committer->start();
    dispatcher = std::make_unique<Dispatcher>(queue_clock, random, *committer, connectors,
                                              callbacks, on_finish, options, [](Event&&) {});
    ASSERT_TRUE(dispatcher->recover(*store->open_reader()));
    std::vector<Event> known;
    known.emplace_back(DeviceChanged{.device = device});
    known.emplace_back(DeviceChanged{.device = second});
    dispatcher->step(known);
    const auto place = std::ranges::find(connector->sent, other_id) - connector->sent.begin();
    EXPECT_LE(place, 64);
    EXPECT_LT(connector->sent.size(), 301U);
}

}  // namespace
}  // namespace merpati::scheduler
