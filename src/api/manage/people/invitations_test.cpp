// Invitations: made by owners, accepted by the people.
#include "api/manage/people/sign_in_fixture.hpp"

namespace merpati::api::manage::testing {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view new_password = "pisang goreng 5";

struct InvitationsTest : SignInTest {
    InvitationsTest() {
        make_account();
        make_account(R"("name":"Warung")");
        make_person("ani@toko.example", R"("account":"acc_1","role":"owner")");
    }

    void make_person(std::string_view email, std::string_view more) {
        const auto made = post("/admin/people", R"({"email":")" + std::string{email} +
                                                    R"(","password":"kuda lumping 7",)" +
                                                    std::string{more} + "}");
        ASSERT_EQ(made.status, 200) << made.whole();
    }
    admission::Principal person(std::string_view email) {
        return admission::Principal::of(directory.people().find(email));
    }
    Answer invite(std::string_view email, std::string_view role = "viewer",
                  std::string_view by = "ani@toko.example") {
        return call_as(
            person(by), http::Method::post, "/account/invitations",
            fmt::format(R"({{"account":"acc_1","email":"{}","role":"{}"}})", email, role));
    }
    static std::string token_of(const Answer& made) {
        const auto url = made.text("url");
        EXPECT_TRUE(url.starts_with("https://merpati.example/app/invitation#")) << url;
        return url.substr(url.find('#') + 1);
    }
    Reply open(const std::string& token) {
        return ask(http::Method::post, "/invitation", R"({"token":")" + token + "\"}");
    }
    Reply accept(const std::string& token, std::string_view password = new_password,
                 std::string_view more = "") {
        return ask(http::Method::post, "/invitation/accept",
                   fmt::format(R"({{"token":"{}","password":"{}"{}}})", token, password, more), {},
                   "203.0.113." + std::to_string(++addresses));
    }
    Reply accept_as(const admission::Principal& principal, const std::string& token) {
        return ask(http::Method::post, "/session/invitation", R"({"token":")" + token + "\"}",
                   principal);
    }
    admission::Principal signed_in(std::string_view email) {
        return principal_of(
            sign_in(fmt::format(R"({{"email":"{}","password":"kuda lumping 7"}})", email)));
    }
    std::optional<model::Role> role_of(std::string_view email) {
        const auto found = directory.people().find(email);
        return found == nullptr ? std::nullopt : found->role_in(*model::AccountId::parse("acc_1"));
    }

    int addresses = 0;
};

TEST_F(InvitationsTest, APersonWhoIsNewChoosesAPasswordAndIsSignedIn) {
    const auto made = invite("Budi@Toko.example", "operator");
    ASSERT_EQ(made.status, 200) << made.whole();
    EXPECT_EQ(made.text("email"), "budi@toko.example");
    EXPECT_EQ(made.text("role"), "operator");
    EXPECT_EQ(made.text("invited_by"), "ani@toko.example");
    EXPECT_EQ(role_of("budi@toko.example"), std::nullopt);
    const auto token = token_of(made);

    const auto shown = open(token);
    EXPECT_EQ(shown.status, 200);
    EXPECT_EQ(shown.json.at("account"), "Toko");
    EXPECT_EQ(shown.json.at("email"), "budi@toko.example");
    EXPECT_EQ(directory.people().find(std::string_view{"budi@toko.example"}), nullptr);

    const auto accepted = accept(token);
    ASSERT_EQ(accepted.status, 200) << accepted.json;
    EXPECT_EQ(accepted.json.at("person").at("email"), "budi@toko.example");
    EXPECT_EQ(accepted.json.at("memberships").at(0).at("role"), "operator");
    EXPECT_EQ(principal_of(accepted).person->email, "budi@toko.example");
    EXPECT_EQ(sign_in(R"({"email":"budi@toko.example","password":"pisang goreng 5"})").status, 200);
}

TEST_F(InvitationsTest, ALinkWorksOnceAndOnlyForAWeek) {
    const auto token = token_of(invite("budi@toko.example"));
    EXPECT_EQ(accept(token).status, 200);
    EXPECT_EQ(accept(token).status, 404);
    EXPECT_EQ(open(token).status, 404);
    const auto late = token_of(invite("cici@toko.example"));
    clock.advance(std::chrono::days{7});
    EXPECT_EQ(open(late).status, 404);
    EXPECT_EQ(accept(late).status, 404);
    EXPECT_EQ(directory.people().find(std::string_view{"cici@toko.example"}), nullptr);
    EXPECT_EQ(get("/account/invitations?account=acc_1").items().size(), 0U);
}

TEST_F(InvitationsTest, WithoutAGoodPasswordNobodyIsSignedInAndTheLinkStays) {
    const auto token = token_of(invite("budi@toko.example"));
    EXPECT_EQ(accept(token, "short").status, 400);
    EXPECT_EQ(accept(token, "budi@toko.example").status, 400);
    EXPECT_EQ(ask(http::Method::post, "/invitation/accept", R"({"token":")" + token + "\"}").status,
              400);
    EXPECT_EQ(directory.people().find(std::string_view{"budi@toko.example"}), nullptr);
    EXPECT_EQ(accept(token).status, 200);
}

