#include "cluster/placement.hpp"

#include <algorithm>
#include <map>
#include <ranges>

#include <gtest/gtest.h>

#include "model/ids.hpp"

namespace merpati::cluster {
namespace {

using namespace std::chrono_literals;
using store::NodeGeneration;
using store::Shard;

constexpr std::size_t any_number = 1'000;
constexpr std::int64_t accounts_count = 10'000;

/// A table of shards, and the nodes that have been up for long.
struct PlacementTest : ::testing::Test {
    PlacementTest() {
        for (Shard shard = 0; shard < store::shard_count; ++shard) {
            owners.push_back({.shard = shard, .owner = {}});
        }
    }

    void join(std::int64_t node, Millis up_for = 2min) {
        members.push_back({.id = {.node = node, .generation = 1},
                           .joined_at = Timestamp{} + Millis{node},
                           .up_for = up_for});
    }
    void go(std::int64_t node) {
        std::erase_if(members, [&](const Member& member) { return member.id.node == node; });
        for (auto& [shard, owner] : owners) {
            if (owner && owner->node == node) {
                owner.reset();
            }
        }
    }
    /// Moves the shards as they should be; returns how many changed owners.
    std::size_t settle(std::size_t owners_max = any_number) {
        const auto placement = place(members, owners, owners_max);
        std::size_t moved = 0;
        for (auto& [shard, owner] : owners) {
            const auto& next = placement.at(static_cast<std::size_t>(shard));
            moved += owner != next ? 1 : 0;
            owner = next;
        }
        return moved;
    }
    /// The accounts of each node: the least, and the most.
    [[nodiscard]] std::pair<std::int64_t, std::int64_t> spread() const {
        std::map<std::int64_t, std::int64_t> accounts;
        for (const auto& member : members) {
            accounts[member.id.node] = 0;
        }
        for (std::int64_t id = 1; id <= accounts_count; ++id) {
            const auto shard = store::shard_of(model::AccountId{.value = id});
            ++accounts[owners.at(static_cast<std::size_t>(shard)).owner->node];
        }
        const auto [least, most] = std::ranges::minmax(accounts | std::views::values);
        return {least, most};
    }

    std::vector<Member> members;
    std::vector<store::ShardOwner> owners;
};

TEST_F(PlacementTest, WithoutANodeNobodyOwnsAnything) {
    EXPECT_EQ(settle(), 0U);
}

TEST_F(PlacementTest, OneNodeOwnsAllAndKeepsAll) {
    join(7);
    EXPECT_EQ(settle(), 256U);
    EXPECT_EQ(settle(), 0U);
}

TEST_F(PlacementTest, AHundredNodesHaveTenThousandAccountsInEqualParts) {
    for (int node = 1; node <= 100; ++node) {
        join(node);
    }
    EXPECT_EQ(settle(), 256U);
    const auto [least, most] = spread();
    EXPECT_GE(least, 2 * 39);  // Two shards,
    EXPECT_LE(most, 3 * 40);   // or three.
    EXPECT_EQ(settle(), 0U);
}

TEST_F(PlacementTest, ANodeThatJoinsMovesItsPartAndNothingElse) {
    for (int node = 1; node <= 100; ++node) {
        join(node);
        const auto part = store::shard_count / node;
        const auto moved = static_cast<std::int64_t>(settle());
        EXPECT_LE(moved, part + 1) << node;
        EXPECT_GE(moved, part) << node;
    }
}

TEST_F(PlacementTest, ANodeThatIsGoneMovesWhatItHadAndNothingElse) {
    for (int node = 1; node <= 100; ++node) {
        join(node);
    }
    settle();
    for (int node = 1; node < 100; ++node) {
        const auto had = std::ranges::count_if(
            owners, [&](const auto& one) { return one.owner && one.owner->node == node; });
        go(node);
        EXPECT_EQ(settle(), static_cast<std::size_t>(had)) << node;
    }
    EXPECT_EQ(spread().second, accounts_count);
}

TEST_F(PlacementTest, WhateverTheOrderOfTheRowsAllComeToTheSameResult) {
    for (int node = 1; node <= 9; ++node) {
        join(node);
    }
    const auto placement = place(members, owners, any_number);
    std::ranges::reverse(members);
    EXPECT_EQ(place(members, owners, any_number), placement);
}

TEST_F(PlacementTest, ANodeThatComesAndGoesMovesNothing) {
    join(1);
    settle();
    for (int time = 0; time < 10; ++time) {
        join(2, 20s);
        EXPECT_EQ(settle(), 0U);
        go(2);
    }
    join(2, probation);
    EXPECT_EQ(settle(), 128U);
}

TEST_F(PlacementTest, WhereAllNodesAreNewTheyDoNotWait) {
    join(1, 1s);
    join(2, 0s);
    EXPECT_EQ(settle(), 256U);
    EXPECT_GE(spread().first, accounts_count / 2 - 1);
}

TEST_F(PlacementTest, AtMostSoManyOwnAndTheOthersTakeOver) {
    join(3);
    join(5);
    join(4);
    settle(1);
    EXPECT_EQ(owners.front().owner->node, 3);
    EXPECT_EQ(spread().second, accounts_count);
    join(1);  // Joined before, as its clock says; but another one owns all.
    EXPECT_EQ(settle(1), 0U);
    go(3);
    EXPECT_EQ(settle(1), 256U);
    EXPECT_EQ(owners.front().owner->node, 1);
}

}  // namespace
}  // namespace merpati::cluster
