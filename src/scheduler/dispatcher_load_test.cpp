// Messages that are read from the store before their event of acceptance comes.
#include <algorithm>

#include "scheduler/dispatcher_fixture.hpp"
#include "scheduler/watched_reader_fixture.hpp"

namespace merpati::scheduler {
namespace {

using namespace std::chrono_literals;

using DispatcherLoadTest = DispatcherFixture;

TEST_F(DispatcherLoadTest, AMessageReadBeforeTheEventOfItsAcceptanceIsSentOnce) {
    const auto waiting = commit(message());
    auto immediate = commit(message());
    auto later = commit(message(1s));
    const auto immediate_id = immediate->id;
    const auto later_id = later->id;

    start();  // Reads all three from the store.
    EXPECT_EQ(connector->sent, (std::vector{waiting->id, immediate_id}));

    post(Accepted{.message = std::move(immediate)});
    post(Accepted{.message = std::move(later)});
    advance(1s);
    EXPECT_EQ(connector->sent, (std::vector{waiting->id, immediate_id, later_id}));
    EXPECT_EQ(dispatcher->counts().messages_in_memory, 0U);
}

TEST_F(DispatcherLoadTest, MoreThanMemoryHoldsIsSentInOrderAndStaysBounded) {
    options.lane_memory_max = 8;
    connector->abilities.window = 2;
    std::vector<model::MessageId> order;
    for (int count = 0; count < 40; ++count) {
        order.push_back(commit(message())->id);
    }
    start();
    for (int count = 0; count < 20; ++count) {
        order.push_back(accept(message()));
        EXPECT_LE(dispatcher->counts().messages_in_memory, 8U);
    }
    for (std::size_t place = 0; place < order.size(); ++place) {
        ASSERT_GT(connector->sent.size(), place);
        report_sent(connector->sent[place]);
        EXPECT_LE(dispatcher->counts().messages_in_memory, 8U);
        advance(100ms);
    }
    EXPECT_EQ(connector->sent, order);
}

TEST_F(DispatcherLoadTest, WhatIsDueLaterThanTheHorizonIsNotHeldInMemory) {
    start();
    const auto id = accept(message(1h));
    EXPECT_EQ(dispatcher->counts().messages_in_memory, 0U);
    advance(1h - 1ms);
    EXPECT_TRUE(connector->sent.empty());
    advance(1ms);
    EXPECT_EQ(connector->sent, std::vector{id});
}

TEST_F(DispatcherLoadTest, ALaneThatComesDueDenselyIsReadSeldom) {
    Watch watch;
    wrap_reader = [&watch](std::unique_ptr<store::Reader> real) {
        return std::make_unique<WatchedReader>(std::move(real), watch);
    };
    constexpr int count = 500;  // One every 20 ms for 10 s.
    std::vector<model::MessageId> order;
    for (int place = 0; place < count; ++place) {
        order.push_back(commit(message(20ms * place))->id);
    }
    connector->abilities.window = count;
    start();
    for (int place = 0; place < count; ++place) {
        EXPECT_EQ(connector->sent.size(), static_cast<std::size_t>(place) + 1);
        advance(20ms);
    }
    EXPECT_EQ(connector->sent, order);
    EXPECT_LE(watch.reads, 10);
}

/// A lane with a million messages waiting, made as they are read.
class MillionReader final : public WatchedReader {
public:
    static constexpr std::int64_t count = 1'000'000;

    MillionReader(std::unique_ptr<store::LaneReader> real, Watch& watch, model::PhoneNumber device,
                  Timestamp due)
        : WatchedReader(std::move(real), watch), device_(device), due_(due) {}

    Result<std::vector<store::LaneSummary>> lanes() override {
        return std::vector<store::LaneSummary>{{.device = device_, .due_from = due_}};
    }
    Result<std::vector<store::QueuedMessage>> load_lane(model::PhoneNumber, model::Source,
                                                        Timestamp, std::size_t limit,
                                                        const store::Known& known) override {
        largest = std::max(largest, limit);
        std::vector<store::QueuedMessage> loaded;
        // Messages before `next` have ended; those the caller knows begin there.
        for (auto place = next; place <= count && loaded.size() < limit; ++place) {
            const Uuid id{place, 0};
            if (known(id)) {
                continue;
            }
            auto one = std::make_unique<model::Message>();
            one->id = id;
            one->device = device_;
            one->recipient = "6281234567890";
            one->due_at = due_;
            loaded.push_back({.message = std::move(one), .queued_at = due_});
        }
        return loaded;
    }
    Result<std::optional<Timestamp>> next_due(model::PhoneNumber, model::Source,
                                              Timestamp) override {
        return std::nullopt;
    }

    std::int64_t next = 1;  // The first that waits.
    std::size_t largest = 0;

private:
    model::PhoneNumber device_;
    Timestamp due_;
};

TEST_F(DispatcherLoadTest, AMillionWaitingMessagesCostNoMoreMemoryThanAFew) {
    Watch watch;
    MillionReader* reader = nullptr;
    wrap_reader = [&](std::unique_ptr<store::Reader> real) {
        auto million =
            std::make_unique<MillionReader>(std::move(real), watch, device.number, clock.now());
        reader = million.get();
        return million;
    };
    connector->abilities.window = 256;
    start();
    std::size_t held = 0;
    for (std::size_t ended = 0; ended < 10'000; ++ended) {
        const auto now = dispatcher->counts();
        held = std::max<std::size_t>(held, now.messages_in_memory);
        EXPECT_LE(now.sends_in_flight, 256U);
        std::vector<Event> outcome;
        outcome.emplace_back(Reported{.message = connector->sent[ended],
                                      .outcome = {.kind = model::Outcome::Kind::sent}});
        dispatcher->step(outcome);
        reader->next = static_cast<std::int64_t>(ended) + 2;
        if (connector->sent.size() == ended + 1) {
            flush();
            settle();
        }
    }
    EXPECT_GE(held, 512U);
    EXPECT_LE(held, options.lane_memory_max);
    EXPECT_LE(reader->largest, 1'024U);
    EXPECT_TRUE(std::ranges::is_sorted(connector->sent));
    EXPECT_EQ(std::ranges::adjacent_find(connector->sent), connector->sent.end());
}

}  // namespace
}  // namespace merpati::scheduler
