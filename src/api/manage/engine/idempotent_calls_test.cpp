#include "api/manage/engine/idempotent_calls.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>

#include "api/manage/engine/manage_fixture.hpp"

namespace merpati::api::manage::testing {
namespace {

using namespace std::chrono_literals;
using http::Method;

struct IdempotentCallsTest : ManageTest {
    Outcome ask(std::string_view path, std::string key, std::string_view body,
                admission::Principal caller = admission::Principal::local()) {
        const Request request{.method = Method::post,
                              .path = "/v1" + std::string{path},
                              .query = {},
                              .body = std::string{body},
                              .head = {.accept = {}, .idempotency_key = std::move(key)}};
        for (const auto& operation : operations()) {
            if (operation.method == Method::post &&
                http::match_path(operation.path, request.path)) {
                return manage->run(operation, request, std::move(caller));
            }
        }
        return {};
    }
    std::int64_t credit(const std::string& of) {
        return get("/admin/accounts/" + of).json.at("credit").as_int64();
    }

    std::string account = make_account(R"("name":"Toko","credit":5)");
    std::string topup = "/admin/accounts/" + account + "/topup";
};

TEST_F(IdempotentCallsTest, ARepeatIsAnsweredAsTheFirstAndDoneOnce) {
    const auto first = ask(topup, "monday", R"({"amount":10})");
    const auto again = ask(topup, "monday", R"({"amount":10})");
    EXPECT_EQ(first.status, 200);
    EXPECT_EQ(again.status, 200);
    EXPECT_EQ(again.body, first.body);
    EXPECT_EQ(again.headers, first.headers + "Idempotent-Replayed: true\r\n");
    EXPECT_THAT(again.headers, HasSubstr("Cache-Control: no-store\r\n"));
    EXPECT_EQ(credit(account), 15);
    clock.advance(24h);
    EXPECT_EQ(ask(topup, "monday", R"({"amount":10})").status, 200);
    EXPECT_EQ(credit(account), 25);
}

TEST_F(IdempotentCallsTest, TheSameKeyWithAnotherRequestIsRefused) {
    EXPECT_EQ(ask(topup, "monday", R"({"amount":10})").status, 200);
    EXPECT_EQ(ask(topup, "monday", R"({"amount":11})").status, 422);
    EXPECT_EQ(ask("/admin/accounts", "monday", R"({"name":"Warung"})").status, 422);
    EXPECT_EQ(credit(account), 15);
}

TEST_F(IdempotentCallsTest, AKeyThatAnyOperationHasInFlightIsNotFree) {
    const auto now = ledger->record({}, "local monday", "a bulk", queue_clock.now());
    {
        const auto hold = ledger->hold(now);
        EXPECT_EQ(ask(topup, "monday", R"({"amount":10})").status, 422);
    }
    EXPECT_EQ(ask(topup, "monday", R"({"amount":10})").status, 200);
}

TEST_F(IdempotentCallsTest, AFailureLeavesTheKeyFree) {
    EXPECT_EQ(ask(topup, "monday", R"({"amount":-100})").status, 400);
    EXPECT_EQ(ask(topup, "monday", R"({"amount":1})").status, 200);
    for (const auto& key : {std::string{}, std::string(256, 'x'), std::string{"\n"}}) {
        EXPECT_EQ(ask(topup, key, R"({"amount":1})").status, 400);
    }
    EXPECT_EQ(credit(account), 6);
}

TEST_F(IdempotentCallsTest, EachCallersKeysAreItsOwn) {
    const auto other = make_account(R"("name":"Warung","credit":5)");
    const model::Scopes admin{model::Scope::admin};
    EXPECT_EQ(ask(topup, "1", R"({"amount":1})", key_of(account, admin)).status, 200);
    EXPECT_EQ(ask(topup, "1", R"({"amount":2})", key_of(other, admin)).status, 200);
    EXPECT_EQ(ask(topup, "1", R"({"amount":3})").status, 200);
    EXPECT_EQ(credit(account), 11);
}

/// Keys of an account share its Idempotency-Keys, but not an administrator's answers.
TEST_F(IdempotentCallsTest, WhatAnAdministratorDidIsRepeatedToNobodyElse) {
    const auto other = make_account(R"("name":"Warung")");
    const auto body = R"({"name":"hidden","account":")" + other + "\"}";
    const auto administrator = key_of(account, model::Scopes{model::Scope::admin});
    const auto manager = key_of(account, model::Scopes{model::Scope::account_manage});
    EXPECT_EQ(ask("/keys", "1", body, administrator).status, 200);
    const auto again = ask("/keys", "1", body, manager);
    EXPECT_EQ(again.status, 422);
    EXPECT_THAT(again.body, Not(HasSubstr("hidden")));
    EXPECT_EQ(ask("/keys", "1", body, administrator).status, 200);
}

TEST_F(IdempotentCallsTest, WhatIsShownOnceIsNotKept) {
    const auto body = R"({"account":")" + account + "\"}";
    const auto made = ask("/keys", "1", body);
    EXPECT_THAT(made.body, HasSubstr("\"key\":\"mpt_"));
    const auto again = ask("/keys", "1", body);
    EXPECT_EQ(again.status, 200);
    EXPECT_THAT(again.body, Not(HasSubstr("\"key\":")));
    EXPECT_EQ(get("/keys").items().size(), 1U);
}

