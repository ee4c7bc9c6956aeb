#include "api/manage/manage.hpp"

#include "api/manage/manage_fixture.hpp"

namespace merpati::api::manage::testing {
namespace {

using http::Method;

TEST_F(ManageTest, UnknownPathsAreNotFound) {
    for (const std::string_view path :
         {"", "/", "/nothing", "/accounts/", "/accounts/acc_1/topup/x", "/accounts/a/b",
          "/accountsx", "/keys/key_1"}) {
        EXPECT_EQ(get(path).status, 404) << path;
    }
    EXPECT_EQ(manage->handle(Method::get, "/v1/accounts", "", "").status, 404);
}

TEST_F(ManageTest, AKnownPathWithAnotherMethodIsNotAllowed) {
    EXPECT_EQ(call(Method::del, "/accounts").status, 405);
    EXPECT_EQ(call(Method::get, "/backup").status, 405);
    EXPECT_EQ(call(Method::put, "/devices/6281234567890").status, 405);
    EXPECT_EQ(manage->handle(Method::put, "/manage/v1/devices/1", "", "").allow,
              "GET, PATCH, DELETE");
}

TEST_F(ManageTest, ABodyThatIsNotOneObjectIsRefused) {
    for (const std::string_view body :
         {"[]", "1", "{", R"({"name":"a"} x)", "\xff", "{\"name\":\"\xff\"}",
          R"({"name":"a","name":"b"})", R"({"name":"a","n\u0061me":"a"})"}) {
        const auto answer = post("/accounts", body);
        EXPECT_EQ(answer.status, 400) << body;
        EXPECT_THAT(answer.error(), HasSubstr("JSON object"));
    }
    EXPECT_THAT(get("/accounts").items(), IsEmpty());
}

TEST_F(ManageTest, UnknownFieldsAndParametersAreRefusedByName) {
    auto answer = post("/accounts", R"({"name":"a","colour":"red"})");
    EXPECT_EQ(answer.status, 400);
    EXPECT_THAT(answer.error(), HasSubstr("colour"));
    answer = get("/messages?limits=5");
    EXPECT_EQ(answer.status, 400);
    EXPECT_THAT(answer.error(), HasSubstr("limits"));
    EXPECT_EQ(post("/keys/key_1/revoke", R"({"now":true})").status, 404);
}

TEST_F(ManageTest, ALongUnknownNameIsCutBetweenTwoCharacters) {
    for (std::size_t before = 60; before <= 64; ++before) {
        const std::string letters(before, 'x');
        const auto answer = post("/accounts", R"({"name":"a",")" + letters + R"(\u20ac\u20ac":1})");
        EXPECT_EQ(answer.status, 400);  // call() reads the answer as JSON, so as UTF-8.
        EXPECT_THAT(answer.error(), HasSubstr("'" + letters));
    }
}

TEST_F(ManageTest, QueriesArePercentDecoded) {
    const auto account = make_account();
    make_device(account, "6281100000001");
    EXPECT_EQ(get("/devices?account=acc%5F1").items().size(), 1U);
    for (const std::string_view query :
         {"account=acc_1&account=acc_1", "account=%", "account=%5", "account=%zz", "account=%ff",
          "account=\xff", "=", "&&x"}) {
        EXPECT_EQ(get("/devices?" + std::string{query}).status, 400) << query;
    }
}

TEST_F(ManageTest, ABackupIsACopyThatIsNeverWrittenOver) {
    const auto file = folder.file("copy.db");
    const auto body = boost::json::serialize(boost::json::value{{"file", file}});
    EXPECT_EQ(post("/backup", body).status, 200);
    EXPECT_GT(std::filesystem::file_size(file), 0U);
    EXPECT_EQ(post("/backup", body).status, 409);
    EXPECT_EQ(post("/backup", R"({"file":"copy.db"})").status, 400);
    EXPECT_EQ(post("/backup").status, 400);
}

TEST_F(ManageTest, StatusTellsTheVersionAndCountsWhenAsked) {
    const auto account = make_account();
    make_device(account, "6281100000001");
    accept(account, "6281100000001");
    auto status = get("/status");
    EXPECT_EQ(status.text("version"), "1.2.3");
    EXPECT_EQ(status.json.at("accounts").to_number<int>(), 1);
    EXPECT_EQ(status.json.at("devices").to_number<int>(), 1);
    EXPECT_THAT(status.whole(), Not(HasSubstr("messages_waiting")));
    EXPECT_EQ(get("/status?count=true").json.at("messages_waiting").to_number<int>(), 1);
}

TEST(LocalSocketPathTest, StandsBesideTheSqliteFile) {
    EXPECT_EQ(local_socket_path("sqlite:/var/lib/merpati/merpati.db"),
              "/var/lib/merpati/merpati.db.sock");
    EXPECT_EQ(local_socket_path("postgresql://db/merpati"), "");
}

}  // namespace
}  // namespace merpati::api::manage::testing
