#include "model/account.hpp"

#include <gtest/gtest.h>

namespace merpati::model {
namespace {

TEST(RateChoiceTest, ReadsBackWhatItPrints) {
    for (const auto* text : {"50/s", "600/min", "1000000/s", "none", "default"}) {
        const auto rate = RateChoice::parse(text);
        ASSERT_TRUE(rate) << text;
        EXPECT_EQ(rate->text(), text);
    }
}

TEST(RateChoiceTest, RefusesEverythingElse) {
    for (const auto* text : {"", "0/s", "-1/s", "5", "5/h", "5 /s", "1000001/s", "1000001/min",
                             "99999999999/s", "unlimited"}) {
        EXPECT_FALSE(RateChoice::parse(text)) << text;
    }
}

TEST(PlanTest, ReadsBackWhatItPrints) {
    for (const auto plan : {Plan::paid, Plan::trial, Plan::free}) {
        EXPECT_EQ(parse_plan(to_string(plan)), plan);
    }
    EXPECT_FALSE(parse_plan("gold"));
}

TEST(RevisionTest, IsReadInEitherCase) {
    EXPECT_EQ(parse_revision("a"), Revision::a);
    EXPECT_EQ(parse_revision("B"), Revision::b);
    EXPECT_FALSE(parse_revision("AB"));
}

}  // namespace
}  // namespace merpati::model
