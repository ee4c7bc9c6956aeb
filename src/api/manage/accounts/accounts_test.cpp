#include <fmt/format.h>

#include "api/manage/engine/manage_fixture.hpp"

namespace merpati::api::manage::testing {
namespace {

struct AccountsTest : ManageTest {
    std::shared_ptr<const admission::AccountEntry> entry(const std::string& id) {
        return directory.find_account(*model::AccountId::parse(id));
    }
};

TEST_F(AccountsTest, ANewAccountHasDefaultsAndIsKnownAtOnce) {
    const auto made = post("/admin/accounts", R"({"name":"Toko Ani"})");
    EXPECT_EQ(made.status, 200);
    EXPECT_EQ(made.text("plan"), "paid");
    EXPECT_EQ(made.text("rate"), "default");
    EXPECT_TRUE(made.json.at("credit").is_null());
    EXPECT_TRUE(made.json.at("expires_at").is_null());
    EXPECT_TRUE(made.json.at("callback").is_null());
    EXPECT_EQ(entry(made.text("id"))->account.name, "Toko Ani");
}

TEST_F(AccountsTest, OnlyItsMakingShowsTheWebhookSecret) {
    const auto made = post("/admin/accounts", R"({"name":"Toko"})");
    const auto secret = made.text("webhook_secret");
    EXPECT_TRUE(secret.starts_with("whsec_"));
    EXPECT_EQ(from_base64(secret.substr(6))->size(), 32U);
    EXPECT_THAT(get("/admin/accounts/" + made.text("id")).whole(), Not(HasSubstr("whsec")));
    EXPECT_THAT(get("/admin/accounts").whole(), Not(HasSubstr("whsec")));
    EXPECT_NE(post("/admin/accounts", R"({"name":"Toko"})").text("webhook_secret"), secret);
}

TEST_F(AccountsTest, EveryFieldIsKeptAndShown) {
    const auto id = make_account(
        R"("name":"Toko","plan":"trial","credit":10,"expires_at":"2027-01-02T03:04:05+07:00",)"
        R"("rate":"5/s","callback":"https://toko.example.com/s","delivery":"at-most-once",)"
        R"("devices_max":3)");
    const auto shown = get("/admin/accounts/" + id);
    EXPECT_EQ(shown.text("plan"), "trial");
    EXPECT_EQ(shown.json.at("credit").to_number<int>(), 10);
    EXPECT_EQ(shown.text("expires_at"), "2027-01-01T20:04:05.000Z");
    EXPECT_EQ(shown.text("rate"), "5/s");
    EXPECT_EQ(shown.text("callback"), "https://toko.example.com/s");
    EXPECT_EQ(shown.text("delivery"), "at-most-once");
    EXPECT_EQ(shown.json.at("devices_max").to_number<int>(), 3);
}

TEST_F(AccountsTest, AWrongFieldIsNamedAndNothingIsMade) {
    const std::pair<std::string_view, std::string_view> wrong[]{
        {"name", R"({})"},
        {"name", R"({"name":""})"},
        {"name", R"({"name":7})"},
        {"name", R"({"name":"a\nb"})"},
        {"plan", R"({"name":"a","plan":"gold"})"},
        {"plan", R"({"name":"a","plan":null})"},
        {"credit", R"({"name":"a","credit":-1})"},
        {"credit", R"({"name":"a","credit":"5"})"},
        {"credit", R"({"name":"a","credit":1.5})"},
        {"credit", R"({"name":"a","credit":1e18})"},
        {"expires_at", R"({"name":"a","expires_at":"tomorrow"})"},
        {"rate", R"({"name":"a","rate":"5/year"})"},
        {"rate", R"({"name":"a","rate":"0/s"})"},
        {"rate", R"({"name":"a","rate":"1000001/s"})"},
        {"rate", R"({"name":"a","rate":"4000000000/min"})"},
        {"callback", R"({"name":"a","callback":"http://toko.example.com/"})"},
        {"callback", R"({"name":"a","callback":"https://127.0.0.1/"})"},
        {"callback", R"({"name":"a","callback":"https://a:b@toko.example.com/"})"},
        {"devices_max", R"({"name":"a","devices_max":-1})"},
        {"delivery", R"({"name":"a","delivery":"maybe"})"},
    };
    for (const auto& [field, body] : wrong) {
        const auto answer = post("/admin/accounts", body);
        EXPECT_EQ(answer.status, 400) << body;
        EXPECT_THAT(answer.error(), HasSubstr("'" + std::string{field} + "'")) << body;
    }
    EXPECT_THAT(get("/admin/accounts").items(), IsEmpty());
}

TEST_F(AccountsTest, AChangeTouchesOnlyWhatIsGiven) {
    const auto id = make_account(R"("name":"Toko","credit":10,"rate":"5/s")");
    const auto changed = patch("/admin/accounts/" + id, R"({"plan":"free"})");
    EXPECT_EQ(changed.text("plan"), "free");
    EXPECT_EQ(changed.text("rate"), "5/s");
    EXPECT_EQ(changed.json.at("credit").to_number<int>(), 10);
    EXPECT_EQ(entry(id)->account.plan, model::Plan::free);
}

TEST_F(AccountsTest, NullEndsCreditValidityAndCallback) {
    const auto id = make_account(
        R"("name":"a","credit":10,"expires_at":"2027-01-01T00:00:00Z","callback":"https://a.example/")");
    const auto changed =
        patch("/admin/accounts/" + id, R"({"credit":null,"expires_at":null,"callback":null})");
    EXPECT_TRUE(changed.json.at("credit").is_null());
    EXPECT_TRUE(changed.json.at("expires_at").is_null());
    EXPECT_TRUE(changed.json.at("callback").is_null());
}

TEST_F(AccountsTest, ToppingUpAddsToWhatIsLeftNow) {
    const auto id = make_account(R"("name":"Toko","credit":10)");
    make_device(id, "6281100000001");
    accept(id, "6281100000001");  // Costs one.
    EXPECT_EQ(post("/admin/accounts/" + id + "/topup", R"({"amount":5})").json.at("credit"), 14);
    EXPECT_EQ(entry(id)->account.credit, 14);
    EXPECT_EQ(post("/admin/accounts/" + id + "/topup", R"({"amount":-20})").status, 400);
    EXPECT_EQ(post("/admin/accounts/" + id + "/topup").status, 400);
    EXPECT_EQ(get("/admin/accounts/" + id).json.at("credit"), 14);
}

TEST_F(AccountsTest, ARateMayBeAsHighAsTheServersOwn) {
    const auto id = make_account(R"("name":"a","rate":"1000000/s")");
    EXPECT_EQ(get("/admin/accounts/" + id).text("rate"), "1000000/s");
}

TEST_F(AccountsTest, ToppingUpStopsAtTheMostAnAccountCanHave) {
    const auto id = make_account(R"("name":"Toko","credit":999999999990)");
    const auto path = "/admin/accounts/" + id + "/topup";
    const auto over = post(path, R"({"amount":11})");
    EXPECT_EQ(over.status, 400);
    EXPECT_THAT(over.error(), HasSubstr("'amount' is too much: the credit would be 1000000000001"));
    EXPECT_EQ(over.json.at("errors").at(0).at("field"), "amount");
    EXPECT_EQ(get("/admin/accounts/" + id).json.at("credit"), 999999999990);
    EXPECT_EQ(entry(id)->account.credit, 999999999990);
    EXPECT_EQ(post(path, R"({"amount":10})").json.at("credit"), 1000000000000);
    EXPECT_EQ(post(path, R"({"amount":1})").status, 400);
    EXPECT_EQ(post(path, R"({"amount":-1})").json.at("credit"), 999999999999);
}

TEST_F(AccountsTest, ARotatedSecretSignsBesideTheOldOneUntilTheOverlapEnds) {
    const auto made = post("/admin/accounts", R"({"name":"Toko"})");
    const auto id = made.text("id");
    const auto rotated = post("/admin/accounts/" + id + "/secret", R"({"overlap_seconds":3600})");
    EXPECT_TRUE(rotated.text("webhook_secret").starts_with("whsec_"));
    EXPECT_NE(rotated.text("webhook_secret"), made.text("webhook_secret"));
    const auto known = entry(id)->account;
    EXPECT_EQ("whsec_" + to_base64(known.webhook_secret), rotated.text("webhook_secret"));
    EXPECT_EQ("whsec_" + to_base64(known.webhook_secret_previous), made.text("webhook_secret"));
    EXPECT_EQ(known.previous_secret_until, clock.now() + std::chrono::hours{1});
}

TEST_F(AccountsTest, UnknownAccountsAreNotFound) {
    for (const std::string_view id :
         {"acc_99", "acc_0", "bogus", "99", "acc_99999999999999999999"}) {
        const auto path = "/admin/accounts/" + std::string{id};
        EXPECT_EQ(get(path).status, 404) << id;
        EXPECT_EQ(patch(path, R"({"plan":"paid"})").status, 404) << id;
        EXPECT_EQ(post(path + "/topup", R"({"amount":1})").status, 404) << id;
        EXPECT_EQ(post(path + "/secret").status, 404) << id;
    }
}

TEST_F(AccountsTest, TheListIsInOrderOfMaking) {
    for (int number = 0; number < 12; ++number) {
        make_account();
    }
    const auto list = get("/admin/accounts");
    EXPECT_EQ(list.items().size(), 12U);
    EXPECT_EQ(list.items().front().at("id"), "acc_1");
    EXPECT_EQ(list.items().back().at("id"), "acc_12");
    EXPECT_TRUE(list.json.at("next").is_null());
}

TEST_F(ManageTest, ListsOfFewAreGivenInPagesToo) {
    std::vector<std::string> made;
    for (int number = 0; number < 5; ++number) {
        made.push_back(make_account());
        make_device(made.front(), fmt::format("628110000000{}", number));
        post("/keys", R"({"account":")" + made.front() + "\"}");
    }
    for (const auto& [list, field] :
         {std::pair{"/admin/accounts", "id"}, {"/devices", "number"}, {"/keys", "id"}}) {
        std::vector<std::string> seen;
        std::string cursor;
        std::size_t pages = 0;
        do {
            const auto page = get(fmt::format("{}?limit=2{}", list, cursor));
            for (const auto& item : page.items()) {
                seen.emplace_back(item.at(field).as_string());
            }
            cursor = page.text("next").empty() ? "" : "&cursor=" + page.text("next");
            ++pages;
        } while (!cursor.empty());
        EXPECT_EQ(pages, 3U) << list;
        EXPECT_EQ(seen.size(), 5U) << list;
        EXPECT_TRUE(std::ranges::is_sorted(seen)) << list;
        EXPECT_EQ(get(std::string{list}).items().size(), 5U);
        EXPECT_TRUE(get(fmt::format("{}?limit=5", list)).json.at("next").is_null());
        EXPECT_EQ(get(fmt::format("{}?cursor=x", list)).status, 400);
        EXPECT_EQ(get(fmt::format("{}?limit=1001", list)).status, 400);
    }
}

}  // namespace
}  // namespace merpati::api::manage::testing
