#include "campaign/preview.hpp"

#include <utility>

#include <gtest/gtest.h>

namespace merpati::campaign {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

struct PreviewTest : ::testing::Test {
    PreviewTest() {
        campaign.id = {12};
        campaign.account = {3};
        campaign.columns = {"Nama", "Kota"};
        campaign.plan.optout = model::OptOutWay::none;
        campaign.plan.message = "{{nama}} di {{kota|-}}";
    }

    [[nodiscard]] Preview of_row(std::vector<std::string> values) const {
        model::Recipient row;
        row.number = model::PhoneNumber::from_stored(6'281'100'000'001);
        row.values = std::move(values);
        return preview({.campaign = campaign, .links = links, .policy = policy}, row);
    }
    [[nodiscard]] Preview of_values(const Pairs& values) const {
        return preview({.campaign = campaign, .links = links, .policy = policy}, values);
    }

    static std::vector<std::string> codes(const Preview& shown) {
        std::vector<std::string> all;
        for (const auto& problem : shown.problems) {
            all.push_back(problem.code);
        }
        return all;
    }
    using Codes = std::vector<std::string>;

    model::Campaign campaign;
    OptOutLinks links{OptOutLinks::Keys{}, "https://merpati.example.org"};
    outbound::AddressPolicy policy{{}};
};

TEST_F(PreviewTest, ShowsTheMessageOfARow) {
    const auto shown = of_row({"Budi"});
    EXPECT_EQ(shown.text, "Budi di -");
    EXPECT_EQ(shown.characters, 9U);
    EXPECT_EQ(shown.variant, 0U);
    EXPECT_EQ(shown.media, "");
    EXPECT_TRUE(shown.problems.empty());
}

TEST_F(PreviewTest, ShowsTheMessageOfValuesByTheirNames) {
    EXPECT_EQ(of_values({{" KOTA ", "Solo"}, {"nama", "Budi"}, {"x", "y"}}).text, "Budi di Solo");
    campaign.plan.message = "{{number}}";
    EXPECT_EQ(of_values({}).text, "6281234567890");
    EXPECT_EQ(of_values({{"Number", " 6281100000002 "}}).text, "6281100000002");
    EXPECT_EQ(of_values({{"number", "0812"}}).text, "6281234567890");
}

TEST_F(PreviewTest, WithoutAnAudienceTheNamesAreTheColumns) {
    campaign.columns.clear();
    const auto shown = of_values({{"nama", "Budi"}, {"kota", "Solo"}});
    EXPECT_EQ(shown.text, "Budi di Solo");
    EXPECT_TRUE(shown.problems.empty());
    EXPECT_EQ(codes(of_values({{"nama", "Budi"}})), Codes{"unknown_column"});
}

TEST_F(PreviewTest, LinkIsTheRecipientsOwn) {
    campaign.plan.message = "{{optout_url}}";
    const auto url = of_row({}).text;
    const auto token = url.substr(url.rfind('/') + 1);
    EXPECT_EQ(links.open(token),
              (OptOutLinks::Target{.account = {3},
                                   .number = model::PhoneNumber::from_stored(6'281'100'000'001),
                                   .campaign = {12}}));
}

TEST_F(PreviewTest, SaysThatARowWouldBeLeftOut) {
    const auto shown = of_row({"", "Solo"});
    EXPECT_EQ(codes(shown), Codes{"empty_value"});
    EXPECT_FALSE(shown.problems[0].blocking);
}

TEST_F(PreviewTest, SaysThatATextIsTooLong) {
    EXPECT_TRUE(of_row({std::string(4'091, 'a')}).problems.empty());
    EXPECT_EQ(codes(of_row({std::string(4'092, 'a')})), Codes{"text_too_long"});
}

TEST_F(PreviewTest, JudgesTheFormOfMediaAlone) {
    campaign.plan.media = model::CampaignMedia{.url = {}, .column = "kota"};
    EXPECT_EQ(codes(of_row({"Budi", "http://127.0.0.1/"})), Codes{"media"});
    const auto shown = of_row({"Budi", "https://example.org/a.png"});
    EXPECT_EQ(shown.media, "https://example.org/a.png");
    EXPECT_TRUE(shown.problems.empty());
}

TEST_F(PreviewTest, ShowsATemplateWithItsVariablesFilled) {
    EXPECT_EQ(of_row({"Budi"}).filled_template, nullptr);
    campaign.plan.message.reset();
    campaign.plan.message_template =
        model::CampaignTemplate{.name = "promo",
                                .language = "id",
                                .variables = {"{{nama}}", "{{kota|-}}"},
                                .header = "{{nama}}",
                                .buttons = {"{{kota|-}}"}};
    auto shown = of_row({"Budi"});
    EXPECT_EQ(shown.text, "") << "the platform was not asked";
    EXPECT_EQ(shown.filled_template->values, (std::vector<std::string>{"Budi", "-"}));
    EXPECT_FALSE(shown.sent_as);

    connector::MessageTemplate used;
    used.header_text = "Toko {{1}}";
    used.body = "Halo {{1}} di {{2}}";
    used.buttons = {{.url = "https://a.example/{{1}}"}};
    model::Recipient row;
    row.values = {"Budi", "Solo"};
    shown = preview({.campaign = campaign,
                     .links = links,
                     .policy = policy,
                     .used_template = used,
                     .template_problems = {{.code = "template", .detail = "x"}}},
                    row);
    EXPECT_EQ(shown.text, "Halo Budi di Solo");
    EXPECT_EQ(shown.characters, 17U);
    ASSERT_TRUE(shown.sent_as);
    EXPECT_EQ(shown.sent_as->header, "Toko Budi");
    EXPECT_EQ(shown.sent_as->buttons, std::vector<std::string>{"https://a.example/Solo"});
    EXPECT_EQ(codes(shown), Codes{"template"});
}

TEST_F(PreviewTest, ShowsTheProblemsOfTheTexts) {
    campaign.plan.message = "{{nma}} {a|b";
    EXPECT_EQ(codes(of_row({})), (Codes{"no_message", "unknown_column"}));
}

}  // namespace
}  // namespace merpati::campaign
