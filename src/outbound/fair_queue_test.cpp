#include "outbound/fair_queue.hpp"

#include <string>

#include <gtest/gtest.h>

namespace merpati::outbound {
namespace {

struct FairQueueTest : ::testing::Test {
    std::string take_all() {
        std::string order;
        while (const auto next = queue.take([](std::int64_t) { return true; })) {
            order += (order.empty() ? "" : " ") + *next;
        }
        return order;
    }

    FairQueue<std::string> queue;
};

TEST_F(FairQueueTest, ServesAccountsInTurnAndThenTheirOrigins) {
    for (const auto* item : {"a1", "a2", "a3"}) {
        queue.push(1, "a", item);
    }
    queue.push(1, "b", "b1");
    queue.push(2, "a", "other");
    EXPECT_EQ(take_all(), "a1 other b1 a2 a3");
    EXPECT_TRUE(queue.empty());
}

TEST_F(FairQueueTest, PassesOverAnAccountThatMayNot) {
    queue.push(1, "a", "a1");
    queue.push(2, "b", "b1");
    EXPECT_EQ(queue.take([](std::int64_t account) { return account == 2; }), "b1");
    EXPECT_EQ(queue.take([](std::int64_t account) { return account == 2; }), std::nullopt);
    EXPECT_EQ(take_all(), "a1");
}

TEST_F(FairQueueTest, ForgetsWhatIsRemoved) {
    const auto first = queue.push(1, "a", "a1");
    queue.push(1, "a", "a2");
    const auto only = queue.push(2, "b", "b1");
    queue.remove(only);
    queue.remove(first);
    EXPECT_EQ(take_all(), "a2");
    EXPECT_TRUE(queue.empty());
}

}  // namespace
}  // namespace merpati::outbound
