#include "campaign/audience/number_text.hpp"

#include <gtest/gtest.h>

namespace merpati::campaign {
namespace {

std::string number_in(std::string_view text, std::string_view country = "62") {
    const auto read = read_number(text, country);
    return read.number ? read.number->text() : "";
}

TEST(NumberTextTest, RemovesWhatPeopleWriteBetweenDigits) {
    for (const auto* text :
         {"6281234567890", "+6281234567890", "081234567890", "006281234567890",
          "0062 812-3456-7890", "+62 (0)812 3456 7890", "(0812) 3456-7890", "[0812] 3456 7890",
          "  0812\t3456\n7890 ", "0812\u00A03456\u20107890", "0812\u20113456\u20147890",
          "\u202A+62 812 3456 7890\u202C", "\u20660812\u200934567890\u2069", "\uFEFF081234567890",
          "0812\u200B3456\u20607890", "\uFF0B62\uFF08812\uFF093456\u22127890",
          "0812\u202F3456\u30007890", "+0812 3456 7890"}) {
        EXPECT_EQ(number_in(text), "6281234567890") << text;
    }
}

TEST(NumberTextTest, AnythingElseMakesTheCellInvalid) {
    for (const auto* text :
         {"",
          "-",
          "+",
          "0",
          "00",
          "nomor",
          "0812345678x",
          "0812.3456.7890",
          "0812/34567890",
          "'081234567890",
          "=081234567890",
          "6.28123E+12",
          "6281234567890.0",
          "0812,3456",
          "\uFF10\uFF18\uFF11\uFF12\uFF13\uFF14\uFF15\uFF16\uFF17\uFF18",  // Full-width digits.
          "\u0660\u0668\u0661\u0662\u0663\u0664\u0665\u0666",              // Arabic digits.
          "081234",
          "62812",
          "6281234567890123",
          "2101234567",
          "000812345678",
          "081234567890 081234567891",
          "\x01"
          "081234567890"}) {
        EXPECT_EQ(number_in(text), "") << text;
    }
}

TEST(NumberTextTest, ALeadingZeroStandsForTheCountry) {
    EXPECT_EQ(number_in("0612345678", "31"), "31612345678");
    EXPECT_EQ(number_in("0123456789", "60"), "60123456789");
    EXPECT_EQ(number_in("81234567890"), "81234567890");  // As a spreadsheet leaves 081234567890.
    EXPECT_EQ(number_in("390612345678", "62"), "390612345678");
}

TEST(NumberTextTest, KnowsTheShortFormOfSpreadsheets) {
    for (const auto* text : {"6.28123E+12", "6,28123E+12", " 6.28e12 ", "8E+11"}) {
        EXPECT_TRUE(read_number(text, "62").is_rounded) << text;
    }
    for (const auto* text :
         {"", "E+12", "6.28E", "6.28E+", "6.28E+123", "6x28E+12", "0812345678"}) {
        EXPECT_FALSE(read_number(text, "62").is_rounded) << text;
    }
}

TEST(NumberTextTest, TellsTypicalNumbersFromOtherPossibleOnes) {
    EXPECT_TRUE(read_number("0812345678", "62").is_typical);
    EXPECT_TRUE(read_number("+1 202 555 0123", "62").is_typical);
    EXPECT_TRUE(read_number("62812345678", "62").is_typical);
    EXPECT_FALSE(read_number("2026-11-25", "62").is_typical);
    EXPECT_FALSE(read_number("0812", "62").is_typical);
}

}  // namespace
}  // namespace merpati::campaign
