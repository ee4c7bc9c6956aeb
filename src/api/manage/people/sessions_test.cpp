// Signing in, as a plain call.
#include "api/manage/people/sign_in_fixture.hpp"
#include "people/token.hpp"
#include "people/totp.hpp"

namespace merpati::api::manage::testing {
namespace {

using namespace std::chrono_literals;

struct SessionsTest : SignInTest {
    SessionsTest() {
        account = make_account();
        const auto made =
            post("/admin/people", R"({"email":"ani@toko.example","password":"kuda lumping 7",)"
                                  R"("account":"acc_1","role":"owner"})");
        EXPECT_EQ(made.status, 200) << made.whole();
    }

    std::string link_token() {
        const auto url = post("/admin/people/ani@toko.example/link").text("url");
        return url.substr(url.find('#') + 1);
    }
    std::vector<std::string> log() {
        std::vector<std::string> lines;
        for (const auto& entry : get("/admin/log").items()) {
            lines.push_back(boost::json::serialize(entry));
        }
        return lines;
    }

    std::string account;
};

TEST_F(SessionsTest, APersonSignsInAndIsTold) {
    const auto reply = sign_in();
    ASSERT_EQ(reply.status, 200) << boost::json::serialize(reply.json);
    EXPECT_THAT(reply.headers, HasSubstr("Set-Cookie: __Host-merpati_session="));
    EXPECT_EQ(reply.json.at("person").at("email"), "ani@toko.example");
    EXPECT_EQ(reply.json.at("memberships").at(0).at("name"), "Toko");
    EXPECT_EQ(reply.json.at("memberships").at(0).at("role"), "owner");
    const auto shown = ask(http::Method::get, "/session", {}, principal_of(reply));
    EXPECT_EQ(shown.json.at("session"), reply.json.at("session"));
    EXPECT_NE(sign_in().token(), reply.token());  // Against session fixation.
    EXPECT_THAT(log().front(), HasSubstr(R"("name":"ani@toko.example")"));
    EXPECT_THAT(log().front(), HasSubstr("POST /v1/session"));
}

TEST_F(SessionsTest, WhoIsWrongIsNotToldWhat) {
    const auto wrong = sign_in(R"({"email":"ani@toko.example","password":"kuda lumping 8"})");
    EXPECT_EQ(wrong.status, 401);
    for (const char* body : {R"({"email":"budi@toko.example","password":"kuda lumping 7"})",
                             R"({"email":"no address","password":"kuda lumping 7"})"}) {
        const auto unknown = sign_in(body);
        EXPECT_EQ(unknown.status, 401);
        EXPECT_EQ(unknown.json, wrong.json);
        EXPECT_EQ(unknown.headers, wrong.headers);
    }
}

TEST_F(SessionsTest, GuessingIsStoppedForStrangersAlone) {
    const char* guess = R"({"email":"ani@toko.example","password":"kuda lumping 8"})";
    ASSERT_EQ(sign_in(credentials, "home").status, 200);
    for (int address = 0; address < 10; ++address) {
        for (int number = 0; number < 6; ++number) {
            (void)sign_in(guess, std::to_string(address));
        }
    }
    const auto stopped = sign_in(credentials, "another");
    EXPECT_EQ(stopped.status, 429);
    EXPECT_THAT(stopped.headers, HasSubstr("Retry-After: 300\r\n"));
    const char* unknown = R"({"email":"budi@toko.example","password":"kuda lumping 8"})";
    for (int address = 10; address < 14; ++address) {
        for (int number = 0; number < 6; ++number) {
            (void)sign_in(unknown, std::to_string(address));
        }
    }
    EXPECT_EQ(sign_in(unknown, "another").json, stopped.json);
    EXPECT_EQ(sign_in(credentials, "home").status, 200);
}

TEST_F(SessionsTest, AnotherSitesPageSignsNobodyIn) {
    const auto refused = ask(http::Method::post, "/session", credentials, {}, "203.0.113.7", false);
    EXPECT_EQ(refused.status, 403);
    EXPECT_THAT(refused.headers, Not(HasSubstr("Set-Cookie")));
}

TEST_F(SessionsTest, ALinkSignsInOnceAndInTime) {
    const auto token = link_token();
    const auto body = R"({"token":")" + token + R"("})";
    const auto reply = ask(http::Method::post, "/session/link", body);
    ASSERT_EQ(reply.status, 200);
    EXPECT_EQ(reply.json.at("session").at("by"), "link");
    const auto again = ask(http::Method::post, "/session/link", body);
    EXPECT_EQ(again.status, 401);
    EXPECT_EQ(ask(http::Method::post, "/session/link", R"({"token":"x"})").json, again.json);
    const auto late = R"({"token":")" + link_token() + R"("})";
    clock.advance(15min);
    EXPECT_EQ(ask(http::Method::post, "/session/link", late).status, 401);
}

TEST_F(SessionsTest, ASecondFactorIsAskedForOnceItIsConfirmed) {
    const auto me = principal_of(sign_in());
    const auto begun =
        ask(http::Method::post, "/session/totp", R"({"current":"kuda lumping 7"})", me);
    ASSERT_EQ(begun.status, 200) << boost::json::serialize(begun.json);
    EXPECT_EQ(sign_in().status, 200);
    Bytes secret;
    {
        store::WriteBatch batch;
        batch.changes.push_back({.run = [&](store::Tables& tables) -> Result<void> {
            secret = (**tables.people().find_second_factor(me.person->id)).secret;
            return {};
        }});
        write(batch);
    }
    const auto code_at = [&](Timestamp at) {
        return people::totp_code(secret, people::totp_step(at));
    };
    EXPECT_EQ(ask(http::Method::post, "/session/totp/confirm", R"({"code":"000000"})", me).status,
              403);
    const auto confirmed = ask(http::Method::post, "/session/totp/confirm",
                               R"({"code":")" + code_at(clock.now()) + R"("})", me);
    ASSERT_EQ(confirmed.status, 200) << boost::json::serialize(confirmed.json);
    const auto with = [](std::string_view code) {
        return R"({"email":"ani@toko.example","password":"kuda lumping 7","totp":")" +
               std::string{code} + R"("})";
    };
    EXPECT_EQ(sign_in().code(), "totp_required");
    EXPECT_EQ(sign_in(with("000000")).code(), "unauthenticated");
    EXPECT_EQ(sign_in(with(code_at(clock.now()))).status, 401);  // The code was used already.
    clock.advance(30s);
    EXPECT_EQ(sign_in(with(code_at(clock.now()))).status, 200);
    EXPECT_EQ(sign_in(with(code_at(clock.now()))).status, 401);
    const std::string recovery = confirmed.json.at("recovery_codes").at(0).as_string().c_str();
    EXPECT_EQ(sign_in(with(recovery)).status, 200);
    EXPECT_EQ(sign_in(with(recovery)).status, 401);
    const auto whole = log();
    for (const auto& line : whole) {
        EXPECT_THAT(line, Not(HasSubstr(recovery)));
        EXPECT_THAT(line, Not(HasSubstr(people::to_base32(secret))));
        EXPECT_THAT(line, Not(HasSubstr("kuda lumping")));
        EXPECT_THAT(line, Not(HasSubstr("argon2id")));
    }
}

