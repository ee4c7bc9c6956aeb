#include "api/manage/engine/manage_fixture.hpp"

namespace merpati::api::manage::testing {
namespace {

using http::Method;

TEST_F(ManageTest, TheWebhookOfADeviceIsSetAndRemovedByItself) {
    const auto account = make_account();
    make_device(account, "6281100000001");
    const std::string path = "/devices/6281100000001/webhook";
    EXPECT_TRUE(get(path).json.at("url").is_null());
    const auto set = call(Method::put, path, R"({"url":"https://toko.example.com/events"})");
    EXPECT_EQ(set.text("url"), "https://toko.example.com/events");
    EXPECT_EQ(get("/devices/6281100000001").text("webhook"), "https://toko.example.com/events");
    for (const auto* body : {"{}", R"({"url":""})", R"({"url":"http://toko.example.com/"})",
                             R"({"url":"https://127.0.0.1/"})", R"({"url":null})"}) {
        EXPECT_EQ(call(Method::put, path, body).status, 400) << body;
    }
    EXPECT_TRUE(del(path).json.at("url").is_null());
    EXPECT_EQ(get("/devices/6281100000001").text("webhook"), "");
}

TEST_F(ManageTest, AnAccountChangesWhatIsItsOwnAndNoMore) {
    using model::Scope;
    const auto account = make_account(R"("name":"Toko","credit":5)");
    const auto key = key_of(account, {Scope::account_read, Scope::account_manage});
    EXPECT_EQ(call_as(key, Method::get, "/account").text("name"), "Toko");
    const auto changed = call_as(key, Method::patch, "/account",
                                 R"({"name":"Warung","callback":"https://warung.example.com/"})");
    EXPECT_EQ(changed.text("name"), "Warung");
    EXPECT_EQ(changed.text("callback"), "https://warung.example.com/");
    for (const auto* body : {R"({"credit":1000})", R"({"plan":"paid"})", R"({"rate":"none"})",
                             R"({"devices_max":1})", R"({"expires_at":null})"}) {
        EXPECT_EQ(call_as(key, Method::patch, "/account", body).status, 400) << body;
    }
    const auto secret = call_as(key, Method::post, "/account/secret");
    EXPECT_THAT(secret.text("webhook_secret"), HasSubstr("whsec_"));
    EXPECT_EQ(get("/account").status, 400);  // No account is named.
    EXPECT_EQ(get("/account?account=" + account).text("id"), account);
}

}  // namespace
}  // namespace merpati::api::manage::testing
