#include "api/manage/engine/manage_fixture.hpp"
#include "api/manage/engine/page_items.hpp"

namespace merpati::api::manage::testing {
namespace {

struct LedgerTest : ManageTest {
    std::string account = make_account(R"("name":"Toko","credit":10)");
};

TEST_F(LedgerTest, TheLedgerSaysWhatChangedTheCredit) {
    make_device(account, "6281100000001");
    auto message = accept(account, "6281100000001");
    message.charged = true;  // As the store made it.
    finish(message, model::MessageState::failed);
    ASSERT_EQ(post("/admin/accounts/" + account + "/topup", R"({"amount":5,"reason":"Faktur 42"})")
                  .status,
              200);
    ASSERT_EQ(patch("/admin/accounts/" + account, R"({"credit":null})").status, 200);
    const auto book = get("/account/credit?account=" + account);
    ASSERT_EQ(book.status, 200) << book.whole();
    ASSERT_EQ(book.items().size(), 4U);
    EXPECT_EQ(book.items()[0].at("kind"), "set");
    EXPECT_TRUE(book.items()[0].at("balance").is_null());
    EXPECT_EQ(book.items()[1].at("kind"), "topup");
    EXPECT_EQ(book.items()[1].at("reason"), "Faktur 42");
    EXPECT_EQ(book.items()[1].at("balance"), 15);
    EXPECT_EQ(book.items()[2].at("charged"), 1);
    EXPECT_EQ(book.items()[2].at("refunded"), 1);
    EXPECT_EQ(book.items()[3].at("kind"), "opening");
    EXPECT_TRUE(book.json.at("next").is_null());
}

TEST_F(LedgerTest, TheLedgerComesPageByPage) {
    for (int count = 0; count < 3; ++count) {
        post("/admin/accounts/" + account + "/topup", R"({"amount":1})");
    }
    const auto first = get("/account/credit?limit=3&account=" + account);
    ASSERT_EQ(first.items().size(), 3U);
    const auto rest = get("/account/credit?account=" + account + "&cursor=" + first.text("next"));
    ASSERT_EQ(rest.items().size(), 1U);
    EXPECT_EQ(rest.items()[0].at("number"), 1);
    EXPECT_EQ(get("/account/credit?cursor=x&account=" + account).status, 400);
}

TEST_F(LedgerTest, APageOfTheLedgerEndsBeforeItBecomesTooLarge) {
    constexpr std::size_t topups = 400;
    std::string escaped;
    for (int count = 0; count < 190; ++count) {
        escaped += "\\\"";
    }
    for (std::size_t count = 0; count < topups; ++count) {
        ASSERT_EQ(post("/admin/accounts/" + account + "/topup",
                       R"({"amount":1,"reason":")" + escaped + R"("})")
                      .status,
                  200);
    }
    const std::string path = "/account/credit?limit=1000&account=" + account;
    std::size_t seen = 0;
    std::string cursor;
    for (std::size_t pages = 0; pages < 9; ++pages) {
        const auto page = get(path + cursor);
        ASSERT_EQ(page.status, 200) << page.whole();
        EXPECT_LE(page.whole().size(), PageItems::bytes_max + 500);
        seen += page.items().size();
        if (page.json.at("next").is_null()) {
            break;
        }
        cursor = "&cursor=" + page.text("next");
    }
    EXPECT_EQ(seen, topups + 1) << "with the opening entry";
}

TEST_F(LedgerTest, ALedgerIsItsAccountsAlone) {
    const auto other = make_account();
    const auto key = key_of(account, {model::Scope::account_read});
    EXPECT_EQ(call_as(key, http::Method::get, "/account/credit").items().size(), 1U);
    EXPECT_EQ(call_as(key, http::Method::get, "/account/credit?account=" + other).status, 404);
}

}  // namespace
}  // namespace merpati::api::manage::testing
