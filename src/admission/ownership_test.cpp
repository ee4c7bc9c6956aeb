#include "admission/ownership.hpp"

#include <array>

#include <gtest/gtest.h>

namespace merpati::admission {
namespace {

constexpr model::AccountId first{.value = 1};
constexpr model::AccountId second{.value = 2};
constexpr model::AccountId beside_first{.value = 1 + store::shard_count};
constexpr std::array<store::Shard, 1> shard_of_first{1};

TEST(OwnershipTest, OfAProcessThatIsAloneAllAccountsAreHere) {
    const Ownership ownership;
    EXPECT_TRUE(ownership.works_for(first));
    EXPECT_TRUE(ownership.keeps_house());
    EXPECT_TRUE(ownership.here().is_all());
}

TEST(OwnershipTest, AmongSeveralNoneIsHereAtFirst) {
    const Ownership ownership{Stay::elsewhere};
    EXPECT_EQ(ownership.of(first), Stay::elsewhere);
    EXPECT_FALSE(ownership.keeps_house());
    EXPECT_TRUE(ownership.here().empty());
}

TEST(OwnershipTest, TheAccountsOfAShardStayTogether) {
    Ownership ownership{Stay::elsewhere};
    ownership.set(shard_of_first, Stay::here);
    EXPECT_TRUE(ownership.works_for(first));
    EXPECT_TRUE(ownership.works_for(beside_first));
    EXPECT_FALSE(ownership.works_for(second));
    EXPECT_EQ(ownership.here().list(), (std::vector<store::Shard>{1}));
}

TEST(OwnershipTest, AnAccountThatLeavesIsNotWorkedForButNotElsewhereYet) {
    Ownership ownership;
    ownership.set(shard_of_first, Stay::leaving);
    EXPECT_FALSE(ownership.works_for(first));
    EXPECT_EQ(ownership.of(first), Stay::leaving);
    EXPECT_TRUE(ownership.answers_for(first));
    ownership.set(shard_of_first, Stay::elsewhere);
    EXPECT_FALSE(ownership.answers_for(first));
    EXPECT_TRUE(ownership.works_for(second));
}

TEST(OwnershipTest, EachChangeCounts) {
    Ownership ownership;
    EXPECT_EQ(ownership.changes(), 0U);
    ownership.set(shard_of_first, Stay::elsewhere);
    ownership.set(shard_of_first, Stay::here);
    EXPECT_EQ(ownership.changes(), 2U);
}

}  // namespace
}  // namespace merpati::admission
