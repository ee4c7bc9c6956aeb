#include "store/plan_text.hpp"

#include <gtest/gtest.h>

namespace merpati::store {
namespace {

TEST(PlanTextTest, AnEmptyPlanIsReadBack) {
    EXPECT_EQ(plan_of(plan_text({})), model::CampaignPlan{});
}

TEST(PlanTextTest, WhatThisProgramDoesNotWriteIsRefused) {
    const auto written = plan_text({.name = "Promo"});
    const auto with = [&](std::string_view part, std::string_view other) {
        auto changed = written;
        const auto at = changed.find(part);
        EXPECT_NE(at, std::string::npos) << part;
        return changed.replace(at, part.size(), other);
    };
    EXPECT_TRUE(plan_of(written));
    for (const auto& text :
         {std::string{}, std::string{"[]"}, std::string{"{}"}, written + "x",
          with("\"name\"", "\"nama\""), with("\"Promo\"", "7"), with("\"marketing\"", "\"spam\""),
          with("\"typing\":false", "\"typing\":0"), with("\"devices\":[]", "\"devices\":[0]"),
          with("\"devices\":[]", "\"devices\":[[[[[]]]]]"),
          with("\"per_minute\":null", "\"per_minute\":-1"),
          with("\"quiet_hours\":null", "\"quiet_hours\":{\"from\":1441,\"to\":0}"),
          with("{", "{\"more\":1,")}) {
        EXPECT_FALSE(plan_of(text)) << text;
    }
    EXPECT_FALSE(plan_of(plan_text({.name = std::string(plan_bytes_max, 'x')})));
}

TEST(PlanTextTest, ListsOfTextsAreReadBack) {
    const std::vector<std::string> texts{"", "Budi \"B\"", "a\nb", "é"};
    EXPECT_EQ(list_of(list_text(texts)), texts);
    EXPECT_EQ(list_text({}), "[]");
    EXPECT_EQ(list_of("[]"), std::vector<std::string>{});
    for (const auto* text : {"", "[1]", "[\"a\",]", "{}", "[\"\xff\"]"}) {
        EXPECT_FALSE(list_of(text)) << text;
    }
}

TEST(PlanTextTest, ATemplateOfAPlanIsReadBackWithAndWithoutHeaderAndButtons) {
    model::CampaignPlan plan;
    plan.message_template = model::CampaignTemplate{.name = "promo",
                                                    .language = "id",
                                                    .variables = {"{{nama}}"},
                                                    .header = "Solo",
                                                    .buttons = {"p/7"}};
    EXPECT_EQ(plan_of(plan_text(plan)), plan);
    plan.message_template->header.clear();
    plan.message_template->buttons.clear();
    auto earlier = plan_text(plan);
    const std::string more = R"(,"header":"","buttons":[])";
    ASSERT_NE(earlier.find(more), std::string::npos);
    earlier.erase(earlier.find(more), more.size());
    EXPECT_EQ(plan_of(earlier), plan);
}

TEST(PlanTextTest, AFilledTemplateIsReadBackWithAndWithoutHeaderAndButtons) {
    model::FilledTemplate filled{.name = "promo", .language = "id", .values = {"Budi", ""}};
    EXPECT_EQ(template_text(filled), R"(["promo","id","Budi",""])");
    EXPECT_EQ(template_of(template_text(filled)), filled);
    filled.buttons = {"p/7", "HEMAT20"};
    EXPECT_EQ(template_of(template_text(filled)), filled);
    filled.header = "Toko \"Maju\"";
    EXPECT_EQ(template_of(template_text(filled)), filled);
    for (const auto* text : {"", "[]", R"(["promo"])", "{}", R"({"name":"promo"})", "7"}) {
        EXPECT_FALSE(template_of(text)) << text;
    }
}

TEST(PlanTextTest, NamedTextsKeepTheirOrder) {
    const NamedTexts values{{"kota", "Medan"}, {"a", ""}};
    EXPECT_EQ(named_of(named_text(values)), values);
    EXPECT_FALSE(named_of(R"({"a":1})"));
    EXPECT_FALSE(named_of("[]"));
}

}  // namespace
}  // namespace merpati::store
