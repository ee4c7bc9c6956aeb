#include "connector/template_text.hpp"

#include <array>

#include <gtest/gtest.h>

#include "base/utf8.hpp"

namespace merpati::connector {
namespace {

constexpr auto no_values = std::span<const std::string>{};
const std::array<std::string, 2> two_values{"Budi", "{{1}}"};

std::string filled(std::string_view text, std::span<const std::string> values = two_values,
                   const std::vector<std::string>& names = {}) {
    return filled_text(text, names, values);
}

TEST(TemplateTextTest, PutsEachValueWhereItsNumberStands) {
    EXPECT_EQ(filled("Halo {{1}}, {{2}}. {{1}}!"), "Halo Budi, {{1}}. Budi!");
    EXPECT_EQ(filled("{{2}}{{1}}"), "{{1}}Budi");
}

TEST(TemplateTextTest, PutsEachValueWhereItsNameStands) {
    EXPECT_EQ(filled("{{nama}}: {{isi}}", two_values, {"nama", "isi"}), "Budi: {{1}}");
}

TEST(TemplateTextTest, LeavesWhatHasNoValue) {
    EXPECT_EQ(filled("{{1}} {{2}}", no_values), "{{1}} {{2}}");
    EXPECT_EQ(filled("{{3}} {{0}} {{x}} {{}} {{1"), "{{3}} {{0}} {{x}} {{}} {{1");
    EXPECT_EQ(filled("{{lain}}", two_values, {"nama"}), "{{lain}}");
    EXPECT_EQ(filled(""), "");
}

TEST(TemplateTextTest, ATextThatRepeatsALongValueIsCutBetweenTwoCharacters) {
    std::string text;
    std::string letters;
    for (int count = 0; count < 1'000; ++count) {
        text += "{{1}}";
        letters += "\xC3\xA9";
    }
    const std::array value{"a" + letters};
    const auto cut = filled(text, value);
    EXPECT_LE(cut.size(), filled_bytes_max);
    EXPECT_GE(cut.size(), filled_bytes_max - 1);
    EXPECT_TRUE(is_utf8(cut));
}

TEST(TemplateTextTest, ASentTemplateIsWhatItsRecipientReads) {
    using Button = MessageTemplate::Button;
    MessageTemplate used;
    used.name = "promo";
    used.language = "id";
    used.header_text = "Toko di {{kota}}";
    used.header_name = "kota";
    used.body = "Halo {{nama}}.";
    used.footer = "Balas STOP untuk berhenti";
    used.variable_names = {"nama"};
    used.buttons = {{.kind = Button::Kind::url, .place = 0, .url = "https://a.example/{{1}}?x"},
                    {.kind = Button::Kind::coupon, .place = 2}};
    const model::FilledTemplate filled{.name = "promo",
                                       .language = "id",
                                       .values = {"Budi"},
                                       .header = "Solo",
                                       .buttons = {"p/7", "HEMAT20"}};
    const model::SentTemplate sent{.name = "promo",
                                   .language = "id",
                                   .header = "Toko di Solo",
                                   .body = "Halo Budi.",
                                   .footer = "Balas STOP untuk berhenti",
                                   .buttons = {"https://a.example/p/7?x", "HEMAT20"}};
    EXPECT_EQ(sent_template(used, filled), sent);
    EXPECT_TRUE(
        sent_template(used, {.name = "promo", .language = "id", .values = {}}).buttons.empty());
}

}  // namespace
}  // namespace merpati::connector
