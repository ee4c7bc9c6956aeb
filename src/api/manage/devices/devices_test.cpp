#include "api/manage/engine/manage_fixture.hpp"

namespace merpati::api::manage::testing {
namespace {

struct DevicesTest : ManageTest {
    Answer add(std::string_view number, std::string_view more = "") {
        return post("/devices", R"({"account":")" + account + R"(","number":")" +
                                    std::string{number} + "\"" + std::string{more} + "}");
    }

    std::string account = make_account();
};

TEST_F(DevicesTest, ANewDeviceIsKnownAtOnceInItsFirstState) {
    const auto added = add("6281100000001", R"(,"webhook":"https://toko.example.com/hook")");
    EXPECT_EQ(added.status, 200);
    EXPECT_EQ(added.text("number"), "6281100000001");
    EXPECT_EQ(added.text("connector"), "simulator");
    EXPECT_EQ(added.text("state"), "connected");
    EXPECT_EQ(added.text("webhook"), "https://toko.example.com/hook");
    EXPECT_NE(directory.find_device(*model::PhoneNumber::parse("6281100000001")), nullptr);
    EXPECT_THAT(devices.calls, ElementsAre("new 6281100000001"));
}

TEST_F(DevicesTest, AddingItAgainKeepsItAndUpdatesAGivenWebhook) {
    add("6281100000001", R"(,"webhook":"https://a.example.com/")");
    EXPECT_EQ(add("6281100000001").text("webhook"), "https://a.example.com/");
    EXPECT_EQ(add("6281100000001", R"(,"webhook":"https://b.example.com/")").text("webhook"),
              "https://b.example.com/");
    EXPECT_TRUE(add("6281100000001", R"(,"webhook":null)").json.at("webhook").is_null());
    EXPECT_EQ(get("/devices").items().size(), 1U);
    EXPECT_THAT(devices.calls, ElementsAre("new 6281100000001"));  // Once, with its first state.
}

TEST_F(DevicesTest, ANumberOfAnotherAccountIsAConflict) {
    add("6281100000001");
    account = make_account();
    const auto answer = add("6281100000001");
    EXPECT_EQ(answer.status, 409);
    EXPECT_THAT(answer.error(), HasSubstr("acc_1"));
    EXPECT_THAT(get("/devices?account=" + account).items(), IsEmpty());
}

TEST_F(DevicesTest, WhoDoesNotKnowTheOtherAccountIsToldOnlyThatTheNumberIsTaken) {
    add("6281100000001");
    const auto owner = key_of(make_account(), model::scopes_of(model::Role::owner));
    const auto answer =
        call_as(owner, http::Method::post, "/devices", R"({"number":"6281100000001"})");
    EXPECT_EQ(answer.status, 409);
    EXPECT_EQ(answer.error(), "6281100000001 is registered already");
}

TEST_F(DevicesTest, OnlyAdministratorsAddDevicesToAccountsThatDoNotPay) {
    account = make_account(R"("name":"a","plan":"trial")");
    const auto owner = key_of(account, model::scopes_of(model::Role::owner));
    for (const std::string_view connector : {"", R"(,"connector":"echo")"}) {
        const auto refused = call_as(owner, http::Method::post, "/devices",
                                     R"({"number":"6281100000001")" + std::string{connector} + "}");
        EXPECT_EQ(refused.status, 403);
        EXPECT_EQ(refused.error(), "accounts of the plan trial cannot add devices themselves");
    }
    EXPECT_EQ(add("6281100000001").status, 200);
    EXPECT_EQ(
        call_as(owner, http::Method::post, "/devices", R"({"number":"6281100000001"})").status,
        403);
}

TEST_F(DevicesTest, ADeviceBeginsWithItsConnectorsPaceUnlessAnotherIsGiven) {
    const auto added = [&](std::string_view number, std::string_view fields) {
        return post("/devices", R"({"account":")" + account + R"(","number":")" +
                                    std::string{number} + '"' + std::string{fields} + '}')
            .json;
    };
    const auto usual = added("6281100000001", "");
    EXPECT_EQ(usual.at("gap_ms"), 250);
    EXPECT_EQ(usual.at("jitter_ms"), 0);
    EXPECT_EQ(usual.at("per_day_max"), 90);
    EXPECT_EQ(usual.at("warm_up_days"), 0);
    const auto chosen =
        added("6281100000002", R"(,"gap_ms":0,"jitter_ms":9,"per_day_max":null,"warm_up_days":7)");
    EXPECT_EQ(chosen.at("gap_ms"), 0);
    EXPECT_EQ(chosen.at("jitter_ms"), 9);
    EXPECT_TRUE(chosen.at("per_day_max").is_null());
    EXPECT_EQ(chosen.at("warm_up_days"), 7);
    const auto again = added("6281100000002", R"(,"gap_ms":5)");
    EXPECT_EQ(again.at("gap_ms"), 5);
    EXPECT_EQ(again.at("jitter_ms"), 9);
    EXPECT_EQ(added("6281100000002", "").at("gap_ms"), 5);
}

TEST_F(DevicesTest, APaceIsChangedFieldByField) {
    post("/devices", R"({"account":")" + account + R"(","number":"6281100000001"})");
    const auto changed = patch("/devices/6281100000001",
                               R"({"jitter_ms":2000,"webhook":"https://toko.example.com/events"})");
    EXPECT_EQ(changed.status, 200);
    EXPECT_EQ(changed.json.at("gap_ms"), 250);
    EXPECT_EQ(changed.json.at("jitter_ms"), 2000);
    EXPECT_EQ(changed.text("webhook"), "https://toko.example.com/events");
    EXPECT_EQ(get("/devices/6281100000001").json.at("jitter_ms"), 2000);
    EXPECT_EQ(patch("/devices/6281100000009", R"({"gap_ms":1})").status, 404);
    for (const auto* wrong :
         {R"({"gap_ms":-1})", R"({"gap_ms":86400001})", R"({"jitter_ms":"1s"})",
          R"({"per_day_max":0})", R"({"warm_up_days":366})", R"({"connector":"simulator"})"}) {
        EXPECT_EQ(patch("/devices/6281100000001", wrong).status, 400) << wrong;
    }
}

TEST_F(DevicesTest, WrongFieldsAreNamedAndNothingIsAdded) {
    const std::pair<std::string_view, std::string_view> wrong[]{
        {"number", R"("number":"08123")"},
        {"number", R"("number":"+62811x0000001")"},
        {"number", R"("number":"1234567")"},
        {"number", R"("number":6281100000001)"},
        {"number", R"("webhook":null)"},
        {"connector", R"("number":"6281100000001","connector":"Pigeon!")"},
        {"webhook", R"("number":"6281100000001","webhook":"http://a.example.com/")"},
        {"webhook", R"("number":"6281100000001","webhook":"https://10.0.0.1/")"},
        {"webhook", R"("number":"6281100000001","webhook":"https://localhost/")"},
    };
    for (const auto& [field, fields] : wrong) {
        const auto answer =
            post("/devices", R"({"account":")" + account + "\"," + std::string{fields} + "}");
        EXPECT_EQ(answer.status, 400) << fields;
        EXPECT_THAT(answer.error(), HasSubstr("'" + std::string{field} + "'")) << fields;
    }
    EXPECT_THAT(get("/devices").items(), IsEmpty());
    EXPECT_THAT(devices.calls, IsEmpty());
}

TEST_F(DevicesTest, APairingIsBegunAnsweredAndShown) {
    add("6281100000001");
    devices.shown_pairing = {.under_way = true,
                             .method = "otp",
                             .payload = "Kode: 1",
                             .expires_at = clock.now(),
                             .reason = {}};
    const auto begun = post("/devices/6281100000001/pair", R"({"method":"otp"})");
    EXPECT_EQ(begun.status, 200);
    EXPECT_EQ(begun.text("state"), "pairing");
    EXPECT_EQ(begun.text("payload"), "Kode: 1");
    EXPECT_EQ(begun.text("expires_at"), to_rfc3339(clock.now()));
    EXPECT_EQ(post("/devices/6281100000001/pair", "").status, 200);
    EXPECT_EQ(post("/devices/6281100000001/pairing/answer", R"({"answer":"9"})").status, 200);
    EXPECT_THAT(devices.calls,
                ::testing::IsSupersetOf(
                    {"pair 6281100000001 otp", "pair 6281100000001 ", "answer 6281100000001 9"}));
    devices.shown_pairing = {.under_way = false, .reason = "kedaluwarsa"};
    const auto shown = get("/devices/6281100000001/pairing");
    EXPECT_EQ(shown.text("state"), "connected");
    EXPECT_EQ(shown.text("reason"), "kedaluwarsa");
    EXPECT_TRUE(shown.json.at("method").is_null());
    EXPECT_EQ(post("/devices/6281100000001/pairing/answer", "{}").status, 400);
    EXPECT_EQ(get("/devices/6281100000009/pairing").status, 404);
}

TEST_F(DevicesTest, AConnectorThatIsNotHereIsRefused) {
    EXPECT_EQ(add("6281100000001", R"(,"connector":"pigeon")").status, 403);
    add("6281100000001");
    EXPECT_EQ(add("6281100000001", R"(,"connector":"linked")").status, 409);
}

TEST_F(DevicesTest, TheAccountsDeviceLimitHoldsForOperatorsToo) {
    account = make_account(R"("name":"a","devices_max":1)");
    EXPECT_EQ(add("6281100000001").status, 200);
    const auto answer = add("6281100000002");
    EXPECT_EQ(answer.status, 403);
    EXPECT_THAT(answer.error(), HasSubstr("devices_max"));
    EXPECT_EQ(add("6281100000001").status, 200);  // Adding its own device again needs no room.
}

TEST_F(DevicesTest, WhatAWebhookIsToldOfANewDeviceIsCommittedWithIt) {
    const std::string_view webhook = R"(,"webhook":"https://a.example.com/")";
    add("6281100000001", webhook);
    EXPECT_EQ(get("/callbacks").items().size(), 1U);
    account = make_account();
    EXPECT_EQ(add("6281100000001", webhook).status, 409);
    EXPECT_EQ(get("/callbacks").items().size(), 1U);
}

TEST_F(DevicesTest, ConnectAndDisconnectGoThroughTheConnector) {
    add("6281100000001");
    EXPECT_EQ(post("/devices/6281100000001/disconnect").status, 200);
    EXPECT_EQ(post("/devices/6281100000001/connect").status, 200);
    EXPECT_THAT(devices.calls, ElementsAre("new 6281100000001", "disconnect 6281100000001",
                                           "connect 6281100000001"));
}

TEST_F(DevicesTest, AnIdMayBePercentEncoded) {
    add("6281100000001");
    EXPECT_EQ(get("/devices/%3628110%30000001").text("number"), "6281100000001");
    for (const std::string_view malformed : {"%", "%3", "%zz", "%ff", "%00", "%0a", "\xff"}) {
        EXPECT_EQ(get("/devices/" + std::string{malformed}).status, 400) << malformed;
    }
}

TEST_F(DevicesTest, ADeviceForWhichMessagesWaitIsNotRemoved) {
    add("6281100000001");
    const auto message = accept(account, "6281100000001");
    EXPECT_EQ(call(http::Method::del, "/devices/6281100000001").status, 409);
    EXPECT_EQ(get("/devices").items().size(), 1U);
    finish(message, model::MessageState::sent);
    EXPECT_EQ(call(http::Method::del, "/devices/6281100000001").status, 200);
    EXPECT_THAT(get("/devices").items(), IsEmpty());
    EXPECT_EQ(directory.find_device(message.device), nullptr);
}

TEST_F(DevicesTest, UnknownDevicesAreNotFound) {
    for (const std::string_view number : {"6281100000009", "bogus", "0"}) {
        const auto path = "/devices/" + std::string{number};
        EXPECT_EQ(get(path).status, 404);
        EXPECT_EQ(post(path + "/connect").status, 404);
        EXPECT_EQ(post(path + "/disconnect").status, 404);
        EXPECT_EQ(call(http::Method::del, path).status, 404);
    }
}

}  // namespace
}  // namespace merpati::api::manage::testing
