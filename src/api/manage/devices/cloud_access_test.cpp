// Devices on the official platform: what is checked there, and what is stored when.
#include "api/manage/engine/manage_fixture.hpp"

namespace merpati::api::manage::testing {
namespace {

constexpr std::string_view number = "6281100000001";
constexpr std::string_view path = "/devices/6281100000001";

struct CloudAccessTest : ManageTest {
    CloudAccessTest() {
        platform.checked_number = {.display_number = "+62 811-0000-0001", .status = "CONNECTED"};
    }
    Answer add(std::string_view cloud, std::string_view more = "") {
        return post(
            "/devices",
            fmt::format(R"({{"account":"{}","number":"{}","connector":"cloud"{}{}}})", account,
                        number, cloud.empty() ? "" : R"(,"cloud":)" + std::string{cloud}, more));
    }
    Answer add() {
        return add(R"({"phone_number_id":"1055","token":"EAAG1","waba_id":"207",)"
                   R"("app_secret":"s3cret"})");
    }
    /// Empty: there is none.
    std::string secret(std::string_view name) {
        const auto kept = take_secrets();
        const auto found = kept.find(std::string{name});
        return found == kept.end() ? std::string{} : found->second;
    }
    std::map<std::string, std::string> take_secrets() {
        std::map<std::string, std::string> kept;
        const auto listed = readers->read([](store::Reader& reader) {
            return reader.device_secrets(*model::PhoneNumber::parse(number), {}, 1'000'000);
        });
        EXPECT_TRUE(listed);
        for (const auto& [name, value] : *listed) {
            kept[name] = {reinterpret_cast<const char*>(value.data()), value.size()};
        }
        return kept;
    }
    static connector::MessageTemplate approved(std::string name, std::uint32_t variables = 1) {
        return {.name = std::move(name),
                .language = "id",
                .category = "UTILITY",
                .status = "APPROVED",
                .body = "Pesan: {{1}}",
                .variables = variables,
                .is_understood = true,
                .variable_names = {}};
    }

