// Messages that go as templates, by their own choice or in place of a text.
#include <future>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "connector/cloud/cloud_fixture.hpp"
#include "connector/cloud/codec/json_reading.hpp"

namespace merpati::connector::cloud {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Kind = model::Outcome::Kind;
using Seen = GraphDouble::Seen;
using Reply = GraphDouble::Reply;

struct SenderTemplatesTest : CloudTest {
    /// A message that is the template "promo".
    model::Message& filled(std::vector<std::string> values) {
        auto& made = message("");
        made.filled_template = std::make_shared<const model::FilledTemplate>(
            model::FilledTemplate{.name = "promo", .language = "id", .values = std::move(values)});
        return made;
    }
};

constexpr auto one_template =
    R"({"data":[{"name":"kabar","language":"id","status":"APPROVED",
        "components":[{"type":"BODY","text":"Kabar: {{1}}"}]}]})";

TEST_F(SenderTemplatesTest, AClosedWindowMakesATextATemplateOnce) {
    graph.play([](const Seen& request) -> std::optional<Reply> {
        if (request.path.contains("message_templates")) {
            return Reply{.body = one_template};
        }
        if (find_text(request.json, "type", 16) == "template") {
            return std::nullopt;
        }
        return GraphDouble::refusal(400, 131'047, "Re-engagement message", "24 hours");
    });
    const auto& text = message("baris\nkedua");
    const auto first = send(text);
    EXPECT_EQ(first.kind, Kind::retry);
    EXPECT_TRUE(first.as_template);
    EXPECT_EQ(first.sent_as, nullptr);
    const auto second = send(text, nullptr, true);
    EXPECT_EQ(second.kind, Kind::accepted);
    ASSERT_NE(second.sent_as, nullptr);
    EXPECT_EQ(second.sent_as->name, "kabar");
    EXPECT_EQ(second.sent_as->body, "Kabar: baris kedua");
    EXPECT_THAT(posted().back().body, HasSubstr(R"("text":"baris kedua")"));
    EXPECT_EQ(send(message(), nullptr, true).kind, Kind::accepted);
    EXPECT_EQ(graph.seen("name=kabar").size(), 1U);

    const auto media = send(message(), &file("image/png"));
    EXPECT_EQ(media.kind, Kind::failed);
    EXPECT_EQ(media.details, "131047 Re-engagement message: 24 hours");
    device.cloud->fallback_template.clear();
    cloud->know_device(device);
    EXPECT_EQ(send(message()).kind, Kind::failed);
}

TEST_F(SenderTemplatesTest, ANumberThatNamesAnothersBusinessAccountGetsNothingOfIt) {
    const auto other = connect_other();
    graph.play([](const Seen& request) -> std::optional<Reply> {
        if (!request.path.contains("message_templates")) {
            return std::nullopt;
        }
        return request.token == "token" ? GraphDouble::refusal(400, 100, "Unsupported request", "")
                                        : Reply{.body = one_template};
    });
    EXPECT_EQ(send(message(), nullptr, true).kind, Kind::accepted);
    auto& foreign = message();
    foreign.device = other.number;
    EXPECT_EQ(send(foreign, nullptr, true).kind, Kind::failed);
    EXPECT_EQ(graph.seen("name=kabar").size(), 2U);
}

TEST_F(SenderTemplatesTest, AMissingTemplateFailsTheMessage) {
    graph.play([](const Seen& request) -> std::optional<Reply> {
        return request.path.contains("message_templates") ? std::optional{Reply{.body = "{}"}}
                                                          : std::nullopt;
    });
    EXPECT_EQ(send(message(), nullptr, true).kind, Kind::failed);
    EXPECT_TRUE(posted().empty());
}

TEST_F(SenderTemplatesTest, AMessageThatIsATemplateGoesAsItWithItsValues) {
    graph.play([](const Seen& request) -> std::optional<Reply> {
        if (!request.path.contains("message_templates")) {
            return std::nullopt;
        }
        if (!request.path.contains("after=")) {
            return Reply{.body = R"({"data":[{"name":"promo_lama","language":"id"}],"paging":)"
                                 R"({"cursors":{"after":"x"},"next":"https://a.example"}})"};
        }
        return Reply{.body = R"({"data":[{"name":"promo","language":"id","status":"APPROVED",)"
                             R"("components":[{"type":"BODY","text":"{{nama}} {{diskon}}"}]}]})"};
    });
    const auto& first = filled({"Budi", "50%"});
    const auto outcome = send(first);
    EXPECT_EQ(outcome.kind, Kind::accepted);
    ASSERT_NE(outcome.sent_as, nullptr);
    EXPECT_EQ(outcome.sent_as->body, "Budi 50%");
    EXPECT_THAT(posted().back().body, HasSubstr(R"("parameter_name":"nama","text":"Budi"})"));
    EXPECT_EQ(find_text(posted().back().json, "biz_opaque_callback_data", 64), first.id.text());
    EXPECT_EQ(send(filled({"Sari", "40%"})).kind, Kind::accepted);
    EXPECT_EQ(graph.seen("name=promo").size(), 1U);
    EXPECT_EQ(graph.seen("name=promo&after=x").size(), 1U);
    EXPECT_EQ(send(filled({})).kind, Kind::accepted);
    EXPECT_THAT(posted().back().body, Not(HasSubstr("components")));
}

TEST_F(SenderTemplatesTest, ATemplateWhoseAnswerIsLostIsKnownByItsTextToo) {
    graph.play([](const Seen& request) -> std::optional<Reply> {
        return request.path.contains("message_templates") ? Reply{.body = one_template}
                                                          : Reply{.body = ""};
    });
    const auto lost = send(message("siap"), nullptr, true);
    EXPECT_EQ(lost.kind, Kind::unknown);
    ASSERT_NE(lost.sent_as, nullptr);
    EXPECT_EQ(lost.sent_as->body, "Kabar: siap");
}

TEST_F(SenderTemplatesTest, ATemplateThatNobodyListsIsSentAndItsTextIsNotKnown) {
    device.cloud->waba_id.clear();
    cloud->know_device(device);
    const auto outcome = send(filled({"Budi"}));
    EXPECT_EQ(outcome.kind, Kind::accepted);
    EXPECT_EQ(outcome.sent_as, nullptr);
}

TEST_F(SenderTemplatesTest, AFileIsUploadedOnceAndGoesInTheTemplatesHeader) {
    graph.play([](const Seen& request) -> std::optional<Reply> {
        return request.path.contains("message_templates")
                   ? std::optional{Reply{
                         .body = R"({"data":[{"name":"promo","language":"id","status":"APPROVED",)"
                                 R"("components":[{"type":"HEADER","format":"DOCUMENT"},)"
                                 R"({"type":"BODY","text":"Halo {{1}}"}]}]})"}}
                   : std::nullopt;
    });
    const auto& nota = file("application/pdf");
    const auto send_file = [&] {
        auto& made = filled({"Budi"});
        made.type = model::MessageType::media;
        made.media_url = "https://example.org/nota.pdf";
        return send(made, &nota);
    };
    EXPECT_EQ(send_file().kind, Kind::accepted);
    const auto second = send_file();
    EXPECT_EQ(second.kind, Kind::accepted);
    EXPECT_EQ(second.sent_as->body, "Halo Budi");
    EXPECT_EQ(graph.seen("/media").size(), 1U);
    EXPECT_THAT(posted().back().body,
                HasSubstr(R"({"type":"header","parameters":[{"type":"document",)"
                          R"("document":{"id":")"));
    EXPECT_THAT(posted().back().body, HasSubstr(R"("filename":"nota.pdf"}}]})"));

    auto& voice = filled({"Budi"});
    const auto refused = send(voice, &file("audio/mpeg"));
    EXPECT_EQ(refused.kind, Kind::failed);
    EXPECT_EQ(refused.code, model::StatusCode::media_refused);
    EXPECT_EQ(graph.seen("/media").size(), 1U);
}

TEST_F(SenderTemplatesTest, ThePlatformJudgesATemplateThatItDoesNotList) {
    graph.play([](const Seen& request) -> std::optional<Reply> {
        return request.path.contains("message_templates")
                   ? Reply{.body = "{}"}
                   : GraphDouble::refusal(404, 132'001, "Template name does not exist",
                                          "promo in id");
    });
    const auto outcome = send(filled({"Budi"}));
    EXPECT_EQ(outcome.kind, Kind::failed);
    EXPECT_EQ(outcome.details, "132001 Template name does not exist: promo in id");
    EXPECT_EQ(posted().size(), 1U);
}

TEST_F(SenderTemplatesTest, AMessageThatIsATemplateIsNeverSentAsAnother) {
    graph.play([](const Seen& request) -> std::optional<Reply> {
        return request.path.contains("message_templates")
                   ? Reply{.body = one_template}
                   : GraphDouble::refusal(400, 131'047, "Re-engagement message", "24 hours");
    });
    const auto outcome = send(filled({"Budi"}));
    EXPECT_EQ(outcome.kind, Kind::failed);
    EXPECT_FALSE(outcome.as_template);
}

TEST_F(SenderTemplatesTest, AListThatCannotBeReadNowLetsTheTemplateWait) {
    graph.play([](const Seen& request) -> std::optional<Reply> {
        return request.path.contains("message_templates")
                   ? std::optional{GraphDouble::refusal(500, 131'000, "Something went wrong", "")}
                   : std::nullopt;
    });
    EXPECT_EQ(send(filled({"Budi"})).kind, Kind::retry);
    EXPECT_TRUE(posted().empty());
}

TEST_F(SenderTemplatesTest, ATemplateIsFoundAsThePlatformHasItNow) {
    std::string status = "PENDING";
    graph.play([&status](const Seen& request) -> std::optional<Reply> {
        return request.path.contains("message_templates")
                   ? std::optional{Reply{.body = R"({"data":[{"name":"promo","language":"id",)"
                                                 R"("status":")" +
                                                 status + R"("}]})"}}
                   : std::nullopt;
    });
    const auto find = [this](const std::string& name) {
        std::promise<Result<std::optional<MessageTemplate>>> promise;
        cloud->find_template(device.number, name, "id",
                             [&promise](auto found) { promise.set_value(std::move(found)); });
        return promise.get_future().get();
    };
    EXPECT_EQ(find("promo").value().value().status, "PENDING");
    status = "APPROVED";
    EXPECT_TRUE(find("promo").value().value().is_approved());
    status = "PAUSED";
    EXPECT_EQ(find("promo").value().value().status, "PAUSED");
    EXPECT_FALSE(find("lain").value());
    device.cloud->waba_id.clear();
    cloud->know_device(device);
    EXPECT_EQ(find("promo").error().code, ErrorCode::refused);
}

}  // namespace
}  // namespace merpati::connector::cloud
