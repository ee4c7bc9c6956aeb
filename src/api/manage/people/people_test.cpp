// People of the server and of accounts, and the log of changes.
#include "api/manage/engine/manage_fixture.hpp"

namespace merpati::api::manage::testing {
namespace {

struct PeopleTest : ManageTest {
    PeopleTest() {
        make_account();
        make_account(R"("name":"Warung")");
        make_person("ani@toko.example", R"("account":"acc_1","role":"owner")");
    }

    Answer make_person(std::string_view email, std::string_view more = R"("admin":false)") {
        auto made = post("/admin/people", R"({"email":")" + std::string{email} +
                                              R"(","password":"kuda lumping 7",)" +
                                              std::string{more} + "}");
        EXPECT_EQ(made.status, 200) << made.whole();
        return made;
    }
    /// As a principal without a session.
    admission::Principal person(std::string_view email) {
        auto found = directory.people().find(email);
        EXPECT_NE(found, nullptr);
        return admission::Principal::of(std::move(found));
    }
    Answer as(std::string_view email, http::Method method, std::string_view path,
              std::string_view body = {}) {
        return call_as(person(email), method, path, body);
    }
};

TEST_F(PeopleTest, NobodyIsAddedWithoutConsentExceptByAnAdministrator) {
    make_person("known@warung.example", R"("account":"acc_2","role":"owner")");
    make_person("ops@example.com", R"("admin":true)");
    const auto add = [&](std::string_view caller, std::string_view email) {
        return as(caller, http::Method::post, "/account/people",
                  R"({"account":"acc_1","role":"viewer","email":")" + std::string{email} + "\"}");
    };
    for (const std::string_view email : {"known@warung.example", "fresh@toko.example"}) {
        const auto refused = add("ani@toko.example", email);
        EXPECT_EQ(refused.status, 403);
        EXPECT_THAT(refused.error(), HasSubstr("invite the person instead"));
    }
    EXPECT_EQ(call_as(key_of("acc_1", model::scopes_of(model::Role::owner)), http::Method::post,
                      "/account/people", R"({"email":"fresh@toko.example","role":"viewer"})")
                  .status,
              403);
    EXPECT_EQ(get("/account/people?account=acc_1").items().size(), 1U);
    EXPECT_EQ(add("ops@example.com", "known@warung.example").status, 200);
    EXPECT_EQ(add("ops@example.com", "fresh@toko.example").status, 200);
    EXPECT_EQ(add("ops@example.com", "fresh@toko.example").status, 409);
    EXPECT_EQ(get("/account/people?account=acc_1").items().size(), 3U);
}

TEST_F(PeopleTest, APersonIsFoundByAnyFormOfTheAddressWhateverIsAsked) {
    for (const std::string_view form :
         {"ani@toko.example", "Ani@Toko.Example", "%20ani@toko.example%20"}) {
        const auto path = "/admin/people/" + std::string{form};
        const auto shown = get(path);
        EXPECT_EQ(shown.status, 200) << path;
        EXPECT_EQ(patch(path, R"({"admin":false})").status, 200) << path;
        EXPECT_EQ(post(path + "/link").status, 200) << path;
    }
    const auto id = get("/admin/people/ANI@toko.example").text("id");
    EXPECT_EQ(get("/admin/people/" + id).text("email"), "ani@toko.example");
    for (const std::string_view nobody : {"budi@toko.example", "ani", "@", "psn_99", "acc_1"}) {
        EXPECT_EQ(get("/admin/people/" + std::string{nobody}).status, 404) << nobody;
        EXPECT_EQ(del("/admin/people/" + std::string{nobody}).status, 404) << nobody;
    }
}

TEST_F(PeopleTest, WhoIsNothingElseGoesWithTheMembership) {
    post("/account/people", R"({"account":"acc_1","email":"fresh@toko.example","role":"viewer"})");
    EXPECT_EQ(
        as("ani@toko.example", http::Method::del, "/account/people/fresh@toko.example").status,
        200);
    EXPECT_EQ(get("/admin/people/fresh@toko.example").status, 404);
    make_person("budi@toko.example", R"("account":"acc_1","role":"viewer")");
    EXPECT_EQ(as("ani@toko.example", http::Method::del, "/account/people/budi@toko.example").status,
              200);
    EXPECT_EQ(get("/admin/people/budi@toko.example").status, 200);
}

TEST_F(PeopleTest, AnAccountKeepsAnOwnerAndTheServerAnAdministrator) {
    EXPECT_EQ(as("ani@toko.example", http::Method::del, "/account/people/ani@toko.example").status,
              409);
    EXPECT_EQ(as("ani@toko.example", http::Method::patch, "/account/people/ani@toko.example",
                 R"({"role":"viewer"})")
                  .status,
              409);
    make_person("ops@example.com", R"("admin":true)");
    EXPECT_EQ(as("ops@example.com", http::Method::del, "/admin/people/ops@example.com").status,
              409);
    EXPECT_EQ(as("ops@example.com", http::Method::patch, "/admin/people/ops@example.com",
                 R"({"admin":false})")
                  .status,
              409);
    EXPECT_EQ(get("/admin/people/ops@example.com").json.at("admin"), true);
    EXPECT_EQ(del("/admin/people/ops@example.com").status, 200);  // Through the socket.
}