    const std::string account = make_account();
};

TEST_F(CloudAccessTest, ANumberThatThePlatformKnowsIsConnectedWithItsTokenEncrypted) {
    const auto added = add();
    ASSERT_EQ(added.status, 200) << added.whole();
    EXPECT_EQ(added.text("state"), "connected");
    EXPECT_EQ(added.json.at("cloud"),
              boost::json::parse(R"({"phone_number_id":"1055","waba_id":"207"})"));
    EXPECT_TRUE(added.json.at("fallback_template").is_null());
    EXPECT_THAT(platform.calls, ElementsAre("access 6281100000001 1055 EAAG1"));
    EXPECT_EQ(secret("token"), "EAAG1");
    EXPECT_EQ(secret("app_secret"), "s3cret");
    for (const auto* shown : {"/devices", "/devices/6281100000001", "/admin/log", "/callbacks"}) {
        const auto answer = get(shown);
        EXPECT_EQ(answer.status, 200) << shown;
        EXPECT_THAT(answer.whole(), Not(HasSubstr("EAAG1"))) << shown;
        EXPECT_THAT(answer.whole(), Not(HasSubstr("s3cret"))) << shown;
    }
}

TEST_F(CloudAccessTest, WithoutATokenItWaitsForOne) {
    const auto added = add("");
    EXPECT_EQ(added.status, 200) << added.whole();
    EXPECT_EQ(added.text("state"), "disconnected");
    EXPECT_EQ(added.text("state_reason"), "Waiting for a token of the official platform");
    EXPECT_TRUE(added.json.at("cloud").is_null());
    EXPECT_THAT(platform.calls, IsEmpty());
    EXPECT_EQ(patch(path, R"({"cloud":{"token":"EAAG1"}})").status, 409);
    EXPECT_EQ(patch(path, R"({"cloud":{"phone_number_id":"1055"}})").status, 409);
    EXPECT_EQ(patch(path, R"({"cloud":{"app_secret":"s"}})").status, 403);
    const auto given = patch(path, R"({"cloud":{"phone_number_id":"1055","token":"EAAG1"}})");
    EXPECT_EQ(given.status, 200) << given.whole();
    EXPECT_EQ(given.text("state"), "connected");
    EXPECT_THAT(devices.calls, ElementsAre("new 6281100000001", "mark connected 6281100000001"));
    EXPECT_EQ(secret("token"), "EAAG1");
}

TEST_F(CloudAccessTest, ACheckThatFailsAddsNothing) {
    platform.access_refusal = ErrorCode::refused;
    const auto refused = add();
    EXPECT_EQ(refused.status, 403);
    EXPECT_EQ(refused.json.at("errors").at(0).at("field"), "cloud.token");
    platform.access_refusal = ErrorCode::unreachable;
    EXPECT_EQ(add().status, 502);
    platform.access_refusal.reset();
    platform.checked_number.display_number = "+62 811-0000-0002";
    const auto other = add();
    EXPECT_EQ(other.status, 403);
    EXPECT_THAT(other.error(), HasSubstr("1055"));
    EXPECT_THAT(other.error(), HasSubstr("6281100000002"));
    platform.checked_number.display_number = "";
    EXPECT_EQ(add().status, 403);
    EXPECT_THAT(get("/devices").items(), IsEmpty());
    EXPECT_THAT(take_secrets(), IsEmpty());
    EXPECT_THAT(get("/admin/log").whole(), Not(HasSubstr("POST /v1/devices")));
}

TEST_F(CloudAccessTest, ThePlatformIsNotAskedAboutWhatIsRefusedAnyway) {
    ASSERT_EQ(add().status, 200);
    platform.calls.clear();
    const auto theirs = make_account();
    const auto taken = post("/devices", fmt::format(R"({{"account":"{}","number":"6281100000002",
        "connector":"cloud","cloud":{{"phone_number_id":"1055","token":"EAAG2"}}}})",
                                                    theirs));
    EXPECT_EQ(taken.status, 409) << taken.whole();
    EXPECT_THAT(taken.error(), Not(HasSubstr(std::string{number})));
    const auto owned = post("/devices", fmt::format(R"({{"account":"{}","number":"{}",
        "connector":"cloud","cloud":{{"phone_number_id":"9","token":"EAAG2"}}}})",
                                                    theirs, number));
    EXPECT_EQ(owned.status, 409);
    const auto viewer = key_of(account, model::scopes_of(model::Role::viewer));
    EXPECT_EQ(call_as(viewer, http::Method::patch, path, R"({"cloud":{"token":"EAAG2"}})").status,
              403);
    EXPECT_EQ(call_as(key_of(theirs, model::scopes_of(model::Role::owner)), http::Method::patch,
                      path, R"({"cloud":{"token":"EAAG2"}})")
                  .status,
              404);
    EXPECT_THAT(platform.calls, IsEmpty());
    EXPECT_EQ(secret("token"), "EAAG1");
}

TEST_F(CloudAccessTest, ABadTokenIsRefusedAndTheOldOneStays) {
    ASSERT_EQ(add().status, 200);
    devices.calls.clear();
    platform.access_refusal = ErrorCode::refused;
    EXPECT_EQ(patch(path, R"({"cloud":{"token":"EAAG2"}})").status, 403);
    EXPECT_EQ(secret("token"), "EAAG1");
    EXPECT_THAT(devices.calls, IsEmpty());
    platform.access_refusal.reset();
    EXPECT_EQ(patch(path, R"({"cloud":{"token":"EAAG2"}})").status, 200);
    EXPECT_EQ(secret("token"), "EAAG2");
    EXPECT_EQ(secret("app_secret"), "s3cret");
    EXPECT_THAT(devices.calls, ElementsAre("mark connected 6281100000001"));
    EXPECT_THAT(get("/admin/log").whole(), HasSubstr(R"("after":{"access":"changed"})"));
}

TEST_F(CloudAccessTest, ADeviceThatChangedWhileThePlatformWasAskedKeepsItsToken) {
    ASSERT_EQ(add().status, 200);
    platform.on_question = [this] {
        store::WriteBatch batch;
        batch.changes.push_back({.run = [](store::Tables& tables) -> Result<void> {
            const auto set = tables.update_device(
                *model::PhoneNumber::parse(number),
                {.cloud = store::DevicePatch::Cloud{.phone_number_id = "1056", .waba_id = {}}});
            return set ? Result<void>{} : pass(set);
        }});
        write(batch);
    };
    EXPECT_EQ(patch(path, R"({"cloud":{"token":"EAAG2"}})").status, 409);
    EXPECT_EQ(secret("token"), "EAAG1");
}

