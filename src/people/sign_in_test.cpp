#include "people/sign_in.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "people/token.hpp"
#include "people/totp.hpp"
#include "store/conformance/repeating_store.hpp"
#include "store/people.hpp"
#include "testing/fixed_random.hpp"
#include "testing/manual_clock.hpp"
#include "testing/temporary_folder.hpp"

namespace merpati::people {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

constexpr const char* right = "kuda lumping 7";
constexpr const char* wrong = "kuda lumping 8";

struct SignInTest : ::testing::Test {
    /// What `run` returned.
    template <class Run>
    auto change(Run run) {
        auto made = decltype(run(std::declval<store::Tables&>())){};
        store::WriteBatch batch;
        batch.changes.push_back({.run = [&](store::Tables& tables) -> Result<void> {
            made = run(tables);
            return made ? Result<void>{} : pass(made);
        }});
        EXPECT_TRUE(store->write(batch));
        for (const auto& row : batch.row_changes) {
            directory.apply(row);
        }
        return made;
    }
    std::string hash_of(const char* password) { return sign_in.hasher().hash(password).value(); }
    void set_password(const char* password) {
        change([&](store::Tables& tables) {
            return tables.people().update_person(ani, {.password_hash = hash_of(password)});
        });
    }
    /// Gives Ani a second factor.
    void add_second_factor() {
        change([&](store::Tables& tables) -> Result<model::Person> {
            auto begun = tables.people().begin_second_factor(ani, secret);
            return begun ? tables.people().confirm_second_factor(ani, {*recovery_digest(recovery)})
                         : pass(begun);
        });
    }
    [[nodiscard]] std::string code() const { return totp_code(secret, totp_step(clock.now())); }

    SignInCall call_from(std::string_view address) {
        return {.address = address, .agent = "Browser/1", .commit = [this](PersonChange begin) {
                    before_commit();
                    const auto person = change(std::move(begin));
                    return person ? Result<void>{} : pass(person);
                }};
    }
    /// A call whose transaction ends as `then` says.
    SignInCall call_with(std::function<Result<model::Person>(const Result<model::Person>&)> then) {
        auto call = call_from("at home");
        call.commit = [commit = call.commit, then = std::move(then)](PersonChange begin) {
            return commit([&](store::Tables& tables) { return then(begin(tables)); });
        };
        return call;
    }
    SignInEnd try_password(const std::string& password, std::string_view address = "at home",
                           std::optional<std::string> code = {},
                           const std::string& email = "ani@toko.example") {
        const auto end = sign_in.by_password(
            {.email = email, .password = password, .code = std::move(code)}, call_from(address));
        EXPECT_TRUE(end);
        return end.value_or(SignInEnd{});
    }
    std::string link() {
        auto token = make_token(random);
        change([&](store::Tables& tables) {
            auto put = tables.people().put_link({.digest = *token_digest(token),
                                                 .person = ani,
                                                 .expires_at = clock.now() + link_lasts});
            return put ? Result<bool>{true} : pass(put);
        });
        return token;
    }
    SignInResult try_link(std::string_view token, std::string_view address = "at home") {
        const auto end = sign_in.by_link(token, call_from(address));
        EXPECT_TRUE(end);
        return end.value_or(SignInEnd{}).result;
    }

    SignInTest() {
        change([&](store::Tables& tables) {
            return tables.people().create_person(
                {.email = "ani@toko.example", .password_hash = hash_of(right)});
        });
    }

