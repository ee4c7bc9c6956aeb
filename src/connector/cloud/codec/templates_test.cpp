#include "connector/cloud/codec/templates.hpp"

#include <gtest/gtest.h>

#include "connector/cloud/codec/json_reading.hpp"
#include "connector/cloud/sending/known_templates.hpp"

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
    EXPECT_TRUE(page.items[0].body_only());
    EXPECT_EQ(page_of(R"([{"type":"BODY","text":"{{isi}}"}])").items[0].variable_names,
              (std::vector<std::string>{"isi"}));
}

TEST(TemplatesTest, SaysWhichNeedMoreThanTheirBody) {
    const auto needs_more = [](const std::string& component) {
        return !page_of(R"([{"type":"BODY","text":"{{1}}"},)" + component + "]")
                    .items[0]
                    .body_only();
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

TEST(TemplatesTest, SaysWhatHeaderAndButtonsNeed) {
    using Need = MessageTemplate::HeaderNeed;
    const auto read = [](const std::string& component) {
        return page_of(R"([{"type":"BODY","text":"{{1}}"},)" + component + "]").items[0];
    };
    const auto text = read(R"({"type":"HEADER","format":"TEXT","text":"Untuk {{nama}}"})");
    EXPECT_EQ(text.header_need, Need::text);
    EXPECT_EQ(text.header_text, "Untuk {{nama}}");
    EXPECT_EQ(text.header_name, "nama");
    EXPECT_TRUE(text.is_understood);
    EXPECT_EQ(read(R"({"type":"HEADER","format":"TEXT","text":"{{1}}"})").header_name, "");
    EXPECT_FALSE(read(R"({"type":"HEADER","format":"TEXT","text":"{{1}} {{2}}"})").is_understood);
    EXPECT_EQ(read(R"({"type":"HEADER","format":"IMAGE"})").header_need, Need::image);
    EXPECT_EQ(read(R"({"type":"HEADER","format":"VIDEO"})").header_need, Need::video);
    EXPECT_EQ(read(R"({"type":"HEADER","format":"DOCUMENT"})").header_need, Need::document);
    EXPECT_FALSE(read(R"({"type":"HEADER","format":"LOCATION"})").is_understood);

    const auto buttons = read(
        R"({"type":"BUTTONS","buttons":[{"type":"QUICK_REPLY","text":"Ya"},{"type":"COPY_CODE"},)"
        R"({"type":"URL","url":"https://a.example"},)"
        R"({"type":"URL","url":"https://a.example/{{1}}"}]})");
    ASSERT_EQ(buttons.buttons.size(), 2U);
    EXPECT_EQ(buttons.buttons[0].kind, MessageTemplate::Button::Kind::coupon);
    EXPECT_EQ(buttons.buttons[0].place, 1U);
    EXPECT_EQ(buttons.buttons[1].kind, MessageTemplate::Button::Kind::url);
    EXPECT_EQ(buttons.buttons[1].place, 3U);
    EXPECT_EQ(buttons.buttons[1].url, "https://a.example/{{1}}");
    EXPECT_TRUE(buttons.is_understood);
    EXPECT_FALSE(read(R"({"type":"BUTTONS","buttons":[{"type":"FLOW"}]})").is_understood);
}

TEST(TemplatesTest, TheButtonOfAOneTimeCodeHasTheBodysVariable) {
    const auto read = [](const std::string& body, const std::string& buttons) {
        return read_templates(*parse_object(R"({"data":[{"name":"kode","language":"id",)"
                                            R"("category":"AUTHENTICATION","components":[)"
                                            R"({"type":"BUTTONS","buttons":[)" +
                                            buttons + R"(]},{"type":"BODY","text":")" + body +
                                            R"("}]}]})"))
            .items.at(0);
    };
    const std::string copies =
        R"({"type":"URL","url":"https://www.whatsapp.com/otp/code/?code=otp{{1}}"})";
    const auto listed_as_url = read("*{{1}}* kode Anda", copies);
    EXPECT_TRUE(listed_as_url.body_only());
    EXPECT_EQ(listed_as_url.code_button, 0U);
    EXPECT_TRUE(listed_as_url.carries_a_text());
    const auto second = read("{{1}}", R"({"type":"QUICK_REPLY"},{"type":"OTP"})");
    EXPECT_TRUE(second.body_only());
    EXPECT_EQ(second.code_button, 1U);
    EXPECT_FALSE(read("tanpa kode", copies).body_only());
    EXPECT_FALSE(read("{{1}}", copies + "," + copies).body_only());
    EXPECT_FALSE(read("{{1}}", R"({"type":"FLOW"})").body_only());
}

TEST(TemplatesTest, TheNextPageFollowsOnlyIfThereIsOne) {
    EXPECT_EQ(page_of("[]", R"({"cursors":{"after":"QVF"},"next":"https://x"})").next, "QVF");
    EXPECT_EQ(page_of("[]", R"({"cursors":{"after":"QVF"}})").next, "");
    EXPECT_EQ(templates_path("55", "a b", "x&y=z"),
              "55/message_templates?fields=name,language,category,status,components&limit=100"
              "&name=a%20b&after=x%26y%3Dz");
}

TEST(TemplatesTest, OnlyATemplateWithOneVariableCarriesATextOfAnybody) {
    const auto usable = [](const std::string& text) {
        const auto found = page_of(R"([{"type":"BODY","text":")" + text + R"("}])").items.at(0);
        return found.is_approved() && found.carries_a_text();
    };
    EXPECT_TRUE(usable("{{1}}"));
    EXPECT_FALSE(usable("{{1}} {{2}}"));
    EXPECT_FALSE(usable("none"));
}

TEST(TemplatesTest, ATemplateIsWantedByItsNameAndLanguage) {
    const auto wanted = wanted_template("55", "kabar:pt_BR");
    EXPECT_EQ(wanted.waba_id, "55");
    EXPECT_EQ(wanted.name, "kabar");
    EXPECT_EQ(wanted.language, "pt_BR");
    EXPECT_EQ(wanted_template("55", "kabar").language, "");
}

}  // namespace
}  // namespace merpati::connector::cloud
