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
    MessageTemplate used;
    used.name = "promo";
    used.language = "id";
    used.header_text = "Toko Maju";
    used.body = "Halo {{nama}}.";
    used.footer = "Balas STOP untuk berhenti";
    used.variable_names = {"nama"};
    EXPECT_EQ(sent_template(used, std::array<std::string, 1>{"Budi"}),
              (model::SentTemplate{.name = "promo",
                                   .language = "id",
                                   .header = "Toko Maju",
                                   .body = "Halo Budi.",
                                   .footer = "Balas STOP untuk berhenti",
                                   .buttons = {}}));
}

}  // namespace
}  // namespace merpati::connector