TEST_F(InvitationsTest, AKnownPersonAcceptsWithTheOwnPasswordAlone) {
    make_person("budi@warung.example", R"("account":"acc_2","role":"owner")");
    const auto token = token_of(invite("budi@warung.example"));
    EXPECT_EQ(role_of("budi@warung.example"), std::nullopt);
    const auto denied = accept(token);  // Whoever holds the link does not get into acc_2.
    EXPECT_EQ(denied.status, 401);
    EXPECT_EQ(denied.code(), "unauthenticated");
    EXPECT_EQ(role_of("budi@warung.example"), std::nullopt);
    EXPECT_EQ(accept(token, "kuda lumping 7").status, 200);
    EXPECT_EQ(role_of("budi@warung.example"), model::Role::viewer);
    EXPECT_EQ(sign_in(R"({"email":"budi@warung.example","password":"pisang goreng 5"})").status,
              401);
}

TEST_F(InvitationsTest, APersonWithoutAPasswordAcceptsOnlySignedIn) {
    post("/account/people", R"({"account":"acc_2","email":"budi@warung.example","role":"owner"})");
    const auto token = token_of(invite("budi@warung.example"));
    EXPECT_EQ(accept(token).status, 401);
    EXPECT_EQ(role_of("budi@warung.example"), std::nullopt);
    const auto url = post("/admin/people/budi@warung.example/link").text("url");
    const auto session = ask(http::Method::post, "/session/link",
                             R"({"token":")" + url.substr(url.find('#') + 1) + "\"}");
    EXPECT_EQ(session.json.at("session").at("current_password_needed_from"), nullptr);
    EXPECT_EQ(accept_as(principal_of(session), token).status, 200);
    EXPECT_EQ(role_of("budi@warung.example"), model::Role::viewer);
}

TEST_F(InvitationsTest, OnlyTheInvitedPersonCanAcceptSignedIn) {
    make_person("budi@warung.example", R"("account":"acc_2","role":"owner")");
    make_person("cici@warung.example", R"("account":"acc_2","role":"owner")");
    const auto token = token_of(invite("budi@warung.example"));
    const auto refused = accept_as(signed_in("cici@warung.example"), token);
    EXPECT_EQ(refused.status, 403);
    EXPECT_EQ(role_of("cici@warung.example"), std::nullopt);
    EXPECT_EQ(accept_as(signed_in("budi@warung.example"), token).status, 200);
    EXPECT_EQ(role_of("budi@warung.example"), model::Role::viewer);
    EXPECT_EQ(accept_as(signed_in("budi@warung.example"), token).status, 404);
}

TEST_F(InvitationsTest, NothingTellsWhetherThePersonIsKnown) {
    make_person("known@warung.example", R"("account":"acc_2","role":"owner")");
    auto known = invite("known@warung.example").json.as_object();
    auto fresh = invite("fresh@warung.example").json.as_object();
    const auto opened = [&](const boost::json::object& made) {
        const std::string_view url = made.at("url").as_string();
        auto shown = open(std::string{url.substr(url.find('#') + 1)}).json.as_object();
        shown.erase("email");
        return shown;
    };
    EXPECT_EQ(opened(known), opened(fresh));
    for (const auto* field : {"id", "email", "url"}) {
        known.erase(field);
        fresh.erase(field);
    }
    EXPECT_EQ(known, fresh);
}

TEST_F(InvitationsTest, AnInvitationEndsWhenItsMakerMayNoLongerMakeIt) {
    make_person("budi@toko.example", R"("account":"acc_1","role":"owner")");
    const auto of_budi = token_of(invite("cici@toko.example", "owner", "budi@toko.example"));
    const auto key = post("/keys", R"({"account":"acc_1","scopes":["account:manage","send",)"
                                   R"("messages:read","campaigns:read","account:read"]})");
    ASSERT_EQ(key.status, 200) << key.whole();
    const auto principal = admission::Principal::of(*directory.find_key(sha256(key.text("key"))));
    const auto of_key = token_of(call_as(principal, http::Method::post, "/account/invitations",
                                         R"({"email":"dedi@toko.example","role":"viewer"})"));
    ASSERT_EQ(
        patch("/account/people/budi@toko.example", R"({"account":"acc_1","role":"viewer"})").status,
        200);
    EXPECT_EQ(accept(of_budi).status, 404);
    EXPECT_EQ(del("/keys/" + key.text("id")).status, 200);
    EXPECT_EQ(accept(of_key).status, 404);
    EXPECT_EQ(directory.people().find(std::string_view{"cici@toko.example"}), nullptr);
    EXPECT_EQ(directory.people().find(std::string_view{"dedi@toko.example"}), nullptr);
}

