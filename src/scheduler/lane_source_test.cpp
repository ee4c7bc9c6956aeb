#include "scheduler/lane_source.hpp"

#include <cstdint>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace merpati::scheduler {
namespace {

struct LaneHeapTest : ::testing::Test {
    /// A message that was accepted after all others, and is due at this millisecond.
    model::MessageId push(std::int64_t due) {
        store::QueuedMessage queued;
        queued.message = std::make_unique<model::Message>();
        queued.message->id = model::MessageId{++accepted, 1};
        queued.queued_at = from_unix_millis(due);
        const auto id = queued.message->id;
        heap.push(std::move(queued));
        return id;
    }

    /// Times and numbers, in the order in which messages are taken.
    using Taken = std::vector<std::pair<std::int64_t, std::int64_t>>;

    Taken take_all() {
        Taken taken;
        while (!heap.empty()) {
            const auto* const first = heap.top().message.get();
            const auto queued = heap.pop();
            EXPECT_EQ(queued.message.get(), first);
            taken.emplace_back(to_unix_millis(queued.queued_at), queued.message->id.sequence());
        }
        EXPECT_EQ(heap.size(), 0U);
        return taken;
    }

    std::int64_t accepted = 0;
    LaneHeap heap;
};

TEST_F(LaneHeapTest, MessagesAreTakenInTheOrderOfTheirTimesHoweverTheyCame) {
    for (const std::int64_t due : {5, 6, 2, 7, 6, 1, 8, 2, 8}) {
        push(due);
    }
    EXPECT_EQ(heap.size(), 9U);
    EXPECT_EQ(heap.latest(), from_unix_millis(8));
    EXPECT_EQ(take_all(),
              (Taken{{1, 6}, {2, 3}, {2, 8}, {5, 1}, {6, 2}, {6, 5}, {7, 4}, {8, 7}, {8, 9}}));
}

TEST_F(LaneHeapTest, OneThatIsDueLateDelaysNoneThatComeAfterIt) {
    push(100);
    push(1);
    push(2);
    EXPECT_EQ(take_all(), (Taken{{1, 2}, {2, 3}, {100, 1}}));
    push(3);
    EXPECT_EQ(take_all(), (Taken{{3, 4}}));
}

TEST_F(LaneHeapTest, AnyMessageCanBeRemoved) {
    push(5);
    const auto in_order = push(6);
    const auto earlier = push(2);
    push(7);
    push(3);
    EXPECT_EQ(heap.remove(in_order)->message->id, in_order);
    EXPECT_EQ(heap.remove(earlier)->message->id, earlier);
    EXPECT_FALSE(heap.remove(earlier));
    EXPECT_EQ(take_all(), (Taken{{3, 5}, {5, 1}, {7, 4}}));
}

TEST_F(LaneHeapTest, TheLaterHalfIsThatOfAllMessages) {
    for (const std::int64_t due : {5, 6, 2, 7, 3, 9}) {
        push(due);
    }
    std::set<std::int64_t> later;
    for (const auto& queued : heap.pop_later_half()) {
        later.insert(to_unix_millis(queued.queued_at));
    }
    EXPECT_EQ(later, (std::set<std::int64_t>{6, 7, 9}));
    EXPECT_EQ(heap.latest(), from_unix_millis(5));
    push(4);
    EXPECT_EQ(take_all(), (Taken{{2, 3}, {3, 5}, {4, 7}, {5, 1}}));
}

TEST_F(LaneHeapTest, AMessageFromTheStoreIsKnownUntilItIsTaken) {
    store::QueuedMessage queued;
    queued.message = std::make_unique<model::Message>();
    queued.message->id = model::MessageId{7, 1};
    const auto id = queued.message->id;
    heap.push_loaded(std::move(queued));
    EXPECT_TRUE(heap.is_loaded(id));
    EXPECT_EQ(heap.pop().message->id, id);
    EXPECT_FALSE(heap.is_loaded(id));
}

}  // namespace
}  // namespace merpati::scheduler
