#include "api/manage/engine/lookup.hpp"

#include "api/manage/engine/manage_fixture.hpp"

namespace merpati::api::manage::testing {
namespace {

using http::Method;
using model::Scope;
using model::Scopes;

struct LookupTest : ManageTest {
    LookupTest() {
        own = make_account();
        other = make_account();
        make_device(own, "6281100000001");
        make_device(other, "6281100000002");
        key = key_of(own,
                     Scopes{Scope::send, Scope::messages_read, Scope::messages_manage,
                            Scope::campaigns_read, Scope::campaigns_manage, Scope::devices_manage,
                            Scope::callbacks_manage, Scope::account_read, Scope::account_manage});
    }

    /// Another account's object and one that does not exist must get the same text.
    void expect_alike(Method method, std::string path, std::string_view theirs,
                      std::string_view nobodys, std::string_view body = {}) {
        const auto hole = path.find("{}");
        const auto ask = [&](std::string_view id) {
            auto target = path;
            return call_as(key, method, target.replace(hole, 2, id), body);
        };
        const auto refused = ask(theirs);
        const auto unknown = ask(nobodys);
        EXPECT_EQ(refused.status, 404) << path << refused.whole();
        auto shown = refused.whole();
        for (auto at = shown.find(theirs); at != std::string::npos; at = shown.find(theirs)) {
            shown.replace(at, theirs.size(), nobodys);
        }
        EXPECT_EQ(shown, unknown.whole()) << path;
    }

    std::string own;
    std::string other;
    admission::Principal key;
};

TEST_F(LookupTest, AnotherAccountsObjectIsAnsweredAsOneThatDoesNotExist) {
    const auto message = accept(other, "6281100000002").id.text();
    const std::string nobodys_message = "019a8f5e-7c1b-7d3a-9f20-5b1e6a4c8d70";
    devices.calls.clear();
    const auto their_key = post("/keys", R"({"account":")" + other + "\"}").text("id");
    for (const auto* path : {"/messages/{}"}) {
        expect_alike(Method::get, path, message, nobodys_message);
    }
    for (const auto* path : {"/messages/{}/cancel", "/messages/{}/fail", "/messages/{}/release"}) {
        expect_alike(Method::post, path, message, nobodys_message);
    }
    for (const auto* path : {"/devices/{}", "/devices/{}/pairing"}) {
        expect_alike(Method::get, path, "6281100000002", "6281100000009");
    }
    for (const auto* path : {"/devices/{}/connect", "/devices/{}/disconnect", "/devices/{}/pair"}) {
        expect_alike(Method::post, path, "6281100000002", "6281100000009");
    }
    expect_alike(Method::patch, "/devices/{}", "6281100000002", "6281100000009");
    expect_alike(Method::del, "/devices/{}", "6281100000002", "6281100000009");
    expect_alike(Method::del, "/keys/{}", their_key, "key_99");
    expect_alike(Method::post, "/keys/{}/rotate", their_key, "key_99");
    for (const auto* list : {"/messages", "/devices", "/callbacks", "/keys"}) {
        expect_alike(Method::get, std::string{list} + "?account={}", other, "acc_99");
    }
    EXPECT_THAT(devices.calls, IsEmpty());
}

TEST_F(LookupTest, ListsHoldTheCallersOwnAndTheOperatorsAll) {
    accept(own, "6281100000001");
    accept(other, "6281100000002");
    EXPECT_EQ(call_as(key, Method::get, "/messages").items().size(), 1U);
    EXPECT_EQ(call_as(key, Method::get, "/messages").items().front().at("account"),
              boost::json::string{own});
    EXPECT_EQ(call_as(key, Method::get, "/devices").items().size(), 1U);
    EXPECT_EQ(get("/messages").items().size(), 2U);
    EXPECT_EQ(call_as(key_of(own, Scopes{Scope::admin}), Method::get, "/devices").items().size(),
              2U);
}

TEST_F(LookupTest, AScopeThatIsMissingIsNamedBeforeAnythingIsLookedUp) {
    const auto weak = key_of(own, Scopes{Scope::send});
    for (const auto* id : {"6281100000001", "6281100000002", "6281100000009", "x"}) {
        const auto refused = call_as(weak, Method::get, "/devices/" + std::string{id});
        EXPECT_EQ(refused.status, 403);
        EXPECT_EQ(refused.error(), "this needs the scope account:read");
    }
    EXPECT_EQ(call_as({}, Method::get, "/devices").status, 401);
    EXPECT_EQ(call_as(key, Method::get, "/admin/accounts").status, 403);
}

TEST_F(LookupTest, APersonHasTheRightsOfTheRoleInEachAccount) {
    model::Person person;
    person.memberships = {
        {.account = *model::AccountId::parse(own), .role = model::Role::operator_, .since = {}},
        {.account = *model::AccountId::parse(other), .role = model::Role::viewer, .since = {}}};
    const auto caller = admission::Principal::of(std::make_shared<const model::Person>(person));
    EXPECT_EQ(call_as(caller, Method::post, "/devices/6281100000001/connect").status, 200);
    const auto refused = call_as(caller, Method::post, "/devices/6281100000002/connect");
    EXPECT_EQ(refused.status, 403);  // The viewer may know that the device exists.
    EXPECT_EQ(refused.text("code"), "forbidden");
    EXPECT_EQ(call_as(caller, Method::get, "/messages").status, 400);  // No account is named.
    accept(own, "6281100000001");
    accept(other, "6281100000002");
    const auto to = [&](const std::string& account) {
        const auto page = call_as(caller, Method::get, "/messages?account=" + account);
        return std::string{page.items().front().at("to").as_string().c_str()};
    };
    EXPECT_EQ(to(own), "6281234567890");
    EXPECT_EQ(to(other), "6281*******90");
}

TEST_F(LookupTest, NobodyGivesAKeyMoreThanTheyHave) {
    const auto keeper = key_of(own, Scopes{Scope::account_manage, Scope::messages_read});
    EXPECT_EQ(call_as(keeper, Method::post, "/keys", R"({"scopes":["messages:read"]})").status,
              200);
    for (const auto* scopes : {R"(["send"])", R"(["admin"])", R"(["messages:read","send"])"}) {
        EXPECT_EQ(
            call_as(keeper, Method::post, "/keys", R"({"scopes":)" + std::string{scopes} + "}")
                .status,
            403);
    }
    EXPECT_EQ(call_as(keeper, Method::post, "/keys").status, 403);  // The default is send.
    const auto sending = post("/keys", R"({"account":")" + own + "\"}").text("id");
    EXPECT_EQ(call_as(keeper, Method::post, "/keys/" + sending + "/rotate").status, 403);
    EXPECT_EQ(call_as(keeper, Method::del, "/keys/" + sending).status, 200);
}

TEST_F(LookupTest, AccountsThatMayNotAddDevicesCannotDoItHereEither) {
    patch("/admin/accounts/" + own, R"({"plan":"trial"})");
    EXPECT_EQ(call_as(key, Method::post, "/devices", R"({"number":"6281100000003"})").status, 403);
    patch("/admin/accounts/" + own, R"({"plan":"paid"})");
    EXPECT_EQ(call_as(key, Method::post, "/devices", R"({"number":"6281100000003"})").status, 200);
    const auto taken = call_as(key, Method::post, "/devices", R"({"number":"6281100000002"})");
    EXPECT_EQ(taken.status, 409);
    EXPECT_THAT(taken.error(), Not(HasSubstr("acc_")));
}

}  // namespace
}  // namespace merpati::api::manage::testing
