#include "api/manage/engine/entity_tag.hpp"

#include <array>

#include "api/manage/engine/manage_fixture.hpp"

namespace merpati::api::manage::testing {
namespace {

using http::Method;

struct EntityTagTest : ManageTest {
    Outcome ask(Method method, std::string_view target, RequestHead head,
                std::string_view body = {}) {
        const Request request{.method = method,
                              .path = "/v1" + std::string{target},
                              .query = {},
                              .body = std::string{body},
                              .head = std::move(head)};
        for (const auto& operation : operations()) {
            if (operation.method == method && http::match_path(operation.path, request.path)) {
                return manage->run(operation, request, admission::Principal::local());
            }
        }
        return {};
    }
    static std::string tag_of(const Outcome& outcome) {
        const auto begin = outcome.headers.find("ETag: ") + 6;
        return outcome.headers.substr(begin, outcome.headers.find('\r', begin) - begin);
    }

    std::string path = "/admin/accounts/" + make_account(R"("name":"Toko","credit":5)");
};

TEST_F(EntityTagTest, WhatHasNotChangedIsNotSentAgain) {
    const auto shown = ask(Method::get, path, {});
    EXPECT_THAT(shown.headers, ::testing::ContainsRegex(R"(ETag: "[0-9a-f]{16}\.[0-9a-f]{16}")"));
    const auto tag = tag_of(shown);
    for (const auto& header : {tag, "\"x\", " + tag, "W/" + tag, std::string{"*"}}) {
        const auto again = ask(Method::get, path, {.if_none_match = header});
        EXPECT_EQ(again.status, 304) << header;
        EXPECT_EQ(again.body, "");
        EXPECT_EQ(tag_of(again), tag);
    }
    // A field that changed by itself makes a cached copy stale, too.
    post(path + "/topup", R"({"amount":1})");
    EXPECT_EQ(ask(Method::get, path, {.if_none_match = tag}).status, 200);
}

TEST_F(EntityTagTest, AChangeIsMadeToWhatItsCallerHasSeenAlone) {
    const auto tag = tag_of(ask(Method::get, path, {}));
    post(path + "/topup", R"({"amount":1})");  // Does not change a field that the caller writes.
    const auto changed = ask(Method::patch, path, {.if_match = tag}, R"({"name":"Warung"})");
    EXPECT_EQ(changed.status, 200) << changed.body;
    const auto late = ask(Method::patch, path, {.if_match = tag}, R"({"name":"Kedai"})");
    EXPECT_EQ(late.status, 412);
    EXPECT_THAT(late.body, HasSubstr("precondition_failed"));
    EXPECT_EQ(get(path).text("name"), "Warung");
    EXPECT_EQ(ask(Method::patch, path, {.if_match = tag_of(changed)}, R"({"name":"Kedai"})").status,
              200);
    EXPECT_EQ(ask(Method::patch, path, {.if_match = "*"}, R"({"name":"Depot"})").status, 200);
}

TEST_F(EntityTagTest, ATagThatIsNoneMatchesNothing) {
    const std::string many(10'000, ',');
    for (const std::string& header :
         {std::string{}, std::string{"\"\""}, std::string{"x"}, std::string{",,"},
          std::string{"\""}, std::string{"."}, std::string{"W/\"x\""}, many}) {
        EXPECT_EQ(ask(Method::patch, path, {.if_match = header}, R"({"name":"Kedai"})").status, 412)
            << header;
        EXPECT_EQ(ask(Method::get, path, {.if_none_match = header}).status, 200);
    }
    EXPECT_EQ(get(path).text("name"), "Toko");
}

TEST_F(EntityTagTest, DevicesAndKeysAreEndedAsTheyWereSeen) {
    const auto account = make_account();
    make_device(account, "6281100000001");
    const auto tag = tag_of(ask(Method::get, "/devices/6281100000001", {}));
    patch("/devices/6281100000001", R"({"gap_ms":7})");
    EXPECT_EQ(ask(Method::del, "/devices/6281100000001", {.if_match = tag}).status, 412);
    EXPECT_EQ(get("/devices/6281100000001").status, 200);
    EXPECT_EQ(ask(Method::patch, "/devices/6281100000001", {.if_match = tag}, "{}").status, 412);
}

}  // namespace
}  // namespace merpati::api::manage::testing
