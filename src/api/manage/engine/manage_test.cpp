#include "api/manage/engine/manage.hpp"

#include "api/manage/engine/manage_fixture.hpp"

namespace merpati::api::manage::testing {
namespace {

using http::Method;

TEST_F(ManageTest, UnknownPathsAreNotFound) {
    for (const std::string_view path :
         {"", "/", "/nothing", "/admin/accounts/", "/admin/accounts/acc_1/topup/x",
          "/admin/accounts/a/b", "/admin/accountsx", "/accounts"}) {
        EXPECT_EQ(get(path).status, 404) << path;
    }
    EXPECT_EQ(manage->handle(Method::get, "/manage/v1/accounts", "", "").status, 404);
}

TEST_F(ManageTest, CallsShareAReader) {
    const auto account = make_account();
    for (int count = 0; count < 5; ++count) {
        EXPECT_EQ(get("/messages?account=" + account).status, 200);
        EXPECT_EQ(get("/campaigns?account=" + account).status, 200);
    }
    EXPECT_EQ(counted->opened, 1);
}

// Error texts must not name commands, because calls come over HTTP too. The CLI adds its commands.
TEST_F(ManageTest, NoRefusalNamesACommand) {
    make_account(R"("name":"Toko","devices_max":0)");
    for (const auto& operation : operations()) {
        std::string path{operation.path};
        if (const auto hole = path.find("{}"); hole != std::string::npos) {
            path.replace(hole, 2, path.contains("/devices/") ? "6281999999999" : "x_9");
        }
        EXPECT_THAT(manage->handle(operation.method, path, "", "").body, Not(HasSubstr("`merpati")))
            << path;
    }
    const auto refused = post("/devices", R"({"account":"acc_1","number":"6281100000001"})");
    EXPECT_EQ(refused.status, 403);
    EXPECT_THAT(refused.error(), Not(HasSubstr("merpati")));
}

TEST_F(ManageTest, AKnownPathWithAnotherMethodIsNotAllowed) {
    EXPECT_EQ(call(Method::del, "/admin/accounts").status, 405);
    EXPECT_EQ(call(Method::get, "/admin/backup").status, 405);
    EXPECT_EQ(call(Method::put, "/devices/6281234567890").status, 405);
    EXPECT_EQ(manage->handle(Method::put, "/v1/devices/1", "", "").headers,
              "Allow: GET, HEAD, PATCH, DELETE\r\n");
}

TEST_F(ManageTest, WhatIsOfferedOnTheMachineAloneIsNotToldToTheNetwork) {
    for (const std::string_view path :
         {"/v1/devices/6281234567890/import", "/v1/devices/6281234567890/export"}) {
        EXPECT_EQ(Manage::refuse(path, false).status, 404) << path;
        const auto local = Manage::refuse(path, true);
        EXPECT_EQ(local.status, 405) << path;
        EXPECT_EQ(local.headers, "Allow: POST\r\n");
    }
    EXPECT_EQ(Manage::refuse("/v1/devices", false).headers, "Allow: GET, HEAD, POST\r\n");
    EXPECT_THAT(Manage::refuse("/v1/devices", false).body,
                HasSubstr("this path takes GET, HEAD, POST only"));
}

TEST_F(ManageTest, ABodyThatIsNotOneObjectIsRefused) {
    for (const std::string_view body :
         {"[]", "1", "{", R"({"name":"a"} x)", "\xff", "{\"name\":\"\xff\"}",
          R"({"name":"a","name":"b"})", R"({"name":"a","n\u0061me":"a"})"}) {
        const auto answer = post("/admin/accounts", body);
        EXPECT_EQ(answer.status, 400) << body;
        EXPECT_THAT(answer.error(), HasSubstr("JSON object"));
    }
    EXPECT_THAT(get("/admin/accounts").items(), IsEmpty());
}

TEST_F(ManageTest, UnknownFieldsAndParametersAreRefusedByName) {
    auto answer = post("/admin/accounts", R"({"name":"a","colour":"red"})");
    EXPECT_EQ(answer.status, 400);
    EXPECT_THAT(answer.error(), HasSubstr("colour"));
    answer = get("/messages?limits=5");
    EXPECT_EQ(answer.status, 400);
    EXPECT_THAT(answer.error(), HasSubstr("limits"));
    EXPECT_EQ(del("/keys/key_1?now=true").status, 400);
}

// Where a parameter is not read, a misspelt one would not be noticed.
TEST_F(ManageTest, ParametersAtTheWrongPlaceAreRefusedByEveryOperation) {
    constexpr std::string_view field = R"({"accepted_until":"2020-01-01T00:00:00Z"})";
    int asked = 0;
    for (const auto& operation : operations()) {
        if (std::holds_alternative<Page*>(operation.answerer) ||
            std::holds_alternative<AccountHandler*>(operation.answerer) ||
            std::holds_alternative<PrincipalHandler*>(operation.answerer) ||
            std::holds_alternative<StrangerHandler*>(operation.answerer) || operation.is_upload() ||
            operation.takes_body()) {
            continue;
        }
        std::string path{operation.path};
        if (const auto hole = path.find("{}"); hole != std::string::npos) {
            path.replace(hole, 2, "x");
        }
        const bool asks = operation.method == Method::get || operation.method == Method::del;
        const auto outcome =
            manage->handle(operation.method, path, asks ? "" : "account=acc_2", asks ? field : "");
        EXPECT_EQ(outcome.status, 400) << path;
        EXPECT_THAT(outcome.body, HasSubstr(asks ? "take no body" : "take a query")) << path;
        ++asked;
    }
    EXPECT_GT(asked, 60);
}

TEST_F(ManageTest, ALongUnknownNameIsCutBetweenTwoCharacters) {
    for (std::size_t before = 60; before <= 64; ++before) {
        const std::string letters(before, 'x');
        const auto answer =
            post("/admin/accounts", R"({"name":"a",")" + letters + R"(\u20ac\u20ac":1})");
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
          "account=\xff", "account=%c3", "account=%00", "account=%7f", "account=%0a", "=", "&&x"}) {
        EXPECT_EQ(get("/devices?" + std::string{query}).status, 400) << query;
    }
    EXPECT_EQ(get("/messages?text=caf%C3%A9").status, 200);
    EXPECT_THAT(get("/devices?caf%C3%A9=1").error(), HasSubstr("'caf\u00e9'"));
}

TEST_F(ManageTest, FailuresAreProblemsThatNameEachFieldThatIsWrong) {
    const auto outcome = manage->handle(Method::post, "/v1/admin/accounts", "",
                                        R"({"plan":"gold","devices_max":-1})");
    EXPECT_EQ(outcome.status, 400);
    EXPECT_EQ(outcome.content_type, "application/problem+json");
    const auto problem = boost::json::parse(outcome.body);
    EXPECT_EQ(problem.at("type"), "about:blank");
    EXPECT_EQ(problem.at("title"), "Bad Request");
    EXPECT_EQ(problem.at("status"), 400);
    EXPECT_EQ(problem.at("code"), "invalid_argument");
    EXPECT_EQ(problem.at("detail"), "'name' must be given, and not be empty");
    const auto& errors = problem.at("errors").as_array();
    ASSERT_EQ(errors.size(), 3U);
    EXPECT_EQ(errors[1].at("field"), "plan");
    EXPECT_EQ(errors[2].at("field"), "devices_max");
}

TEST(ProblemTest, WhoeverMayTryAgainIsToldWhen) {
    const auto headers_of = [](ErrorCode code) {
        return problem({.code = code, .detail = "x", .origin = {}}, false).headers;
    };
    EXPECT_EQ(headers_of(ErrorCode::busy), "Retry-After: 1\r\n");
    EXPECT_EQ(headers_of(ErrorCode::unavailable), "Retry-After: 5\r\n");
    EXPECT_EQ(headers_of(ErrorCode::shutting_down), "Retry-After: 1\r\n");
    EXPECT_EQ(headers_of(ErrorCode::too_many_requests), "Retry-After: 10\r\n");
    EXPECT_EQ(headers_of(ErrorCode::conflict), "");
    EXPECT_EQ(headers_of(ErrorCode::store_failed), "");
}

TEST(ProblemTest, OnlyAnAdministratorIsToldWhereTheDatabaseThatIsAwayIs) {
    const Error away{
        .code = ErrorCode::unavailable, .detail = "10.0.0.5:5432 is away", .origin = {}};
    const auto told = problem(away, false);
    EXPECT_EQ(told.status, 503);
    EXPECT_EQ(boost::json::parse(told.body).at("code"), "unavailable");
    EXPECT_EQ(boost::json::parse(told.body).at("detail"),
              "the server's database cannot be reached now: try again");
    EXPECT_EQ(boost::json::parse(problem(away, true).body).at("detail"), "10.0.0.5:5432 is away");
}

TEST_F(ManageTest, ABackupIsACopyThatIsNeverWrittenOver) {
    const auto file = folder.file("copy.db");
    const auto body = boost::json::serialize(boost::json::value{{"file", file}});
    EXPECT_EQ(post("/admin/backup", body).status, 200);
    EXPECT_GT(std::filesystem::file_size(file), 0U);
    EXPECT_EQ(post("/admin/backup", body).status, 409);
    EXPECT_EQ(post("/admin/backup", R"({"file":"copy.db"})").status, 400);
    EXPECT_EQ(post("/admin/backup").status, 400);
}

TEST_F(ManageTest, StatusTellsTheVersionAndCountsWhenAsked) {
    const auto account = make_account();
    make_device(account, "6281100000001");
    accept(account, "6281100000001");
    auto status = get("/admin/status");
    EXPECT_EQ(status.text("version"), "1.2.3");
    EXPECT_EQ(status.json.at("accounts").to_number<int>(), 1);
    EXPECT_EQ(status.json.at("devices").to_number<int>(), 1);
    EXPECT_THAT(status.whole(), Not(HasSubstr("messages_waiting")));
    status = get("/admin/status?count=true");
    EXPECT_EQ(status.json.at("messages_waiting").to_number<int>(), 1);
    EXPECT_FALSE(status.json.at("messages_waiting_more").as_bool());
}

}  // namespace
}  // namespace merpati::api::manage::testing
