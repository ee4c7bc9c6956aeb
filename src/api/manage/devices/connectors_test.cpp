#include "api/manage/engine/manage_fixture.hpp"

namespace merpati::api::manage::testing {
namespace {

struct ConnectorsTest : ManageTest {
    std::string account = make_account();
    admission::Principal owner = key_of(account, model::scopes_of(model::Role::owner));
    admission::Principal viewer = key_of(account, model::scopes_of(model::Role::viewer));

    static boost::json::object of(const Answer& answer, std::string_view name) {
        for (const auto& item : answer.items()) {
            if (std::string_view{item.at("name").as_string()} == name) {
                return item.as_object();
            }
        }
        return {};
    }
};

TEST_F(ConnectorsTest, EachIsShownWithItsKindItsPairingAndItsTrouble) {
    const auto shown = call_as(owner, http::Method::get, "/connectors");
    ASSERT_EQ(shown.items().size(), 3U) << shown.whole();
    EXPECT_EQ(of(shown, "simulator"), boost::json::parse(R"({"name":"simulator",
        "kind":"simulated","simulated":true,"official":null,"default":true,"pairing":[],
        "running":true,"trouble":null,"may_choose":true})"));
    EXPECT_EQ(of(shown, "linked"), boost::json::parse(R"({"name":"linked",
        "kind":"unofficial","simulated":false,"official":false,"default":false,
        "pairing":["code","qr"],"running":true,"trouble":null,"may_choose":true})"));
    EXPECT_EQ(of(shown, "echo"), boost::json::parse(R"({"name":"echo",
        "kind":"custom","simulated":false,"official":null,"default":false,
        "pairing":["otp"],"running":false,"trouble":"its worker is gone","may_choose":false})"));
}

TEST_F(ConnectorsTest, WhoMayNotAddDevicesMayChooseNone) {
    const auto shown = call_as(viewer, http::Method::get, "/connectors");
    EXPECT_EQ(shown.status, 200);
    for (const auto& item : shown.items()) {
        EXPECT_EQ(item.at("may_choose"), false) << item;
    }
}

TEST_F(ConnectorsTest, AnAccountAddsDevicesOnlyOnConnectorsThatAreOffered) {
    const auto add = [&](const admission::Principal& caller) {
        return call_as(
            caller, http::Method::post, "/devices",
            R"({"number":"6281100000001","connector":"echo","account":")" + account + "\"}");
    };
    const auto refused = add(owner);
    EXPECT_EQ(refused.status, 403);
    EXPECT_THAT(refused.error(), HasSubstr("accounts cannot add devices on the connector echo"));
    // An administrator may: the refusal is the fixture's, which has no such connector.
    EXPECT_THAT(add(admission::Principal::local()).error(), HasSubstr("no such connector here"));
}

TEST_F(ConnectorsTest, ADeviceSaysWhetherItIsSimulated) {
    make_device(account, "6281100000001");
    EXPECT_EQ(get("/devices/6281100000001").json.at("simulated"), true);
}

}  // namespace
}  // namespace merpati::api::manage::testing
