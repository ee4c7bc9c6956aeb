#include "admission/api_key_format.hpp"
#include "admission/checks.hpp"
#include "api/manage/engine/manage_fixture.hpp"
#include "base/digest.hpp"

namespace merpati::api::manage::testing {
namespace {

using namespace std::chrono_literals;

struct KeysTest : ManageTest {
    Answer make_key(std::string_view more = "") {
        return post("/keys", R"({"account":")" + account + "\"" + std::string{more} + "}");
    }
    bool opens(const std::string& key) {
        return admission::authenticate("Bearer " + key, directory, clock.now()).has_value();
    }

    std::string account = make_account();
};

TEST_F(KeysTest, AMadeKeyOpensTheAccountAndIsKeptOnlyAsADigest) {
    const auto made = make_key(R"(,"name":"kasir")");
    const auto key = made.text("key");
    EXPECT_EQ(key.size(), admission::api_key_size);
    EXPECT_TRUE(opens(key));
    EXPECT_TRUE(key.starts_with(made.text("hint")));
    EXPECT_EQ(made.text("name"), "kasir");
    EXPECT_THAT(get("/keys?account=" + account).whole(), Not(HasSubstr(key)));
    EXPECT_EQ(directory.find_key(sha256(key))->key->digest, sha256(key));
}

TEST_F(KeysTest, AKeyCanBePinnedToARevision) {
    EXPECT_EQ(make_key().text("revision"), "auto");
    EXPECT_EQ(make_key(R"(,"revision":"auto")").text("revision"), "auto");
    const auto pinned = make_key(R"(,"revision":"B")");
    EXPECT_EQ(pinned.text("revision"), "B");
    EXPECT_EQ(directory.find_key(sha256(pinned.text("key")))->key->revision, model::Revision::b);
    EXPECT_EQ(make_key(R"(,"revision":"C")").status, 400);
}

TEST_F(KeysTest, ARevokedKeyStopsAtOnceAndStaysListed) {
    const auto made = make_key();
    EXPECT_EQ(del("/keys/" + made.text("id")).text("state"), "revoked");
    EXPECT_FALSE(opens(made.text("key")));
    EXPECT_EQ(get("/keys?account=" + account).items().front().at("state"), "revoked");
}

TEST_F(KeysTest, RevokingTwiceKeepsTheFirstTime) {
    const auto id = make_key().text("id");
    const auto first = del("/keys/" + id).text("revoked_at");
    clock.advance(1h);
    EXPECT_EQ(del("/keys/" + id).text("revoked_at"), first);
}

TEST_F(KeysTest, ARotatedKeyWorksUntilTheOverlapEndsAndItsSuccessorGoesOn) {
    const auto old = make_key(R"(,"name":"kasir","revision":"A")");
    const auto rotated = post("/keys/" + old.text("id") + "/rotate", R"({"overlap_seconds":60})");
    EXPECT_EQ(rotated.text("name"), "kasir");
    EXPECT_EQ(rotated.text("revision"), "A");
    EXPECT_EQ(rotated.text("previous"), old.text("id"));
    EXPECT_EQ(rotated.text("previous_expires_at"), to_rfc3339(clock.now() + 60s));
    EXPECT_TRUE(opens(old.text("key")));
    clock.advance(60s);
    EXPECT_FALSE(opens(old.text("key")));
    EXPECT_TRUE(opens(rotated.text("key")));
    EXPECT_EQ(get("/keys?account=" + account).items().front().at("state"), "expired");
}

TEST_F(KeysTest, RotatingAgainNeverMakesTheOldKeyLiveLonger) {
    const auto old = make_key();
    const auto path = "/keys/" + old.text("id") + "/rotate";
    post(path, R"({"overlap_seconds":60})");
    const auto again = post(path, R"({"overlap_seconds":3600})");
    EXPECT_EQ(again.text("previous_expires_at"), to_rfc3339(clock.now() + 60s));
}

TEST_F(KeysTest, AKeyThatDoesNotWorkAnyMoreCannotBeRotated) {
    const auto id = make_key().text("id");
    del("/keys/" + id);
    const auto answer = post("/keys/" + id + "/rotate");
    EXPECT_EQ(answer.status, 409);
    EXPECT_THAT(answer.error(), HasSubstr("create a new one"));
}

TEST_F(KeysTest, ListsAreOfOneAccount) {
    make_key();
    const auto other = make_account();
    EXPECT_THAT(get("/keys?account=" + other).items(), IsEmpty());
    EXPECT_EQ(get("/keys?account=" + account).items().size(), 1U);
    EXPECT_EQ(get("/keys").items().size(), 1U);
    EXPECT_EQ(get("/keys?account=acc_99").status, 404);
}

TEST_F(KeysTest, UnknownKeysAndAccountsAreNotFound) {
    EXPECT_EQ(del("/keys/key_99").status, 404);
    EXPECT_EQ(post("/keys/bogus/rotate").status, 404);
    EXPECT_EQ(post("/keys", R"({"account":"acc_99"})").status, 404);
    EXPECT_EQ(post("/keys", R"({})").status, 400);
}

TEST_F(KeysTest, AnAccountHasABoundedNumberOfKeysThatWork) {
    for (int number = 0; number < 1000; ++number) {
        ASSERT_EQ(make_key().status, 200);
    }
    EXPECT_EQ(make_key().status, 403);
    EXPECT_EQ(post("/keys/key_1/rotate").status, 403);
    del("/keys/key_1");
    EXPECT_EQ(make_key().status, 200);
}

TEST_F(KeysTest, HaveTheScopesTheyAreGivenAndPassThemOn) {
    EXPECT_EQ(boost::json::serialize(make_key().json.at("scopes")), R"(["send"])");
    const auto made = make_key(R"(,"scopes":["messages:read","account:read"])");
    EXPECT_EQ(boost::json::serialize(made.json.at("scopes")),
              R"(["messages:read","account:read"])");
    const auto rotated = post("/keys/" + made.text("id") + "/rotate");
    EXPECT_EQ(rotated.json.at("scopes"), made.json.at("scopes"));
    for (const auto* scopes :
         {"[]", R"(["everything"])", R"(["send","send"])", R"("send")", "[1]"}) {
        EXPECT_EQ(make_key(R"(,"scopes":)" + std::string{scopes}).status, 400) << scopes;
    }
}

}  // namespace
}  // namespace merpati::api::manage::testing
