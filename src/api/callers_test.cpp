#include "api/callers.hpp"

#include <array>
#include <chrono>
#include <expected>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "api/manage/engine/manage_fixture.hpp"
#include "people/token.hpp"
#include "store/people.hpp"

namespace merpati::api {
namespace {

using namespace std::chrono_literals;

struct CallersTest : manage::testing::ManageTest {
    /// The status of the refusal; 200: the call is admitted. Sets `party`.
    int status_of(std::string_view authorization, model::Scope needs = model::Scope::send) {
        http::Request request;
        request.authorization = authorization;
        party = stranger;
        request.party = &party;
        const auto admitted =
            callers.admit(request, {.path = "/x", .scope = Scope::catalogue, .needs = needs});
        return admitted ? 200 : admitted.error().status;
    }

    /// Signs a member of the account in, and answers the cookie's token.
    std::string signed_in(model::Role role) {
        const std::string token = people::make_token(random);
        store::WriteBatch batch;
        batch.changes.push_back({.run = [&](store::Tables& tables) -> Result<void> {
            auto& people = tables.people();
            const auto person = people.create_person({.email = "ani@toko.example"});
            (void)people.put_membership(
                person->id,
                {.account = *model::AccountId::parse(account), .role = role, .since = {}});
            const auto begun = people.create_session({.person = person->id,
                                                      .digest = *people::token_digest(token),
                                                      .address = "here",
                                                      .created_at = clock.now(),
                                                      .seen_at = clock.now()});
            return begun ? Result<void>{} : pass(begun);
        }});
        write(batch);
        for (const auto& row : batch.row_changes) {
            directory.apply(row);
        }
        return token;
    }
    using Identified = std::expected<admission::Principal, manage::Outcome>;
    Identified by_cookie(std::string_view token, http::Method method = http::Method::get,
                         std::vector<http::Request::Header> headers = {},
                         std::string_view authorization = {}) {
        const auto cookie = fmt::format("merpati_session={}", token);
        headers.emplace_back("Cookie", cookie);
        http::Request request;
        request.method = method;
        request.headers = headers;
        request.authorization = authorization;
        return callers.identify(request);
    }

    /// The same for a person who is signed in, and calls from a page of this server.
    int status_of_person(http::Method method) {
        const std::array<http::Request::Header, 2> headers{
            {{"Cookie", own_cookie}, {change_header, "1"}}};
        http::Request request;
        request.method = method;
        request.headers = headers;
        party = stranger;
        request.party = &party;
        const auto admitted = callers.admit(request, {.path = "/x", .scope = Scope::catalogue});
        return admitted ? 200 : admitted.error().status;
    }
    void sign_in(model::PersonId person) {
        const auto token = people::make_token(random);
        own_cookie = "merpati_session=" + token;
        directory.apply(model::Person{.id = person, .email = person.text() + "@toko.example"});
        directory.apply(model::Session{.id = {person.value},
                                       .person = person,
                                       .digest = *people::token_digest(token),
                                       .created_at = clock.now(),
                                       .seen_at = clock.now()});
    }

    const http::Party stranger{http::PeerAddress{}};
    http::Party party = stranger;
    std::string own_cookie;
    const std::string account = make_account();
    Callers callers{clock,
                    directory,
                    AppAddress{},
                    {.idle = 1h, .longest = 24h},
                    model::Rate{.count = 2, .period = 1s}};
};

TEST_F(CallersTest, EachAdmittedCallOfAKeyCountsAgainstItsRate) {
    const auto made = post("/keys", R"({"account":")" + account + "\"}");
    const auto bearer = "Bearer " + made.text("key");
    EXPECT_EQ(status_of("Bearer x"), 401);
    EXPECT_EQ(status_of(""), 401);
    EXPECT_EQ(status_of(bearer, model::Scope::admin), 403);
    EXPECT_EQ(status_of(bearer), 200);
    EXPECT_EQ(status_of(bearer), 200);
    EXPECT_EQ(status_of(bearer), 429);
    clock.advance(1s);
    EXPECT_EQ(status_of(bearer), 200);
}

TEST_F(CallersTest, ACookieOfALiveSessionIsItsPerson) {
    const auto token = signed_in(model::Role::operator_);
    const auto caller = by_cookie(token);
    ASSERT_TRUE(caller);
    EXPECT_EQ(caller->kind, admission::Principal::Kind::person);
    EXPECT_EQ(caller->person->email, "ani@toko.example");
    EXPECT_EQ(by_cookie("x")->kind, admission::Principal::Kind::anyone);
    clock.advance(1h);
    EXPECT_EQ(by_cookie(token)->kind, admission::Principal::Kind::anyone);
}

TEST_F(CallersTest, AKeyThatIsWrongIsRefusedAlsoBesideACookieThatIsRight) {
    const auto token = signed_in(model::Role::operator_);
    const auto refused = by_cookie(token, http::Method::get, {}, "Bearer x");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().status, 401);
}

