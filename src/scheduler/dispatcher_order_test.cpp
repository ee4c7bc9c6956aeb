// In which order a lane sends, and how fast.
#include <algorithm>

#include "scheduler/dispatcher_fixture.hpp"

namespace merpati::scheduler {
namespace {

using namespace std::chrono_literals;

struct OrderTest : DispatcherFixture {
    struct Made {
        Timestamp due;
        model::MessageId id;
        friend auto operator<=>(const Made&, const Made&) = default;
    };
    std::vector<Made> made;

    /// Accepts a message; `notified`: the dispatcher gets its event.
    void add(Millis delay, bool notified) {
        auto stored = commit(message(delay));
        made.push_back({stored->due_at, stored->id});
        if (notified) {
            post(Accepted{.message = std::move(stored)});
        } else if (dispatcher != nullptr) {
            post(QueuedOnDisk{.device = device.number, .due = stored->due_at});
        }
    }
    /// Lets all leave, one after the other.
    void send_all() {
        for (std::size_t turn = 0; turn < 40 * made.size(); ++turn) {
            if (!connector->sent.empty()) {
                report_sent(connector->sent.back());
            }
            advance(500ms);
        }
    }
    [[nodiscard]] std::vector<model::MessageId> by_due() {
        std::ranges::sort(made);
        std::vector<model::MessageId> ids;
        std::ranges::transform(made, std::back_inserter(ids), &Made::id);
        return ids;
    }
};

TEST_F(OrderTest, APacedLaneSendsInOrderOfDueTime) {
    device.pace.gap_min = 1s;
    start();
    for (int count = 0; count < 60; ++count) {
        add(Millis{(count * 7919) % 40'000}, true);
        advance(10ms);
    }
    send_all();
    EXPECT_EQ(connector->sent, by_due());
}

TEST_F(OrderTest, WhatIsDueEarlierGoesFirstThoughMemoryIsFull) {
    device.pace.gap_min = 1s;
    for (int count = 0; count < 40; ++count) {
        add(Millis{1'000 + (count % 7) * 100}, false);
    }
    clock.advance(500ms);
    start();
    for (int count = 0; count < 20; ++count) {
        add(Millis{(count * 37) % 400}, count % 2 == 0);
    }
    send_all();
    EXPECT_EQ(connector->sent, by_due());
}

TEST_F(OrderTest, OfTheSameMomentTheFirstAcceptedGoesFirst) {
    device.pace.gap_min = 1s;
    for (int count = 0; count < 50; ++count) {
        add(10s, false);
    }
    start();
    send_all();
    EXPECT_EQ(connector->sent, by_due());
    EXPECT_TRUE(std::ranges::is_sorted(connector->sent));
}

struct PaceTest : OrderTest {
    void send_one() {
        add(0ms, true);
        report_sent(connector->sent.back());
    }
};

TEST_F(PaceTest, TheDaysCapOutlastsARestart) {
    device.pace.per_day_max = 3;
    start();
    send_one();
    send_one();
    restart();
    send_one();
    add(0ms, true);
    EXPECT_EQ(connector->sent.size(), 1U);
    restart();
    EXPECT_TRUE(connector->sent.empty());
    advance(14h - 1s);  // Until midnight.
    EXPECT_TRUE(connector->sent.empty());
    advance(1s);
    EXPECT_EQ(connector->sent, std::vector{made.back().id});
}

TEST_F(PaceTest, TheGapOutlastsARestart) {
    device.pace.gap_min = 5s;
    start();
    send_one();
    restart();
    add(0ms, true);
    advance(4999ms);
    EXPECT_TRUE(connector->sent.empty());
    advance(1ms);
    EXPECT_EQ(connector->sent.size(), 1U);
}

TEST_F(PaceTest, ARetryCountsToo) {
    device.pace.per_day_max = 2;
    start();
    add(0ms, true);
    report(connector->sent.back(), model::Outcome::Kind::retry);
    restart();
    advance(10s);
    EXPECT_EQ(connector->sent.size(), 1U);
    report_sent(connector->sent.back());
    add(0ms, true);
    EXPECT_EQ(connector->sent.size(), 1U);
}

TEST_F(PaceTest, AClockThatIsSetStretchesNoDay) {
    device.pace.per_day_max = 1;
    start();
    send_one();
    clock.set_wall(clock.now() - 48h);
    add(0ms, true);
    advance(14h);
    EXPECT_EQ(connector->sent.size(), 2U);
}

TEST_F(PaceTest, ADeviceWithoutAPaceWritesNothingOfIt) {
    start();
    send_one();
    EXPECT_TRUE((*store->open_reader())->lane_records()->empty());
}

struct DrainTest : DispatcherFixture {};

TEST_F(DrainTest, OutcomesOfWhatIsUnderWayAreTakenAndNothingElseIsSent) {
    connector->abilities.window = 1;
    start();
    const auto going = accept(message());
    const auto waiting = accept(message());
    dispatcher->drain();
    EXPECT_EQ(dispatcher->in_flight(), 1U);
    report_sent(going);
    EXPECT_EQ(dispatcher->in_flight(), 0U);
    EXPECT_EQ(state(going), model::MessageState::sent);
    EXPECT_EQ(connector->sent, std::vector{going});
    EXPECT_EQ(state(waiting), model::MessageState::pending);
}

TEST_F(DrainTest, AnIntentThatIsRecordedTooLateIsTakenBack) {
    start();
    auto careful = message();
    careful->delivery = model::Delivery::at_most_once;
    auto stored = commit(std::move(careful));
    const auto id = stored->id;
    {
        std::vector<Event> now;
        now.emplace_back(Accepted{.message = std::move(stored)});
        dispatcher->step(now);  // The intent is being committed.
    }
    dispatcher->drain();
    settle();
    EXPECT_EQ(dispatcher->in_flight(), 0U);
    EXPECT_TRUE(connector->sent.empty());
    EXPECT_EQ(state(id), model::MessageState::pending);
}

}  // namespace
}  // namespace merpati::scheduler
