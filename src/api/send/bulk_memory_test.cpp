#include "api/send/bulk_memory.hpp"

#include <optional>

#include <gtest/gtest.h>

namespace merpati::api {
namespace {

constexpr manage::Share one{.kind = manage::Share::Kind::account, .id = 1};
constexpr manage::Share two{.kind = manage::Share::Kind::account, .id = 2};

struct BulkMemoryTest : ::testing::Test {
    BulkMemory memory{100};
};

TEST_F(BulkMemoryTest, OneCallerAloneHoldsHalfInAllItsRequests) {
    auto first = memory.hold(one);
    EXPECT_TRUE(first.grow(30));
    auto second = memory.hold(one);
    EXPECT_TRUE(second.grow(20));
    const auto refused = second.grow(1);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().status, 429);
}

TEST_F(BulkMemoryTest, WhoHoldsNothingFindsWhatIsFree) {
    auto first = memory.hold(one);
    ASSERT_TRUE(first.grow(50));
    auto other = memory.hold(two);
    EXPECT_TRUE(other.grow(50));
    auto third = memory.hold({.kind = manage::Share::Kind::person, .id = 1});
    const auto refused = third.grow(1);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().status, 503);
}

TEST_F(BulkMemoryTest, AHoldGivesItsBytesBackOnce) {
    std::optional first{memory.hold(one)};
    ASSERT_TRUE(first->grow(50));
    std::optional moved{std::move(*first)};
    first.reset();
    EXPECT_FALSE(memory.hold(one).grow(1));
    moved.reset();
    auto later = memory.hold(one);
    EXPECT_TRUE(later.grow(50));
}

}  // namespace
}  // namespace merpati::api
