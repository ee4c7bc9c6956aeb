#include "base/shared_cache.hpp"

#include <string>

#include <gtest/gtest.h>

namespace merpati {
namespace {

constexpr int shop = 1;
constexpr int flood = 2;

TEST(SharedCache, FindsEntriesOfTheAccountAlone) {
    SharedCache<int, std::string, int> cache{4};
    cache.put(shop, "a", 1);
    cache.put(flood, "a", 2);
    EXPECT_EQ(*cache.find(shop, "a"), 1);
    EXPECT_EQ(*cache.find(flood, "a"), 2);
    EXPECT_EQ(cache.find(shop, "b"), nullptr);
    cache.put(shop, "a", 3);
    EXPECT_EQ(*cache.find(shop, "a"), 3);
    EXPECT_EQ(cache.size(), 2U);
}

TEST(SharedCache, GivesUpTheLongestUnused) {
    SharedCache<int, std::string, int> cache{2};
    cache.put(shop, "a", 1);
    cache.put(shop, "b", 2);
    EXPECT_NE(cache.find(shop, "a"), nullptr);
    cache.put(shop, "c", 3);
    EXPECT_NE(cache.find(shop, "a"), nullptr);
    EXPECT_EQ(cache.find(shop, "b"), nullptr);
    EXPECT_EQ(cache.size(), 2U);
}

TEST(SharedCache, TakesNothingFromAnAccountWithFewForOneWithMany) {
    SharedCache<int, std::string, int> cache{100};
    for (int number = 0; number < 10; ++number) {
        cache.put(shop, std::to_string(number), number);
    }
    for (int number = 0; number < 100'000; ++number) {
        cache.put(flood, std::to_string(number), number);
    }
    EXPECT_EQ(cache.size(), 100U);
    for (int number = 0; number < 10; ++number) {
        EXPECT_NE(cache.find(shop, std::to_string(number)), nullptr);
    }
}

}  // namespace
}  // namespace merpati
