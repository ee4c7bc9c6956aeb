#include "connector/cloud/codec/message_body.hpp"

#include <array>
#include <fstream>

#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

#include "base/utf8.hpp"
#include "testing/temporary_folder.hpp"

namespace merpati::connector::cloud {
namespace {

namespace json = boost::json;

const Envelope envelope{.recipient = "6281234567890", .opaque = "id-1"};

std::string text_of(const json::object& object) {
    return json::serialize(object);
}

const MediaKind& kind_of(std::string_view type) {
    return *find_media_kind(type);
}

TEST(MessageBodyTest, ATextHasAPreviewIfItHasALink) {
    EXPECT_EQ(text_of(text_body(envelope, "halo")),
              R"({"messaging_product":"whatsapp","recipient_type":"individual",)"
              R"("to":"6281234567890","type":"text","text":{"body":"halo","preview_url":false},)"
              R"("biz_opaque_callback_data":"id-1"})");
    EXPECT_TRUE(
        text_body(envelope, "see https://a.example")["text"].as_object()["preview_url"].as_bool());
}

TEST(MessageBodyTest, AUserIdIsNoNumber) {
    const auto body = text_body({.recipient = "ID.13491208655302741918", .opaque = {}}, "a");
    EXPECT_EQ(body.at("recipient").as_string(), "ID.13491208655302741918");
    EXPECT_FALSE(body.contains("to"));
}

TEST(MessageBodyTest, EachKindOfFileHasItsOwnForm) {
    const auto of = [](std::string_view type, std::string_view caption, std::string_view name) {
        const auto body = media_body(envelope, kind_of(type), "77", caption, name);
        const auto kind = std::string{body.at("type").as_string()};
        return kind + text_of(body.at(kind).as_object());
    };
    EXPECT_EQ(of("image/jpg", "cap", {}), R"(image{"id":"77","caption":"cap"})");
    EXPECT_EQ(of("video/mp4", {}, {}), R"(video{"id":"77"})");
    EXPECT_EQ(of("audio/ogg; codecs=opus", {}, {}), R"(audio{"id":"77"})");
    EXPECT_EQ(of("image/webp", {}, {}), R"(sticker{"id":"77"})");
    EXPECT_EQ(of("application/pdf", "c", "a.pdf"),
              R"(document{"id":"77","caption":"c","filename":"a.pdf"})");
}

TEST(MessageBodyTest, SomeTextsDoNotFitACaption) {
    EXPECT_TRUE(fits_caption(kind_of("image/png"), std::string(1'024, 'a')));
    EXPECT_FALSE(fits_caption(kind_of("image/png"), std::string(1'025, 'a')));
    EXPECT_FALSE(fits_caption(kind_of("audio/mpeg"), "a"));
    EXPECT_FALSE(fits_caption(kind_of("image/webp"), "a"));
}

TEST(MessageBodyTest, ADocumentHasTheNameOfItsUrlOrOfItsType) {
    EXPECT_EQ(document_name(kind_of("application/pdf"), "https://a.example/faktur%20mei.pdf"),
              "faktur mei.pdf");
    EXPECT_EQ(document_name(kind_of("application/pdf"), "https://a.example/"), "dokumen.pdf");
    EXPECT_EQ(document_name(kind_of("image/png"), "https://a.example/a.png"), "");
}

TEST(MessageBodyTest, ATemplateHasATextForEachOfItsVariables) {
    const std::array<std::string, 2> values{"Budi", "50%"};
    const auto body_with = [&](std::span<const std::string> names) {
        return text_of(
            template_body(envelope,
                          {.name = "kabar", .language = "pt_BR", .values = values, .names = names})
                .at("template")
                .as_object());
    };
    EXPECT_EQ(body_with({}),
              R"({"name":"kabar","language":{"code":"pt_BR"},"components":[{"type":"body",)"
              R"("parameters":[{"type":"text","text":"Budi"},{"type":"text","text":"50%"}]}]})");
    const std::array<std::string, 2> names{"nama", "diskon"};
    EXPECT_TRUE(
        body_with(names).contains(R"([{"type":"text","parameter_name":"nama","text":"Budi"},)"
                                  R"({"type":"text","parameter_name":"diskon","text":"50%"}])"));
    // The platform refuses it, and says why.
    EXPECT_FALSE(body_with(std::span{names}.first(1)).contains("parameter_name"));
}

TEST(MessageBodyTest, AOneTimeCodeStandsInTheBodyAndInItsButton) {
    const std::vector<std::string> code{"482913"};
    EXPECT_EQ(
        text_of(template_body(envelope,
                              {.name = "kode", .language = "id", .values = code, .code_button = 1})
                    .at("template")
                    .as_object()),
        R"({"name":"kode","language":{"code":"id"},"components":[)"
        R"({"type":"body","parameters":[{"type":"text","text":"482913"}]},)"
        R"({"type":"button","sub_type":"url","index":"1",)"
        R"("parameters":[{"type":"text","text":"482913"}]}]})");
}

TEST(MessageBodyTest, HeaderAndButtonsHaveWhatFillsThem) {
    using Button = MessageTemplate::Button;
    const model::FilledTemplate filled{.name = "promo",
                                       .language = "id",
                                       .values = {"Budi"},
                                       .header = "Solo",
                                       .buttons = {"p/7", "HEMAT20"}};
    MessageTemplate listed;
    listed.header_name = "kota";
    listed.buttons = {{.kind = Button::Kind::url, .place = 1},
                      {.kind = Button::Kind::coupon, .place = 3}};
    const auto components = [&](const TemplateUse& use) {
        return json::serialize(
            template_body(envelope, use).at("template").as_object().at("components"));
    };
    EXPECT_EQ(components(use_of(filled, &listed)),
              R"([{"type":"header","parameters":)"
              R"([{"type":"text","parameter_name":"kota","text":"Solo"}]},)"
              R"({"type":"body","parameters":[{"type":"text","text":"Budi"}]},)"
              R"({"type":"button","sub_type":"url","index":"1",)"
              R"("parameters":[{"type":"text","text":"p/7"}]},)"
              R"({"type":"button","sub_type":"copy_code","index":"3",)"
              R"("parameters":[{"type":"coupon_code","coupon_code":"HEMAT20"}]}])");
    const auto unlisted = use_of(filled, nullptr);
    ASSERT_EQ(unlisted.buttons.size(), 2U);
    EXPECT_EQ(unlisted.buttons[1].place, 1U);
    EXPECT_EQ(unlisted.buttons[1].kind, Button::Kind::url);
    listed.buttons.pop_back();
    EXPECT_EQ(use_of(filled, &listed).buttons[1].place, 2U) << "which the platform refuses";
}

TEST(MessageBodyTest, AFileStandsInTheHeader) {
    TemplateUse use{.name = "nota", .language = "id", .values = {}};
    use.file_kind = find_media_kind("application/pdf");
    use.media_id = "77";
    use.file_name = "nota.pdf";
    EXPECT_EQ(
        text_of(template_body(envelope, use).at("template").as_object()),
        R"({"name":"nota","language":{"code":"id"},"components":[{"type":"header",)"
        R"("parameters":[{"type":"document","document":{"id":"77","filename":"nota.pdf"}}]}]})");
}

TEST(MessageBodyTest, ATemplateWithoutVariablesHasNoComponents) {
    EXPECT_EQ(text_of(template_body(envelope, {.name = "a", .language = "id", .values = {}})
                          .at("template")
                          .as_object()),
              R"({"name":"a","language":{"code":"id"}})");
}

TEST(MessageBodyTest, LineBreaksAndRunsOfBlanksAreOneBlank) {
    MessageTemplate used;
    used.body = "Kabar: {{1}}.";
    EXPECT_EQ(filling_of("  a\r\n\r\nb\t\t c \xC2\xA0 d\n", used), "a b c d");
    EXPECT_EQ(filling_of("tetap", used), "tetap");
    EXPECT_EQ(filling_of("\n", used), "-");
}

TEST(MessageBodyTest, TheTemplateWithItsTextIsNotTooLong) {
    MessageTemplate used;
    used.body = "Kabar: {{nama}}.";  // Eight characters of its own.
    std::string text;
    for (int count = 0; count < 2'000; ++count) {
        text += "\xC3\xA9";
    }
    EXPECT_EQ(utf8_characters(filling_of(text, used)), 1'016U);
    used.body = "{{1}} dan {{1}}";  // Five characters of its own.
    EXPECT_EQ(utf8_characters(filling_of(text, used)), 509U);
    used.body = std::string(1'100, 'x') + "{{1}}";
    EXPECT_EQ(filling_of("abc", used), "a");
}

TEST(MessageBodyTest, TheOpaqueDataNameTheMessageAndItsPart) {
    const Uuid id{42, 7};
    EXPECT_EQ(parse_opaque(opaque_of(id, false))->message, id);
    EXPECT_FALSE(parse_opaque(opaque_of(id, false))->first_part);
    EXPECT_EQ(parse_opaque(opaque_of(id, true))->message, id);
    EXPECT_TRUE(parse_opaque(opaque_of(id, true))->first_part);
    EXPECT_FALSE(parse_opaque("another program's"));
}

TEST(MediaKindsTest, OnlyTypesOfThePlatformAreTaken) {
    for (const auto* type : {"image/gif", "image/bmp", "audio/ogg", "text/csv", "video/webm"}) {
        EXPECT_EQ(find_media_kind(type), nullptr) << type;
        EXPECT_FALSE(media_types().contains(type)) << type;
    }
    EXPECT_EQ(kind_of("audio/amr-nb").sent_as, "audio/amr");
    EXPECT_EQ(media_bytes_max(), 100U << 20U);
}

TEST(MediaKindsTest, AnAnimatedStickerMayBeLarger) {
    const testing::TemporaryFolder folder;
    const auto write = [&](const char* name, char flags) {
        std::ofstream{folder.file(name), std::ios::binary}
            << std::string{"RIFF\0\0\0\0WEBPVP8X\0\0\0\0", 20} + flags;
        return std::filesystem::path{folder.file(name)};
    };
    EXPECT_EQ(bytes_max_of(kind_of("image/webp"), write("still", '\x10')), 100U << 10U);
    EXPECT_EQ(bytes_max_of(kind_of("image/webp"), write("moving", '\x12')), 500U << 10U);
    EXPECT_EQ(bytes_max_of(kind_of("image/webp"), folder.path() / "missing"), 100U << 10U);
    EXPECT_EQ(bytes_max_of(kind_of("image/png"), write("png", 0)), 5U << 20U);
}

}  // namespace
}  // namespace merpati::connector::cloud
