#include "connector/cloud/codec/templates.hpp"

#include <gtest/gtest.h>

#include "connector/cloud/codec/json_reading.hpp"
#include "connector/cloud/sending/fallback_templates.hpp"

namespace merpati::connector::cloud {
namespace {

TemplatePage page_of(const std::string& components, const std::string& paging = "{}") {
    return read_templates(*parse_object(
        R"({"data":[{"name":"kabar","language":"id","category":"UTILITY","status":"APPROVED",)"
        R"("components":)" +
        components + R"(}, {"language":"id"}, 7],"paging":)" + paging + "}"));
}

TEST(TemplatesTest, ReadsTheBodyAndItsVariables) {
    const auto page = page_of(R"([{"type":"BODY","text":"Halo {{1}}, {{2}} dan {{1}}"}])");
    ASSERT_EQ(page.items.size(), 1U);
    EXPECT_EQ(page.items[0].name, "kabar");
    EXPECT_EQ(page.items[0].category, "UTILITY");
    EXPECT_EQ(page.items[0].variables, 2U);
    EXPECT_TRUE(page.items[0].variable_names.empty());
    EXPECT_TRUE(page.items[0].body_only);
    EXPECT_EQ(page_of(R"([{"type":"BODY","text":"{{isi}}"}])").items[0].variable_names,
              (std::vector<std::string>{"isi"}));
}

TEST(TemplatesTest, SaysWhichNeedMoreThanTheirBody) {
    const auto needs_more = [](const std::string& component) {
        return !page_of(R"([{"type":"BODY","text":"{{1}}"},)" + component + "]").items[0].body_only;
    };
    EXPECT_FALSE(needs_more(R"({"type":"FOOTER","text":"a"})"));
    EXPECT_FALSE(needs_more(R"({"type":"HEADER","format":"TEXT","text":"Halo"})"));
    EXPECT_TRUE(needs_more(R"({"type":"HEADER","format":"TEXT","text":"{{1}}"})"));
    EXPECT_TRUE(needs_more(R"({"type":"HEADER","format":"IMAGE"})"));
    EXPECT_FALSE(
        needs_more(R"({"type":"BUTTONS","buttons":[{"type":"URL","url":"https://a.example"}]})"));
    EXPECT_TRUE(needs_more(
        R"({"type":"BUTTONS","buttons":[{"type":"URL","url":"https://a.example/{{1}}"}]})"));
    EXPECT_TRUE(needs_more(R"({"type":"BUTTONS","buttons":[{"type":"COPY_CODE"}]})"));
    EXPECT_TRUE(needs_more(R"({"type":"CAROUSEL"})"));
}

TEST(TemplatesTest, TheNextPageFollowsOnlyIfThereIsOne) {
    EXPECT_EQ(page_of("[]", R"({"cursors":{"after":"QVF"},"next":"https://x"})").next, "QVF");
    EXPECT_EQ(page_of("[]", R"({"cursors":{"after":"QVF"}})").next, "");
    EXPECT_EQ(templates_path("55", "a b", "x&y=z"),
              "55/message_templates?fields=name,language,category,status,components&limit=100"
              "&name=a%20b&after=x%26y%3Dz");
}

TEST(TemplatesTest, OnlyAnApprovedTemplateWithOneVariableCarriesATextOfAnybody) {
    const auto usable = [](const std::string& text, std::string_view wanted) {
        return usable_template(page_of(R"([{"type":"BODY","text":")" + text + R"("}])"), wanted)
            .has_value();
    };
    EXPECT_TRUE(usable("{{1}}", "kabar:id"));
    EXPECT_FALSE(usable("{{1}}", "kabar:en"));
    EXPECT_FALSE(usable("{{1}}", "kabar"));
    EXPECT_FALSE(usable("{{1}} {{2}}", "kabar:id"));
    EXPECT_FALSE(usable("none", "kabar:id"));
}

}  // namespace
}  // namespace merpati::connector::cloud
