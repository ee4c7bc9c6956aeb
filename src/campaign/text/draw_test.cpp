#include "campaign/text/draw.hpp"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace merpati::campaign {
namespace {

constexpr std::int64_t first_number = 628'110'000'000;

model::PhoneNumber number(std::int64_t place) {
    return model::PhoneNumber::from_stored(first_number + place);
}

/// Pearson's statistic of counts that should be equal.
double chi_square(const std::vector<std::uint64_t>& counts, std::uint64_t draws) {
    const auto expected = static_cast<double>(draws) / static_cast<double>(counts.size());
    double sum = 0;
    for (const auto count : counts) {
        const auto off = static_cast<double>(count) - expected;
        sum += off * off / expected;
    }
    return sum;
}

/// Never to be changed: campaigns that are under way depend on it.
TEST(Draw, GivesTheSameNumbersForEver) {
    std::vector<std::uint64_t> drawn;
    for (std::uint32_t index = 0; index < 8; ++index) {
        drawn.push_back(draw({12}, number(0), index, 1'000));
    }
    EXPECT_EQ(drawn, (std::vector<std::uint64_t>{375, 848, 40, 373, 752, 250, 172, 84}));
    EXPECT_EQ(draw({1}, number(0), 0, UINT64_MAX), 14'799'384'578'323'341'722U);
}

TEST(Draw, IsUniform) {
    for (const std::uint64_t count : {2U, 3U, 5U, 7U, 100U}) {
        std::vector<std::uint64_t> counts(count);
        constexpr std::uint64_t draws = 100'000;
        for (std::uint64_t place = 0; place < draws; ++place) {
            ++counts[draw({7}, number(static_cast<std::int64_t>(place)), 1, count)];
        }
        // For 99 degrees of freedom, 150 is exceeded once in a thousand cases; for fewer, more
        // rarely.
        EXPECT_LT(chi_square(counts, draws), count == 100 ? 150 : 25) << count;
    }
}

TEST(Draw, IsIndependentOfOtherIndexesCampaignsAndNumbers) {
    constexpr std::uint64_t draws = 50'000;
    constexpr std::uint64_t count = 4;
    std::vector<std::uint64_t> by_index(count * count);
    std::vector<std::uint64_t> by_campaign(count * count);
    std::vector<std::uint64_t> by_number(count * count);
    for (std::int64_t place = 0; place < static_cast<std::int64_t>(draws); ++place) {
        const auto one = draw({7}, number(place), 1, count) * count;
        ++by_index[one + draw({7}, number(place), 2, count)];
        ++by_campaign[one + draw({8}, number(place), 1, count)];
        ++by_number[one + draw({7}, number(place + 1), 1, count)];
    }
    // 15 degrees of freedom: 44 is exceeded once in ten thousand cases.
    EXPECT_LT(chi_square(by_index, draws), 44);
    EXPECT_LT(chi_square(by_campaign, draws), 44);
    EXPECT_LT(chi_square(by_number, draws), 44);
}

TEST(Draw, StaysBelowItsCount) {
    for (std::int64_t place = 0; place < 1'000; ++place) {
        EXPECT_EQ(draw({1}, number(place), 0, 1), 0U);
        EXPECT_LT(draw({1}, number(place), 0, (1ULL << 63U) + 1), (1ULL << 63U) + 1);
    }
}

}  // namespace
}  // namespace merpati::campaign
