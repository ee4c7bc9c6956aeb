#include "api/manage/engine/whereabouts.hpp"

#include <array>
#include <string>

#include "api/manage/engine/change_log.hpp"
#include "api/manage/engine/manage_fixture.hpp"
#include "store/nodes.hpp"

namespace merpati::api::manage::testing {
namespace {

using admission::Stay;
using http::Method;
using model::Scope;
using model::Scopes;

struct WhereaboutsTest : ManageTest {
    WhereaboutsTest() {
        here = make_account();
        elsewhere = make_account();
        make_device(here, "6281100000001");
        make_device(elsewhere, "6281100000002");
        message = accept(elsewhere, "6281100000002").id.text();
        key = post("/keys", R"({"account":")" + elsewhere + "\"}").text("id");
        stay(Stay::elsewhere);
    }
    void stay(Stay how) {
        const std::array shard{store::shard_of(*model::AccountId::parse(elsewhere))};
        ownership.set(shard, how);
    }
    void expect_elsewhere(const Answer& answer) {
        EXPECT_EQ(answer.status, 503) << answer.whole();
        EXPECT_EQ(answer.text("code"), "elsewhere");
    }

    std::string here;
    std::string elsewhere;
    std::string message;
    std::string key;
};

TEST_F(WhereaboutsTest, WhatThePathNamesSaysWhereItIs) {
    expect_elsewhere(get("/messages/" + message));
    expect_elsewhere(get("/devices/6281100000002"));
    expect_elsewhere(get("/admin/accounts/" + elsewhere));
    expect_elsewhere(del("/keys/" + key));
    EXPECT_EQ(get("/devices/6281100000001").status, 200);
    EXPECT_EQ(get("/admin/accounts/" + here).status, 200);
}

TEST_F(WhereaboutsTest, AnAccountThatIsNamedSaysWhereItIs) {
    expect_elsewhere(get("/messages?account=" + elsewhere));
    expect_elsewhere(post("/keys", R"({"account":")" + elsewhere + "\"}"));
    EXPECT_EQ(get("/messages?account=" + here).status, 200);
}

TEST_F(WhereaboutsTest, AKeysAccountSaysWhereItIs) {
    const auto caller = key_of(elsewhere, Scopes{Scope::messages_read});
    expect_elsewhere(call_as(caller, Method::get, "/messages"));
}

TEST_F(WhereaboutsTest, WhatIsAboutAllAccountsOrNoneIsDoneHere) {
    EXPECT_EQ(get("/admin/accounts").status, 200);
    EXPECT_EQ(get("/messages").status, 200);
    EXPECT_EQ(get("/messages/019a8f5e-7c1b-7d3a-9f20-5b1e6a4c8d70").status, 404);
}

TEST_F(WhereaboutsTest, NothingIsDoneElsewhereOrLogged) {
    const auto entries = [this] { return get("/admin/log").json.at("items").as_array().size(); };
    const auto before = entries();
    expect_elsewhere(post("/messages/" + message + "/cancel"));
    expect_elsewhere(patch("/admin/accounts/" + elsewhere, R"({"name":"Warung"})"));
    EXPECT_EQ(entries(), before);
    EXPECT_TRUE(messages.cancelled.empty());
    stay(Stay::here);
    EXPECT_EQ(get("/admin/accounts/" + elsewhere).text("name"), "Toko");
}

TEST_F(WhereaboutsTest, WhileAnAccountLeavesQuestionsAreAnsweredAndChangesWait) {
    stay(Stay::leaving);
    EXPECT_EQ(get("/messages/" + message).status, 200);
    EXPECT_EQ(get("/messages?account=" + elsewhere).status, 200);
    expect_elsewhere(post("/messages/" + message + "/cancel"));
    expect_elsewhere(patch("/admin/accounts/" + elsewhere, R"({"name":"Warung"})"));
    expect_elsewhere(del("/keys/" + key));
    EXPECT_TRUE(messages.cancelled.empty());
}

TEST_F(WhereaboutsTest, AnAccountThatLeavesDuringACallIsNotChanged) {
    Call call{.principal = admission::Principal::local(0),
              .placed = model::AccountId::parse(elsewhere)};
    const LoggedChange logged{
        {.clock = clock, .directory = directory, .rights = rights, .ownership = &ownership},
        operations().front(),
        call};
    bool was_run = false;
    Change change = [&](store::Tables&) -> Result<void> {
        was_run = true;
        return {};
    };
    const auto run = [&] {
        store::WriteBatch batch;
        batch.changes.push_back(
            {.run = [&](store::Tables& tables) { return logged.run(tables, change); }});
        write(batch);
        return std::move(batch.changes.front().result);
    };
    const auto refused = run();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::elsewhere);
    EXPECT_FALSE(was_run);
    stay(Stay::here);
    EXPECT_TRUE(run());
    EXPECT_TRUE(was_run);
}

}  // namespace
}  // namespace merpati::api::manage::testing