    const model::PersonId ani{1};
    const Bytes secret = Bytes(20, std::byte{7});
    const std::string recovery = "abcd-efgh-ijkm-npqr";
    std::function<void()> before_commit = [] {};
    std::vector<std::string> tries;
    merpati::testing::TemporaryFolder folder;
    merpati::testing::ManualClock clock;
    merpati::testing::FixedRandom random;
    std::unique_ptr<store::Store> store =
        store::open_repeating_store({.url = "sqlite:" + folder.file("store.db")});
    PeopleDirectory directory;
    SignIn sign_in{clock, random, directory,
                   [this](const SignInTry& made) {
                       tries.push_back(fmt::format("{} {} {}", to_string(made.result), made.address,
                                                   made.person ? made.person->text() : "-"));
                   },
                   PasswordHasher::Cost{.passes = 1, .memory_bytes = 8192}};
};

TEST_F(SignInTest, ASessionBeginsWhereItsPersonIs) {
    const auto end = try_password(right);
    EXPECT_EQ(end.result, SignInResult::succeeded);
    EXPECT_EQ(end.session.digest, token_digest(end.token));
    const auto found = directory.find_session(end.session.digest);
    ASSERT_TRUE(found);
    const auto& session = found->session->session();
    EXPECT_EQ(found->person->id, ani);
    EXPECT_EQ(session.id, end.session.id);
    EXPECT_EQ(session.by, model::SignIn::password);
    EXPECT_EQ(session.address, "at home");
    EXPECT_EQ(session.agent, "Browser/1");
    EXPECT_EQ(session.created_at, clock.now());
    EXPECT_EQ(try_password(right, "at home", {}, " Ani@Toko.example").result,
              SignInResult::succeeded);
}

TEST_F(SignInTest, EachTryIsReportedWithWhomItNames) {
    try_password(wrong, "elsewhere");
    try_password(right, "elsewhere", {}, "budi@toko.example");
    try_password(right);
    try_link("x", "elsewhere");
    EXPECT_THAT(tries, ElementsAre("denied elsewhere per_1", "denied elsewhere -",
                                   "succeeded at home per_1", "denied elsewhere -"));
    tries.clear();
    for (int number = 0; number < 6; ++number) {
        try_password(wrong, "elsewhere");
    }
    EXPECT_EQ(tries.back(), "throttled elsewhere per_1");
}

TEST_F(SignInTest, APasswordThatIsChangedMeanwhileSignsNobodyIn) {
    before_commit = [this] { set_password(wrong); };
    EXPECT_EQ(try_password(right).result, SignInResult::denied);
    EXPECT_EQ(tries.back(), "denied at home per_1");
    EXPECT_TRUE(directory.sessions_of(ani).empty());
}

TEST_F(SignInTest, APersonWhoIsRemovedMeanwhileIsNotSignedIn) {
    before_commit = [this] {
        change([&](store::Tables& tables) -> Result<bool> {
            auto removed = tables.people().remove_person(ani);
            return removed ? Result<bool>{true} : pass(removed);
        });
    };
    EXPECT_EQ(try_password(right).result, SignInResult::denied);
}

TEST_F(SignInTest, WhatFailsBesideTheSessionLeavesNoneAndIsNoTry) {
    add_second_factor();
    const Credentials given{.email = "ani@toko.example", .password = right, .code = recovery};
    const auto end = sign_in.by_password(
        given, call_with([](const Result<model::Person>& begun) {
            return begun ? fail(ErrorCode::not_found, "the invitation is gone") : begun;
        }));
    ASSERT_FALSE(end);
    EXPECT_EQ(end.error().code, ErrorCode::not_found);
    EXPECT_TRUE(directory.sessions_of(ani).empty());
    EXPECT_TRUE(tries.empty());
    EXPECT_EQ(try_password(right, "at home", recovery).result, SignInResult::succeeded);
}

TEST_F(SignInTest, WhatIsBesideASessionThatIsDeniedEndsWithIt) {
    add_second_factor();
    bool begins = false;
    const auto end = sign_in.by_password({.email = "ani@toko.example", .password = right},
                                         call_with([&](const Result<model::Person>& begun) {
                                             begins = begins || begun;
                                             return begun;
                                         }));
    ASSERT_TRUE(end);
    EXPECT_EQ(end->result, SignInResult::second_factor_asked);
    EXPECT_FALSE(begins);
}

TEST_F(SignInTest, AHashOfAnotherCostIsRenewed) {
    PasswordHasher other{{.passes = 2, .memory_bytes = 8192}};
    const auto before = other.hash(right).value();
    change([&](store::Tables& tables) {
        return tables.people().update_person(ani, {.password_hash = before});
    });
    EXPECT_EQ(try_password(wrong).result, SignInResult::denied);
    EXPECT_EQ(directory.find(ani)->password_hash, before);
    EXPECT_EQ(try_password(right).result, SignInResult::succeeded);
    EXPECT_NE(directory.find(ani)->password_hash, before);
    EXPECT_EQ(try_password(right).result, SignInResult::succeeded);
}

TEST_F(SignInTest, TheSecondFactorIsAskedForOnlyAfterTheRightPassword) {
    add_second_factor();
    EXPECT_EQ(try_password(wrong).result, SignInResult::denied);
    EXPECT_EQ(try_password(wrong, "at home", code()).result, SignInResult::denied);
    EXPECT_EQ(try_password(right).result, SignInResult::second_factor_asked);
    EXPECT_EQ(try_password(right, "at home", "000000").result, SignInResult::second_factor_denied);
    EXPECT_TRUE(directory.sessions_of(ani).empty());
}

TEST_F(SignInTest, EachCodeSignsInOnce) {
    add_second_factor();
    for (const auto& each : {code(), recovery}) {
        EXPECT_EQ(try_password(right, "at home", each).result, SignInResult::succeeded);
        EXPECT_EQ(try_password(right, "at home", each).result, SignInResult::second_factor_denied);
    }
}

TEST_F(SignInTest, WrongCodesAreToldApartAndSoonStopped) {
    try_password(right);
    add_second_factor();
    for (int number = 0; number < 6; ++number) {
        EXPECT_EQ(try_password(right, "there" + std::to_string(number), "x").result,
                  SignInResult::second_factor_denied);
    }
    EXPECT_EQ(tries.back(), "second_factor_denied there5 per_1");
    const auto stopped = try_password(right, "elsewhere", code());
    EXPECT_EQ(stopped.result, SignInResult::throttled);
    EXPECT_EQ(stopped.wait, 1h);
    EXPECT_EQ(tries.back(), "throttled elsewhere per_1");
    EXPECT_EQ(try_password(right, "at home", code()).result, SignInResult::succeeded);
}

TEST_F(SignInTest, ALinkSignsInOnceAndInTime) {
    const auto token = link();
    EXPECT_EQ(try_link(token), SignInResult::succeeded);
    EXPECT_EQ(directory.sessions_of(ani).front()->session().by, model::SignIn::link);
    EXPECT_EQ(try_link(token), SignInResult::denied);
    const auto late = link();
    clock.advance(link_lasts);
    EXPECT_EQ(try_link(late), SignInResult::denied);
}

TEST_F(SignInTest, LinksAreNotGuessed) {
    int denied = 0;
    while (denied < 1000 && try_link(make_token(random)) == SignInResult::denied) {
        ++denied;
    }
    EXPECT_EQ(denied, SignInThrottle::of_address.burst);
    EXPECT_EQ(sign_in.take_try("at home")->wait, SignInThrottle::of_address.every);
    EXPECT_FALSE(sign_in.take_try("elsewhere"));
}

TEST_F(SignInTest, ANewPasswordEndsOtherSessionsAndLinks) {
    const auto kept = try_password(right).session.id;
    EXPECT_EQ(try_password(right).result, SignInResult::succeeded);
    const auto token = link();
    change([&](store::Tables& tables) -> Result<bool> {
        const auto ended = end_access(tables.people(), ani, kept);
        return ended ? Result<bool>{true} : pass(ended);
    });
    ASSERT_EQ(directory.sessions_of(ani).size(), 1U);
    EXPECT_EQ(directory.sessions_of(ani).front()->session().id, kept);
    EXPECT_EQ(try_link(token), SignInResult::denied);
}

TEST_F(SignInTest, ThePasswordIsAskedForAgainExceptSoonAfterALink) {
    const auto person = *directory.find(ani);
    model::Session session{.by = model::SignIn::link, .created_at = clock.now()};
    const auto confirm = [&](std::optional<std::string> password) {
        return sign_in.confirm(person, session, password, "at home")->result;
    };
    EXPECT_EQ(confirm({}), SignInResult::succeeded);
    EXPECT_EQ(confirm(wrong), SignInResult::denied);
    clock.advance(recent_lasts);
    EXPECT_EQ(confirm({}), SignInResult::denied);
    EXPECT_EQ(confirm(right), SignInResult::succeeded);
    session = {.by = model::SignIn::password, .created_at = clock.now()};
    EXPECT_EQ(confirm({}), SignInResult::denied);
    EXPECT_THAT(
        tries, ElementsAre("denied at home per_1", "denied at home per_1", "denied at home per_1"));
    for (int number = 0; number < 6; ++number) {
        (void)confirm(wrong);
    }
    EXPECT_EQ(confirm(right), SignInResult::throttled);
}

}  // namespace
}  // namespace merpati::people