TEST_F(CloudAccessTest, TheAppSecretNeedsNoCheckAndCanBeTakenBack) {
    ASSERT_EQ(add().status, 200);
    platform.calls.clear();
    devices.calls.clear();
    EXPECT_EQ(patch(path, R"({"cloud":{"app_secret":"other"}})").status, 200);
    EXPECT_EQ(secret("app_secret"), "other");
    EXPECT_EQ(patch(path, R"({"cloud":{"app_secret":null,"waba_id":null}})").status, 200);
    EXPECT_EQ(secret("app_secret"), "");
    EXPECT_EQ(secret("token"), "EAAG1");
    EXPECT_TRUE(get(path).json.at("cloud").at("waba_id").is_null());
    EXPECT_THAT(platform.calls, IsEmpty());
    EXPECT_THAT(devices.calls, IsEmpty());
}

TEST_F(CloudAccessTest, AddingItAgainGivesItANewToken) {
    ASSERT_EQ(add().status, 200);
    const auto again = add(R"({"phone_number_id":"1055","token":"EAAG2"})");
    EXPECT_EQ(again.status, 200) << again.whole();
    EXPECT_EQ(secret("token"), "EAAG2");
    EXPECT_EQ(again.json.at("cloud").at("waba_id"), "207");
    EXPECT_EQ(get("/devices").items().size(), 1U);
}

TEST_F(CloudAccessTest, WrongFieldsAreNamed) {
    for (const auto* wrong :
         {R"({})", R"({"phone_number_id":"1055"})", R"({"token":"EAAG1"})",
          R"({"phone_number_id":"x","token":"EAAG1"})", R"({"phone_number_id":"","token":"a"})",
          R"({"phone_number_id":"1055","token":""})", R"({"phone_number_id":"1055","token":"a b"})",
          R"({"phone_number_id":"1055","token":"a","waba_id":"x"})",
          R"({"phone_number_id":"1055","token":"a","more":1})", R"("EAAG1")"}) {
        const auto refused = add(wrong);
        EXPECT_EQ(refused.status, 400) << wrong;
        EXPECT_THAT(refused.error(), HasSubstr("cloud")) << wrong;
    }
    const auto elsewhere =
        post("/devices", R"({"account":")" + account +
                             R"(","number":"6281100000002",)"
                             R"("cloud":{"phone_number_id":"1055","token":"EAAG1"}})");
    EXPECT_EQ(elsewhere.status, 400);
    make_device(account, "6281100000003");
    EXPECT_EQ(patch("/devices/6281100000003", R"({"cloud":{"token":"EAAG1"}})").status, 409);
    EXPECT_EQ(patch("/devices/6281100000003", R"({"fallback_template":null})").status, 409);
    EXPECT_THAT(platform.calls, IsEmpty());
}

TEST_F(CloudAccessTest, AFallbackTemplateMustExistBeApprovedAndHaveOneVariable) {
    ASSERT_EQ(add().status, 200);
    auto rejected = approved("ditolak");
    rejected.status = "REJECTED";
    auto with_button = approved("tombol");
    with_button.buttons = {{.url = "https://a.example/{{1}}"}};
    platform.templates = {approved("pesan"), approved("dua", 2), approved("nol", 0), rejected,
                          with_button};
    for (const auto* refused :
         {"dua:id", "nol:id", "ditolak:id", "tombol:id", "pesan:en", "tak:id"}) {
        const auto answer = patch(path, fmt::format(R"({{"fallback_template":"{}"}})", refused));
        EXPECT_EQ(answer.status, 403) << refused;
        EXPECT_THAT(answer.error(), HasSubstr(refused));
    }
    for (const auto* malformed : {"pesan", "pesan:", ":id", "pe san:id", "pesan:id:id", ""}) {
        EXPECT_EQ(patch(path, fmt::format(R"({{"fallback_template":"{}"}})", malformed)).status,
                  400)
            << malformed;
    }
    platform.calls.clear();
    const auto set = patch(path, R"({"fallback_template":"pesan:id"})");
    EXPECT_EQ(set.status, 200) << set.whole();
    EXPECT_EQ(set.text("fallback_template"), "pesan:id");
    EXPECT_THAT(platform.calls, ElementsAre("templates 6281100000001 207 EAAG1 "));
    EXPECT_EQ(patch(path, R"({"gap_ms":5})").text("fallback_template"), "pesan:id");
    EXPECT_TRUE(
        patch(path, R"({"fallback_template":null})").json.at("fallback_template").is_null());
    EXPECT_EQ(patch(path, R"({"fallback_template":"pesan:id"})").status, 200);
    EXPECT_TRUE(
        patch(path, R"({"fallback_template":"none"})").json.at("fallback_template").is_null());
}

