#include "base/random.hpp"

#include <array>
#include <set>

#include <gtest/gtest.h>

#include "testing/fixed_random.hpp"

namespace merpati {
namespace {

TEST(RandomTest, BetweenReachesBothEndsAndNothingOutside) {
    testing::FixedRandom random;
    std::set<std::uint64_t> seen;
    for (int draw = 0; draw < 1000; ++draw) {
        seen.insert(random.between(3, 7));
    }
    EXPECT_EQ(seen, (std::set<std::uint64_t>{3, 4, 5, 6, 7}));
}

TEST(RandomTest, TheSystemDoesNotRepeatItself) {
    SystemRandom random;
    std::set<std::uint64_t> seen;
    for (int draw = 0; draw < 1000; ++draw) {
        seen.insert(random.next());
    }
    EXPECT_EQ(seen.size(), 1000U);
}

TEST(RandomTest, FillsMoreThanItsPool) {
    SystemRandom random;
    std::array<std::byte, 4096> bytes{};
    random.fill(bytes);
    std::set<std::byte> seen{bytes.begin(), bytes.end()};
    EXPECT_GT(seen.size(), 200U);
}

}  // namespace
}  // namespace merpati