// A link on another site's page must not make this server ask a platform, for example.
TEST_F(CallersTest, ACookieThatAnotherSiteUsesIsRefusedForQuestionsToo) {
    const auto token = signed_in(model::Role::operator_);
    for (const std::string_view site : {"cross-site", "same-site"}) {
        const auto refused = by_cookie(token, http::Method::get, {{"Sec-Fetch-Site", site}});
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().status, 403);
    }
    for (const std::string_view site : {"same-origin", "none"}) {
        EXPECT_TRUE(by_cookie(token, http::Method::get, {{"Sec-Fetch-Site", site}}));
    }
    EXPECT_FALSE(by_cookie(token, http::Method::post));
    EXPECT_TRUE(by_cookie(token, http::Method::post, {{"X-Merpati-Request", "1"}}));
}

TEST_F(CallersTest, TheUseOfASessionIsToldOnceAMinute) {
    const auto token = signed_in(model::Role::operator_);
    std::vector<Timestamp> seen;
    callers.on_seen = [&](model::SessionId, Timestamp at) { seen.push_back(at); };
    (void)by_cookie(token);
    clock.advance(60s);
    (void)by_cookie(token);
    (void)by_cookie(token);
    EXPECT_EQ(seen, std::vector{clock.now()});
}

TEST_F(CallersTest, APersonOfAnExpiredAccountOnlyReadsThere) {
    const auto token = signed_in(model::Role::owner);
    const auto id = *model::AccountId::parse(account);
    EXPECT_TRUE(by_cookie(token)->permits(id, model::Scope::account_manage));
    patch("/admin/accounts/" + account, R"({"expires_at":"2000-01-01T00:00:00Z"})");
    EXPECT_EQ(by_cookie(token)->scopes_in(id), model::reading_scopes);
}

TEST_F(CallersTest, AConnectionCountsForWhoeverShowsAValidKeyAlsoIfTheCallIsRefused) {
    const auto bearer = "Bearer " + post("/keys", R"({"account":")" + account + "\"}").text("key");
    const auto owner = http::Party::account(model::AccountId::parse(account)->value);
    EXPECT_EQ(status_of(bearer), 200);
    EXPECT_EQ(party, owner);
    EXPECT_EQ(status_of("Bearer x"), 401);
    EXPECT_EQ(party, stranger);
    EXPECT_EQ(status_of(bearer, model::Scope::admin), 403);
    EXPECT_EQ(party, owner);
    while (status_of(bearer) == 200) {
    }
    EXPECT_EQ(status_of(bearer), 429);
    EXPECT_EQ(party, owner);
}

TEST_F(CallersTest, OnlyAKeyOrASessionThatIsValidMakesAPartyOfItsOwn) {
    const auto key = post("/keys", R"({"account":")" + account + "\"}").text("key");
    const auto by_key = [&](std::string_view authorization) {
        http::Request request;
        request.authorization = authorization;
        return callers.party_of(request);
    };
    const auto owner = http::Party::account(model::AccountId::parse(account)->value);
    EXPECT_EQ(by_key("Bearer " + key), owner);
    EXPECT_EQ(by_key("Bearer " + key + "x"), stranger);
    EXPECT_EQ(by_key("Bearer anything"), stranger);
    const auto by_own_cookie = [&](std::string_view cookie) {
        const std::array<http::Request::Header, 1> headers{{{"Cookie", cookie}}};
        http::Request request;
        request.method = http::Method::get;
        request.headers = headers;
        return callers.party_of(request);
    };
    sign_in({1});
    EXPECT_EQ(by_own_cookie(own_cookie), http::Party::person(1));
    EXPECT_EQ(by_own_cookie("merpati_session=" + people::make_token(random)), stranger);
}

TEST_F(CallersTest, EachPersonHasARateOfCallsAndOfChanges) {
    sign_in({1});
    std::size_t changes = 0;
    while (status_of_person(http::Method::post) == 200) {
        EXPECT_EQ(party, http::Party::person(1));
        ++changes;
    }
    EXPECT_EQ(changes, Callers::person_changes.count);
    EXPECT_EQ(status_of_person(http::Method::post), 429);
    std::size_t reads = 0;
    while (status_of_person(http::Method::get) == 200) {
        ++reads;
    }
    EXPECT_GT(reads, changes);
    EXPECT_LT(reads, Callers::person_calls.count) << "changes are calls, too";
    sign_in({1});  // Another session of the person.
    EXPECT_EQ(status_of_person(http::Method::get), 429);
    sign_in({2});
    EXPECT_EQ(status_of_person(http::Method::post), 200);
    sign_in({1});
    clock.advance(1s);
    EXPECT_EQ(status_of_person(http::Method::post), 200);
}

}  // namespace
}  // namespace merpati::api
