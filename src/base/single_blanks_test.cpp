#include "base/single_blanks.hpp"

#include <gtest/gtest.h>

namespace merpati {
namespace {

TEST(SingleBlanks, MakesOneOfEachRunAndNoneOfThoseAtTheEnds) {
    EXPECT_EQ(with_single_blanks("  satu \n\n\tdua\u3000tiga\u00a0 "), "satu dua tiga");
    EXPECT_EQ(with_single_blanks("é  \u4e2d"), "é \u4e2d");
    EXPECT_EQ(with_single_blanks(" \n "), "");
    EXPECT_EQ(with_single_blanks(""), "");
}

TEST(SingleBlanks, LeavesATextWithoutRunsAsItIs) {
    EXPECT_EQ(with_single_blanks("Halo, Budi! 50%"), "Halo, Budi! 50%");
    EXPECT_EQ(with_single_blanks("a\u200bb"), "a\u200bb");
}

TEST(SingleBlanks, TakesTimeInProportionToTheText) {
    const std::string blanks(1'000'000, ' ');
    EXPECT_EQ(with_single_blanks('a' + blanks + 'b'), "a b");
}

}  // namespace
}  // namespace merpati
