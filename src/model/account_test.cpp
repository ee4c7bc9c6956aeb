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

TEST(CallbackBatchTest, ReadsBackWhatItPrints) {
    for (const auto* text : {"1/0ms", "100/200ms", "100/5000ms"}) {
        const auto batch = CallbackBatch::parse(text);
        ASSERT_TRUE(batch) << text;
        EXPECT_EQ(batch->text(), text);
    }
}

TEST(CallbackBatchTest, RefusesEverythingElse) {
    for (const auto* text :
         {"", "none", "100", "100/", "/200ms", "0/200ms", "101/200ms", "1/5001ms", "1/200", "1/2s",
          "-1/200ms", "1/-1ms", "1/2ms ", "99999999999/1ms", "1/99999999999ms"}) {
        EXPECT_FALSE(CallbackBatch::parse(text)) << text;
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