TEST_F(CloudAccessTest, ATemplateSaysWhatItsHeaderAndItsButtonsNeed) {
    using connector::MessageTemplate;
    ASSERT_EQ(add().status, 200);
    auto made = approved("promo");
    made.header_need = MessageTemplate::HeaderNeed::image;
    made.footer = "Toko Maju";
    made.buttons = {
        {.kind = MessageTemplate::Button::Kind::url, .place = 1, .url = "https://a.example/{{1}}"},
        {.kind = MessageTemplate::Button::Kind::coupon, .place = 2}};
    auto other = approved("lain");
    other.header_need = MessageTemplate::HeaderNeed::text;
    other.header_text = "Toko {{1}}";
    other.is_understood = false;
    platform.templates = {made, other};
    const auto items = get("/devices/6281100000001/templates").items();
    EXPECT_EQ(items.at(0).at("header_needs"), "image");
    EXPECT_EQ(items.at(0).at("footer"), "Toko Maju");
    EXPECT_EQ(items.at(0).at("buttons"),
              boost::json::parse(R"([{"place":1,"kind":"url","url":"https://a.example/{{1}}"},
                                     {"place":2,"kind":"coupon","url":null}])"));
    EXPECT_EQ(items.at(0).at("body_only"), false);
    EXPECT_EQ(items.at(1).at("header_needs"), "text");
    EXPECT_EQ(items.at(1).at("header"), "Toko {{1}}");
    EXPECT_EQ(items.at(1).at("fillable"), false);
}

TEST_F(CloudAccessTest, TemplatesAreListedPageByPage) {
    ASSERT_EQ(add().status, 200);
    platform.templates = {approved("pesan")};
    platform.calls.clear();
    const auto first = get("/devices/6281100000001/templates");
    ASSERT_EQ(first.status, 200) << first.whole();
    EXPECT_EQ(first.items().at(0), boost::json::parse(R"({"name":"pesan","language":"id",
        "category":"UTILITY","status":"APPROVED","header":null,"header_needs":null,
        "body":"Pesan: {{1}}","footer":null,"variables":1,"buttons":[],"fillable":true,
        "body_only":true})"));
    EXPECT_EQ(first.text("next"), "2");
    const auto last = get("/devices/6281100000001/templates?cursor=2");
    EXPECT_THAT(last.items(), IsEmpty());
    EXPECT_TRUE(last.json.at("next").is_null());
    EXPECT_THAT(platform.calls, ElementsAre("templates 6281100000001 207 EAAG1 ",
                                            "templates 6281100000001 207 EAAG1 2"));
    platform.access_refusal = ErrorCode::unreachable;
    EXPECT_EQ(get("/devices/6281100000001/templates").status, 502);
}

TEST_F(CloudAccessTest, WithoutABusinessAccountThereAreNoTemplates) {
    ASSERT_EQ(add(R"({"phone_number_id":"1055","token":"EAAG1"})").status, 200);
    const auto refused = get("/devices/6281100000001/templates");
    EXPECT_EQ(refused.status, 409);
    EXPECT_THAT(refused.error(), HasSubstr("waba_id"));
    EXPECT_EQ(patch(path, R"({"fallback_template":"pesan:id"})").status, 409);
    make_device(account, "6281100000003");
    EXPECT_EQ(get("/devices/6281100000003/templates").status, 409);
    EXPECT_EQ(get("/devices/6281100000009/templates").status, 404);
}

}  // namespace
}  // namespace merpati::api::manage::testing
