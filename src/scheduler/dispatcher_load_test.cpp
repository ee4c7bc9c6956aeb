// What is read from the store meets what is on its way from acceptance.
#include "scheduler/dispatcher_fixture.hpp"

namespace merpati::scheduler {
namespace {

using namespace std::chrono_literals;

using DispatcherLoadTest = DispatcherFixture;

TEST_F(DispatcherLoadTest, AMessageReadBeforeItsAcceptanceIsHeardOfIsSentOnce) {
    const auto waiting = commit(message());
    auto immediate = commit(message());
    auto later = commit(message(1s));
    const auto immediate_id = immediate->id;
    const auto later_id = later->id;

    start();  // Reads all three from the store.
    EXPECT_EQ(connector->sent, (std::vector{waiting->id, immediate_id}));

    tell(Accepted{.message = std::move(immediate)});
    tell(Accepted{.message = std::move(later)});
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

}  // namespace
}  // namespace merpati::scheduler
