#include "campaign/text/campaign_text.hpp"

#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "campaign/text/text_parser.hpp"

namespace merpati::campaign {
namespace {

using Strings = std::vector<std::string>;

struct CampaignTextTest : ::testing::Test {
    CampaignTextTest() { plan.optout = model::OptOutWay::none; }

    CampaignText content() { return CampaignText::of(plan, columns); }

    Rendered rendered(std::int64_t number = 6281100000001) {
        return content().render({.campaign = {12},
                                 .number = model::PhoneNumber::from_stored(number),
                                 .values = values,
                                 .optout_url = optout_url});
    }

    std::string text_of(std::string_view message) {
        plan.message = message;
        return rendered().text;
    }

    /// Codes with their counts.
    Strings problems() {
        Strings found;
        for (const auto& problem : content().problems()) {
            found.push_back(problem.code + ' ' + std::to_string(problem.count));
        }
        return found;
    }
    Strings problems_of(std::string_view message) {
        plan.message = message;
        return problems();
    }

    model::CampaignPlan plan;
    Strings columns{"Nama", " kota ", "Kode"};
    Strings values{"Budi", "Solo", ""};
    std::string optout_url = "https://merpati.example.org/o/x";
};

TEST_F(CampaignTextTest, InsertsValuesByTheNamesOfColumns) {
    EXPECT_EQ(text_of("{{nama}} di {{ KOTA }}"), "Budi di Solo");
    EXPECT_EQ(text_of("{{number}}: {{optout_url}}"),
              "6281100000001: https://merpati.example.org/o/x");
    EXPECT_TRUE(problems().empty());
}

TEST_F(CampaignTextTest, TakesTheFirstOfTwoColumnsWithOneName) {
    columns[1] = "NAMA ";
    EXPECT_EQ(text_of("{{nama}}"), "Budi");
}

TEST_F(CampaignTextTest, ValuesAreDataAndNeverExpanded) {
    values = {"{a|b} {{kota}} \\{ \\", " Solo ", "{{"};
    EXPECT_EQ(text_of("{{nama}}|{{kota}}|{{kode}}"), "{a|b} {{kota}} \\{ \\| Solo |{{");
    EXPECT_FALSE(rendered().has_empty_value);
}

TEST_F(CampaignTextTest, FallbackStandsInForAValueThatIsMissingOrBlank) {
    EXPECT_EQ(text_of("{{kode|tidak ada}}, {{nama|-}}"), "tidak ada, Budi");
    EXPECT_FALSE(rendered().has_empty_value);
    values[2] = " \u00a0\t";
    EXPECT_EQ(rendered().text, "tidak ada, Budi");
    values.resize(2);
    EXPECT_EQ(rendered().text, "tidak ada, Budi");
}

TEST_F(CampaignTextTest, RowWithoutAValueAndWithoutAFallbackIsSkipped) {
    EXPECT_EQ(text_of("Halo {{kode}}"), "Halo ");
    EXPECT_TRUE(rendered().has_empty_value);
    optout_url = "";
    (void)text_of("{{optout_url}} a");
    EXPECT_TRUE(rendered().has_empty_value);
    (void)text_of("{{nama}}");
    EXPECT_FALSE(rendered().has_empty_value);
}

TEST_F(CampaignTextTest, OnlyTheOptionThatIsDrawnNeedsItsValues) {
    plan.message = "{a|{{kode}}}";
    bool skipped = false;
    bool sent = false;
    for (std::int64_t number = 6281100000000; number < 6281100000050; ++number) {
        const auto one = rendered(number);
        EXPECT_EQ(one.has_empty_value, one.text != "a");
        (one.has_empty_value ? skipped : sent) = true;
    }
    EXPECT_TRUE(skipped);
    EXPECT_TRUE(sent);
}

TEST_F(CampaignTextTest, NameIsKnownWithoutAColumn) {
    EXPECT_EQ(text_of("Halo {{name|Kak}}"), "Halo Kak");
    EXPECT_TRUE(problems().empty());
    (void)text_of("Halo {{name}}");
    EXPECT_TRUE(problems().empty());
    EXPECT_TRUE(rendered().has_empty_value);
    columns[0] = "NAME";
    EXPECT_EQ(text_of("Halo {{name|Kak}}"), "Halo Budi");
}

TEST_F(CampaignTextTest, NumberAndLinkHideColumnsOfTheirNames) {
    columns = {"number", "optout_url"};
    EXPECT_EQ(text_of("{{number}} {{optout_url}}"),
              "6281100000001 https://merpati.example.org/o/x");
}

TEST_F(CampaignTextTest, TextOfBlanksIsNothingToSend) {
    (void)text_of("{{kode|}}\u00a0");
    EXPECT_TRUE(rendered().has_empty_value);
    plan.media = model::CampaignMedia{.url = "https://example.org/a.png", .column = {}};
    EXPECT_FALSE(rendered().has_empty_value);
}

TEST_F(CampaignTextTest, MediaComeFromAnAddressOrAColumn) {
    plan.message = "";
    plan.media = model::CampaignMedia{.url = "https://example.org/a.png", .column = {}};
    EXPECT_EQ(rendered().media_url, "https://example.org/a.png");
    EXPECT_TRUE(problems().empty());
    plan.media = model::CampaignMedia{.url = {}, .column = "KODE"};
    EXPECT_TRUE(rendered().has_empty_value);
    values[2] = " https://example.org/b.png\n";
    EXPECT_EQ(rendered().media_url, "https://example.org/b.png");
    EXPECT_FALSE(rendered().has_empty_value);
    plan.media->column = "gambar";
    EXPECT_EQ(problems(), Strings{"unknown_column 1"});
}

TEST_F(CampaignTextTest, CountsCharactersAndNotBytes) {
    EXPECT_EQ(text_of("\U0001F600\u00e9a"), "\U0001F600\u00e9a");
    EXPECT_EQ(rendered().characters, 3U);
}

TEST_F(CampaignTextTest, RendersTheVariablesOfATemplate) {
    plan.message_template = model::CampaignTemplate{
        .name = "promo", .language = "id", .variables = {"{{nama}}", "{{kode|-}}", "{a|a}"}};
    EXPECT_EQ(rendered().filled_template->values, (Strings{"Budi", "-", "a"}));
    EXPECT_EQ(rendered().text, "");
    EXPECT_FALSE(rendered().has_empty_value);
    EXPECT_TRUE(problems().empty());
}

TEST_F(CampaignTextTest, ShowsTheTextOfATemplateThatThePlatformHas) {
    plan.message_template = model::CampaignTemplate{
        .name = "promo", .language = "id", .variables = {"{{nama}}", "{{kota}}"}};
    auto shown = content();
    connector::MessageTemplate used;
    used.body = "Halo {{1}} di {{2}}!";
    shown.use_template(used);
    const auto made = shown.render({.campaign = {12}, .number = {}, .values = values});
    EXPECT_EQ(made.text, "Halo Budi di Solo!");
    EXPECT_EQ(made.characters, 18U);
}

TEST_F(CampaignTextTest, ATemplatesVariableHasNoLineBreaksAndIsNeverBlank) {
    plan.message_template = model::CampaignTemplate{
        .name = "promo", .language = "id", .variables = {" {{nama}},\n\n{{kota}} "}};
    EXPECT_EQ(rendered().filled_template->values, Strings{"Budi, Solo"});
    values[0] = "Budi \t Anton";
    EXPECT_EQ(rendered().filled_template->values, Strings{"Budi Anton, Solo"});
    plan.message_template->variables = {"{{kode}}"};
    EXPECT_TRUE(rendered().has_empty_value);
    plan.message_template->variables = {"{|}"};
    EXPECT_TRUE(rendered().has_empty_value);
}

TEST_F(CampaignTextTest, RendersHeaderButtonsAndFileOfATemplate) {
    plan.message_template =
        model::CampaignTemplate{.name = "promo",
                                .language = "id",
                                .variables = {},
                                .header = " Untuk {{nama}} ",
                                .buttons = {"p/{{kota}}", "HEMAT20", "{{optout_url}}"}};
    plan.media = model::CampaignMedia{.url = "https://example.org/a.png", .column = {}};
    const auto made = rendered();
    ASSERT_NE(made.filled_template, nullptr);
    EXPECT_EQ(made.filled_template->header, "Untuk Budi");
    EXPECT_EQ(made.filled_template->buttons[0], "p/Solo");
    EXPECT_EQ(made.filled_template->buttons[1], "HEMAT20");
    EXPECT_EQ(made.media_url, "https://example.org/a.png");
    EXPECT_TRUE(content().uses_optout_url());
    EXPECT_TRUE(problems().empty());
    plan.message_template->buttons[0] = "{{kode}}";
    EXPECT_TRUE(rendered().has_empty_value);
    plan.message_template->header = " ";
    plan.message_template->buttons[0] = "";
    EXPECT_EQ(problems(), (Strings{"template 1", "template 1"}));
}

TEST_F(CampaignTextTest, ATemplateNeedsAllItsVariablesAndAWayToOptOut) {
    plan.message_template =
        model::CampaignTemplate{.name = "promo", .language = "id", .variables = {"a", " ", ""}};
    EXPECT_EQ(problems(), (Strings{"template 1", "template 1"}));
    plan.message_template->variables = {"a"};
    EXPECT_EQ(problems(), Strings{});
    plan.optout = model::OptOutWay::link;
    EXPECT_EQ(problems(), Strings{"optout_missing 1"});
    plan.message_template->variables = {"a", "{{optout_url}}"};
    EXPECT_EQ(problems(), Strings{});
}

TEST_F(CampaignTextTest, UnknownColumnIsAProblemWithAFallbackToo) {
    EXPECT_EQ(problems_of("{{nma}} {a|{{NMA|Kak}}} {{x}}"),
              (Strings{"unknown_column 1", "unknown_column 1", "unknown_column 1"}));
    EXPECT_EQ(content().problems().back().detail,
              "the audience has no column 'x'; it has Nama,  kota , Kode");
    columns.clear();
    EXPECT_EQ(problems_of("{{x}} {{x|y}}"), Strings{"unknown_column 2"});
    EXPECT_EQ(content().problems().back().detail, "the audience has no column 'x'; it has none");
}

TEST_F(CampaignTextTest, ColumnBetweenSingleBracesIsAProblem) {
    EXPECT_EQ(problems_of("Halo {nama}"), Strings{"unknown_column 1"});
    EXPECT_EQ(problems_of("Halo {number}"), Strings{"unknown_column 1"});
    EXPECT_TRUE(problems_of("Halo \\{nama\\} {teman}").empty());
    EXPECT_EQ(rendered().text, "Halo {nama} {teman}");
}

TEST_F(CampaignTextTest, NeedsExactlyOneMessage) {
    EXPECT_EQ(problems(), Strings{"no_message 1"});
    EXPECT_EQ(problems_of(" \n"), Strings{"no_message 1"});
    plan.variants = {{.message = "a"}};
    EXPECT_EQ(problems(), Strings{"no_message 1"});
    plan.message.reset();
    EXPECT_TRUE(problems().empty());
    plan.variants.push_back({.message = ""});
    EXPECT_EQ(problems(), Strings{"no_message 1"});
    plan.variants.assign(6, {.message = "a"});
    EXPECT_EQ(problems(), Strings{"no_message 1"});
}

TEST_F(CampaignTextTest, LinkMustBeInEveryTextThatCanBeSent) {
    plan.optout = model::OptOutWay::link;
    EXPECT_EQ(problems_of("Halo"), Strings{"optout_missing 1"});
    EXPECT_FALSE(content().uses_optout_url());
    EXPECT_EQ(problems_of("Halo {a|{{optout_url}}}"), Strings{"optout_missing 1"});
    EXPECT_TRUE(content().uses_optout_url());
    EXPECT_TRUE(problems_of("Halo {Stop: {{optout_url}}|{{Optout_URL}}}").empty());
    plan.message.reset();
    plan.variants = {{.message = "{{optout_url}}"}, {.message = "a"}, {.message = "b"}};
    EXPECT_EQ(problems(), Strings{"optout_missing 2"});
    plan.optout = model::OptOutWay::keyword;
    EXPECT_TRUE(problems().empty());
}

TEST_F(CampaignTextTest, SharesRecipientsAmongVariantsByWeight) {
    plan.variants = {{.message = "a", .weight = 1}, {.message = "b", .weight = 3}};
    const auto compiled = content();
    std::array<int, 3> counts{};
    for (std::int64_t number = 6281100000000; number < 6281100010000; ++number) {
        const auto one = compiled.render({.campaign = {12},
                                          .number = model::PhoneNumber::from_stored(number),
                                          .values = values});
        EXPECT_EQ(one.text, one.variant == 1 ? "a" : "b");
        ++counts[one.variant];
    }
    EXPECT_EQ(counts[0], 0);
    EXPECT_NEAR(counts[1], 2'500, 150);
}

TEST_F(CampaignTextTest, ResultIsCutBeyondAllLimits) {
    values[0] = std::string(4'096, 'a');
    std::string message;
    while (message.size() + 8 < text_bytes_max) {
        message += "{{nama}}";
    }
    EXPECT_EQ(text_of(message).size(), CampaignText::rendered_bytes_max);
    EXPECT_GT(rendered().characters, 65'536U);
    values[0] = "\u20ac";
    EXPECT_EQ(rendered().characters, message.size() / 8);
}

/// Never to be changed: a campaign that is under way must go on with the same texts.
TEST_F(CampaignTextTest, GivesTheSameTextsForEver) {
    plan.variants = {
        {.message = "{Halo|Hai|Selamat pagi} {{nama|Kak}}, {diskon {10|20|30}%|gratis}",
         .weight = 2},
        {.message = "{a|b|{c|d}} {e|f}", .weight = 1}};
    Strings texts;
    for (std::int64_t number = 6281100000000; number < 6281100000008; ++number) {
        texts.push_back(rendered(number).text);
    }
    EXPECT_EQ(texts, (Strings{"a f", "Hai Budi, gratis", "Halo Budi, diskon 20%",
                              "Hai Budi, diskon 30%", "Hai Budi, diskon 30%",
                              "Halo Budi, diskon 10%", "Hai Budi, gratis", "a f"}));
}

}  // namespace
}  // namespace merpati::campaign
