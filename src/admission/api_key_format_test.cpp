#include "admission/api_key_format.hpp"

#include <gtest/gtest.h>

#include "testing/fixed_random.hpp"

namespace merpati::admission {
namespace {

struct ApiKeyFormatTest : ::testing::Test {
    testing::FixedRandom random;
};

TEST_F(ApiKeyFormatTest, AMadeKeyIsWellFormed) {
    for (int round = 0; round < 100; ++round) {
        const auto key = make_api_key(random);
        EXPECT_EQ(key.size(), api_key_size);
        EXPECT_TRUE(key.starts_with("mpt_"));
        EXPECT_TRUE(is_api_key_well_formed(key)) << key;
    }
}

TEST_F(ApiKeyFormatTest, TwoKeysDiffer) {
    EXPECT_NE(make_api_key(random), make_api_key(random));
}

TEST_F(ApiKeyFormatTest, AnyOneWrongCharacterIsNoticed) {
    const auto key = make_api_key(random);
    for (std::size_t place = 0; place < key.size(); ++place) {
        auto wrong = key;
        wrong[place] = wrong[place] == 'x' ? 'y' : 'x';
        EXPECT_FALSE(is_api_key_well_formed(wrong)) << place;
    }
}

TEST_F(ApiKeyFormatTest, TwoNeighboursExchangedAreNoticed) {
    const auto key = make_api_key(random);
    for (std::size_t place = 0; place + 1 < key.size(); ++place) {
        auto wrong = key;
        std::swap(wrong[place], wrong[place + 1]);
        if (wrong != key) {
            EXPECT_FALSE(is_api_key_well_formed(wrong)) << place;
        }
    }
}

TEST_F(ApiKeyFormatTest, OtherSizesPrefixesAndAlphabetsAreNotWellFormed) {
    const auto key = make_api_key(random);
    for (const auto& wrong :
         {std::string{}, std::string{"mpt_"}, key + "0", key.substr(0, 52), "MPT_" + key.substr(4),
          key.substr(0, 20) + "-" + key.substr(21), std::string(53, '\0')}) {
        EXPECT_FALSE(is_api_key_well_formed(wrong)) << wrong;
    }
}

/// Fixed for ever: a key that was given out must stay well formed.
TEST_F(ApiKeyFormatTest, TheChecksumIsTheCrc32OfIeeeInBase62) {
    EXPECT_TRUE(is_api_key_well_formed("mpt_00000000000000000000000000000000000000000001jJeUk"));
}

}  // namespace
}  // namespace merpati::admission
