#include "campaign/text/template_text.hpp"

#include <array>

#include <gtest/gtest.h>

namespace merpati::campaign {
namespace {

connector::MessageTemplate with_body(std::string body, std::vector<std::string> names = {}) {
    connector::MessageTemplate made;
    made.body = std::move(body);
    made.variable_names = std::move(names);
    return made;
}

constexpr auto no_values = std::span<const std::string>{};
const std::array<std::string, 2> values{"Budi", "{{1}}"};

TEST(TemplateText, PutsEachValueWhereItsNumberStands) {
    EXPECT_EQ(filled_text(with_body("Halo {{1}}, {{2}}. {{1}}!"), values),
              "Halo Budi, {{1}}. Budi!");
    EXPECT_EQ(filled_text(with_body("{{2}}{{1}}"), values), "{{1}}Budi");
}

TEST(TemplateText, PutsEachValueWhereItsNameStands) {
    EXPECT_EQ(filled_text(with_body("{{nama}}: {{isi}}", {"nama", "isi"}), values), "Budi: {{1}}");
}

TEST(TemplateText, LeavesWhatHasNoValue) {
    EXPECT_EQ(filled_text(with_body("{{1}} {{2}}"), no_values), "{{1}} {{2}}");
    EXPECT_EQ(filled_text(with_body("{{3}} {{0}} {{x}} {{}} {{1"), values),
              "{{3}} {{0}} {{x}} {{}} {{1");
    EXPECT_EQ(filled_text(with_body("{{lain}}", {"nama"}), values), "{{lain}}");
    EXPECT_EQ(filled_text(with_body(""), values), "");
}

}  // namespace
}  // namespace merpati::campaign
