#include "model/ids.hpp"

#include <gtest/gtest.h>

namespace merpati::model {
namespace {

TEST(RowIdTest, ReadsThePrintedFormAndTheBareNumber) {
    EXPECT_EQ(AccountId{12}.text(), "acc_12");
    EXPECT_EQ(AccountId::parse("acc_12"), AccountId{12});
    EXPECT_EQ(AccountId::parse("12"), AccountId{12});
}

TEST(RowIdTest, RefusesEverythingElse) {
    for (const auto* text :
         {"", "acc_", "key_12", "0", "01", "acc_01", "-1", "1x", "9999999999999999999"}) {
        EXPECT_FALSE(AccountId::parse(text)) << text;
    }
}

TEST(PhoneNumberTest, HasEightToFifteenDigitsAndNoLeadingZero) {
    EXPECT_EQ(PhoneNumber::parse("6281234567890")->text(), "6281234567890");
    EXPECT_TRUE(PhoneNumber::parse("12345678"));
    EXPECT_TRUE(PhoneNumber::parse("123456789012345"));
    for (const auto* text : {"", "1234567", "1234567890123456", "0812345678", "+6281234567",
                             "62 8123456", "6281234567a"}) {
        EXPECT_FALSE(PhoneNumber::parse(text)) << text;
    }
}

}  // namespace
}  // namespace merpati::model