TEST_F(SessionsTest, ANewPasswordEndsTheOtherSessions) {
    const auto other = principal_of(sign_in());
    const auto me = principal_of(sign_in());
    const auto change = [&](std::string_view body) {
        return ask(http::Method::post, "/session/password", body, me);
    };
    EXPECT_EQ(change(R"({"password":"ayam berkokok 9"})").code(), "wrong_password");
    EXPECT_EQ(change(R"({"current":"kuda lumping 8","password":"ayam berkokok 9"})").code(),
              "wrong_password");
    EXPECT_EQ(change(R"({"current":"kuda lumping 7","password":"ayam"})").status, 400);
    EXPECT_EQ(change(R"({"current":"kuda lumping 7","password":"ayam berkokok 9"})").status, 200);
    EXPECT_EQ(directory.people().sessions_of(me.person->id).size(), 1);
    EXPECT_EQ(sign_in().status, 401);
    EXPECT_EQ(ask(http::Method::post, "/keys", R"({"name":"x"})", other).status, 403);
}

TEST_F(SessionsTest, SessionsAreListedAndEnded) {
    const auto me = principal_of(sign_in());
    const auto other = principal_of(sign_in());
    const auto listed = ask(http::Method::get, "/sessions", {}, me).json.at("items").as_array();
    ASSERT_EQ(listed.size(), 2);
    EXPECT_EQ(listed[1].at("current"), true);
    EXPECT_EQ(listed[1].at("address"), "203.0.113.7");
    EXPECT_EQ(ask(http::Method::del, "/sessions/ses_99", {}, me).status, 404);
    EXPECT_EQ(ask(http::Method::del, "/sessions/others", {}, me).json.at("ended"), 1);
    EXPECT_EQ(ask(http::Method::del, "/session", {}, me).status, 200);
    EXPECT_TRUE(directory.people().sessions_of(me.person->id).empty());
    EXPECT_EQ(other.session->session().person, me.person->id);
}

// The transaction must not rely on rights that the session had when the call came in.
TEST_F(SessionsTest, AMembershipThatIsTakenAwayCountsForNothingAtOnce) {
    const auto me = principal_of(sign_in());
    EXPECT_EQ(ask(http::Method::post, "/keys", R"({"name":"x"})", me).status, 200);
    ASSERT_EQ(
        patch("/admin/people/ani@toko.example", R"({"account":"acc_1","role":"viewer"})").status,
        200);
    EXPECT_EQ(ask(http::Method::post, "/keys", R"({"name":"y"})", me).status, 403);
    EXPECT_EQ(get("/keys?account=acc_1").items().size(), 1U);
}

}  // namespace
}  // namespace merpati::api::manage::testing