TEST_F(InvitationsTest, NobodyComesByAnInvitationOfSomebodyWhoseAccountsValidityIsOver) {
    make_person("budi@warung.example", R"("account":"acc_2","role":"owner")");
    const auto fresh = token_of(invite("cici@toko.example"));
    const auto known = token_of(invite("budi@warung.example"));
    const auto of_machine =
        token_of(post("/account/invitations",
                      R"({"account":"acc_1","email":"dedi@toko.example","role":"viewer"})"));
    const auto expire = [this](const std::string& at) {
        ASSERT_EQ(patch("/admin/accounts/acc_1", R"({"expires_at":)" + at + "}").status, 200);
    };
    expire('"' + to_rfc3339(clock.now()) + '"');
    EXPECT_EQ(accept(fresh).status, 404);
    EXPECT_EQ(accept(known, "kuda lumping 7").status, 404);
    EXPECT_EQ(accept_as(signed_in("budi@warung.example"), known).status, 404);
    EXPECT_EQ(directory.people().find(std::string_view{"cici@toko.example"}), nullptr);
    EXPECT_EQ(role_of("budi@warung.example"), std::nullopt);
    EXPECT_EQ(accept(of_machine).status, 200);
    expire("null");
    EXPECT_EQ(accept(fresh).status, 200);
}

TEST_F(InvitationsTest, AnAccountHasAFewInvitationsAndOneOfEachAddress) {
    for (std::size_t count = 0; count < store::PeopleTables::invitations_max; ++count) {
        EXPECT_EQ(invite(fmt::format("p{}@toko.example", count)).status, 200) << count;
    }
    EXPECT_EQ(invite("another@toko.example").status, 403);
    const auto replaced = token_of(invite("p0@toko.example", "operator"));
    EXPECT_EQ(get("/account/invitations?account=acc_1").items().size(),
              store::PeopleTables::invitations_max);
    EXPECT_EQ(open(replaced).json.at("role"), "operator");
    clock.advance(std::chrono::days{8});
    EXPECT_EQ(invite("another@toko.example").status, 200);
}

TEST_F(InvitationsTest, OnlyWhoManagesTheAccountInvitesListsAndRevokes) {
    make_person("op@toko.example", R"("account":"acc_1","role":"operator")");
    make_person("eka@warung.example", R"("account":"acc_2","role":"owner")");
    const auto made = invite("budi@toko.example");
    const auto path = "/account/invitations/" + made.text("id");
    for (const std::string_view other : {"op@toko.example", "eka@warung.example"}) {
        EXPECT_NE(invite("x@toko.example", "viewer", other).status, 200);
        EXPECT_NE(
            call_as(person(other), http::Method::get, "/account/invitations?account=acc_1").status,
            200);
        EXPECT_NE(call_as(person(other), http::Method::del, path).status, 200);
    }
    // The same answer as for an invitation that does not exist.
    EXPECT_EQ(call_as(person("eka@warung.example"), http::Method::del, path).status, 404);
    EXPECT_EQ(invite("ani@toko.example").status, 409);  // A member already.
    EXPECT_EQ(call_as(person("ani@toko.example"), http::Method::del, path).status, 200);
    EXPECT_EQ(accept(token_of(made)).status, 404);
}

TEST_F(InvitationsTest, GuessingATokenIsThrottled) {
    int throttled = 0;
    for (int count = 0; count < 60; ++count) {
        throttled += open(std::string(43, 'a')).status == 429 ? 1 : 0;
    }
    EXPECT_GT(throttled, 0);
}

TEST_F(InvitationsTest, TheLogShowsTheAccountWhoCameAndNothingElseOfThem) {
    accept(token_of(invite("budi@toko.example")));
    const auto log = call_as(person("ani@toko.example"), http::Method::get, "/account/log").whole();
    EXPECT_THAT(log, HasSubstr("POST /v1/account/invitations"));
    EXPECT_THAT(log, HasSubstr("POST /v1/invitation/accept"));
    EXPECT_THAT(log, Not(HasSubstr("203.0.113.")));  // Where the session began.
    EXPECT_THAT(log, Not(HasSubstr("per_")));
}

TEST_F(InvitationsTest, MembersLeaveThemselvesExceptTheLastOwner) {
    make_person("budi@toko.example", R"("account":"acc_1","role":"viewer")");
    const auto leave = [&](std::string_view email, std::string_view account = "acc_1") {
        return ask(http::Method::del, "/session/memberships/" + std::string{account}, {},
                   signed_in(email));
    };
    EXPECT_EQ(leave("ani@toko.example").status, 409);
    EXPECT_EQ(leave("budi@toko.example", "acc_2").status, 404);
    const auto left = leave("budi@toko.example");
    EXPECT_EQ(left.status, 200) << left.json;
    EXPECT_EQ(left.json.at("memberships").as_array().size(), 0U);
    EXPECT_EQ(role_of("budi@toko.example"), std::nullopt);
    make_person("cici@toko.example", R"("account":"acc_1","role":"owner")");
    EXPECT_EQ(leave("ani@toko.example").status, 200);
    EXPECT_EQ(leave("cici@toko.example").status, 409);
}

}  // namespace
}  // namespace merpati::api::manage::testing