TEST_F(PeopleTest, OnlyOwnersManagePeopleAndOnlyTheirOwn) {
    make_person("op@toko.example", R"("account":"acc_1","role":"operator")");
    EXPECT_EQ(as("op@toko.example", http::Method::get, "/account/people").status, 403);
    EXPECT_EQ(as("ani@toko.example", http::Method::get, "/account/people?account=acc_2").status,
              404);
    EXPECT_EQ(as("ani@toko.example", http::Method::get, "/admin/people").status, 403);
    EXPECT_EQ(as("ani@toko.example", http::Method::patch, "/account/people/nobody@x.example",
                 R"({"role":"viewer"})")
                  .status,
              404);
}

TEST_F(PeopleTest, BothListsHavePages) {
    for (const char* email : {"d@toko.example", "c@toko.example", "b@toko.example"}) {
        make_person(email, R"("account":"acc_1","role":"viewer")");
    }
    make_person("e@warung.example", R"("account":"acc_2","role":"owner")");
    const auto all_of = [&](const std::string& list) {
        std::vector<std::string> emails;
        std::string cursor;
        for (int pages = 0; pages < 9; ++pages) {
            const auto got = get(list + cursor);
            EXPECT_LE(got.items().size(), 2U) << got.whole();
            for (const auto& person : got.items()) {
                emails.emplace_back(person.at("email").as_string());
            }
            if (got.json.at("next").is_null()) {
                break;
            }
            cursor = "&cursor=" + got.text("next");
        }
        return emails;
    };
    EXPECT_THAT(all_of("/admin/people?limit=2"),
                ElementsAre("ani@toko.example", "d@toko.example", "c@toko.example",
                            "b@toko.example", "e@warung.example"));
    EXPECT_THAT(
        all_of("/admin/people?account=acc_1&limit=2"),
        ElementsAre("ani@toko.example", "d@toko.example", "c@toko.example", "b@toko.example"));
    EXPECT_THAT(
        all_of("/account/people?account=acc_1&limit=2"),
        ElementsAre("ani@toko.example", "b@toko.example", "c@toko.example", "d@toko.example"));
    EXPECT_EQ(get("/account/people?account=acc_1&cursor=x").status, 400);
    EXPECT_EQ(get("/admin/people?cursor=x").status, 400);
}

TEST_F(PeopleTest, TheLogSaysWhoChangedWhatAndWhatItWas) {
    make_device("acc_1", "6281100000001");
    ASSERT_EQ(as("ani@toko.example", http::Method::patch, "/devices/6281100000001",
                 R"({"per_day_max":7})")
                  .status,
              200);
    const auto entries = get("/account/log?account=acc_1");
    const auto& last = entries.items().at(0);
    EXPECT_EQ(last.at("operation"), "PATCH /v1/devices/{}");
    EXPECT_EQ(last.at("object"), "6281100000001");
    EXPECT_EQ(last.at("actor").at("name"), "ani@toko.example");
    EXPECT_EQ(last.at("before"), boost::json::parse(R"({"per_day_max":90})"))
        << boost::json::serialize(last);
    EXPECT_EQ(last.at("after"), boost::json::parse(R"({"per_day_max":7})"));
    EXPECT_EQ(as("ani@toko.example", http::Method::get, "/account/log?account=acc_2").status, 404);
    EXPECT_EQ(get("/admin/log?limit=1").items().size(), 1U);
    EXPECT_EQ(get("/admin/log?object=6281100000001").items().size(), 2U);
}

TEST_F(PeopleTest, APasswordIsNotThePersonsAddressHoweverThePersonIsNamed) {
    const auto id = make_person("budi.santoso@toko.example").text("id");
    for (const auto& name :
         {id, std::string{"budi.santoso@toko.example"}, std::string{"Budi.Santoso@Toko.example"}}) {
        const auto path = "/admin/people/" + name;
        for (const auto* guessed : {"budi.santoso", "budi.santoso@toko.example"}) {
            EXPECT_EQ(patch(path, fmt::format(R"({{"password":"{}"}})", guessed)).status, 400)
                << name;
        }
        EXPECT_EQ(patch(path, R"({"password":"kuda lumping 8"})").status, 200) << name;
        EXPECT_EQ(get(path).text("email"), "budi.santoso@toko.example") << name;
    }
    EXPECT_EQ(patch("/admin/people/usr_99", R"({"password":"kuda lumping 8"})").status, 404);
    EXPECT_EQ(patch("/admin/people/" + id,
                    R"({"email":"baru.santoso@toko.example","password":"baru.santoso"})")
                  .status,
              400);
}

TEST_F(PeopleTest, WhatIsRefusedIsNotLogged) {
    const auto before = get("/admin/log").items().size();
    EXPECT_EQ(
        post("/admin/people", R"({"email":"ani@toko.example","password":"kuda lumping 7"})").status,
        409);
    EXPECT_EQ(get("/admin/log").items().size(), before);
}

TEST_F(PeopleTest, WhatIsDoneOutsideTheStoreIsLoggedFirst) {
    make_device("acc_1", "6281100000001");
    make_person("budi@warung.example", R"("account":"acc_2","role":"owner")");
    const auto before = get("/admin/log").items().size();
    EXPECT_EQ(
        as("budi@warung.example", http::Method::post, "/devices/6281100000001/connect").status,
        404);
    EXPECT_EQ(get("/admin/log").items().size(), before);
    EXPECT_EQ(as("ani@toko.example", http::Method::post, "/devices/6281100000001/connect").status,
              200);
    const auto entries = get("/account/log?account=acc_1");
    EXPECT_EQ(entries.items().at(0).at("operation"), "POST /v1/devices/{}/connect");
}

}  // namespace
}  // namespace merpati::api::manage::testing