TEST_F(IdempotentCallsTest, OneThatWasNeverAnsweredIsNotDoneAgain) {
    const auto first = ask(topup, "1", R"({"amount":1})");
    ASSERT_EQ(first.status, 200);
    // The state if the process dies between the commit of the change and that of the answer.
    store::WriteBatch batch;
    batch.changes.push_back({.run = [](store::Tables& tables) -> Result<void> {
        auto record = tables.find_idempotency({}, "local 1");
        if (!record || !*record) {
            return fail(ErrorCode::not_found, "there is no record");
        }
        (*record)->status = 0;
        (*record)->answer.clear();
        return tables.put_idempotency(**record);
    }});
    write(batch);
    ASSERT_TRUE(batch.changes.front().result);
    const auto again = ask(topup, "1", R"({"amount":1})");
    EXPECT_EQ(again.status, 409);
    EXPECT_THAT(again.body, HasSubstr("look before"));
    EXPECT_EQ(credit(account), 6);
}

TEST_F(IdempotentCallsTest, AStoreThatCannotBeReadIsReported) {
    for (const auto* file : {"store.db", "store.db-wal"}) {
        const auto path = folder.file(file);
        const auto size = static_cast<std::size_t>(std::filesystem::file_size(path));
        std::ofstream{path, std::ios::binary | std::ios::in} << std::string(size, 'x');
    }
    EXPECT_EQ(ask(topup, "1", R"({"amount":1})").status, 500);
    EXPECT_EQ(faults.size(), 1U);
}

TEST_F(IdempotentCallsTest, AKeyThatWasRevokedMeanwhileChangesNothing) {
    const auto made = post("/keys", R"({"account":")" + account + R"(","scopes":["admin"]})");
    const auto entry = directory.find_key(sha256(made.text("key")));
    ASSERT_TRUE(entry);
    const auto caller = admission::Principal::of(*entry);  // As when the call came in.
    del("/keys/" + made.text("id"));
    EXPECT_EQ(call_as(caller, Method::post, topup, R"({"amount":1})").status, 403);
    EXPECT_EQ(ask(topup, "1", R"({"amount":1})", caller).status, 403);
    EXPECT_EQ(credit(account), 5);
    // Nothing was stored for the key either: the account's next API key carries the call out.
    const auto next = key_of(account, model::Scopes{model::Scope::admin});
    EXPECT_EQ(ask(topup, "1", R"({"amount":1})", next).status, 200);
    EXPECT_EQ(credit(account), 6);
}

}  // namespace
}  // namespace merpati::api::manage::testing
