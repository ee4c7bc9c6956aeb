// What several processes write to one person, and to what refers to it.
#include <functional>
#include <future>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "store/people.hpp"
#include "store/postgres/several_writers_fixture.hpp"

namespace merpati::store {
namespace {

using namespace std::chrono_literals;

struct SharedPersonTest : SeveralWritersTest {
    using Write = std::function<Result<void>(PeopleTables&)>;
    static constexpr const char* email = "ani@toko.example";
    static constexpr const char* first_hash = "$argon2id$first";
    static constexpr const char* second_hash = "$argon2id$second";

    SharedPersonTest() { create(); }

    void create() {
        EXPECT_TRUE(change([&](Tables& tables) -> Result<void> {
            person =
                take(tables.people().create_person({.email = email, .password_hash = first_hash}))
                    .id;
            return {};
        }));
    }
    Result<void> put_membership(PeopleTables& people) const {
        const auto put =
            people.put_membership(person, {.account = account, .role = model::Role::viewer});
        return put ? Result<void>{} : pass(put);
    }
    Result<void> begin_session(PeopleTables& people) const {
        const auto begun = people.create_session({.person = person, .digest = sha256("token")});
        return begun ? Result<void>{} : pass(begun);
    }
    Result<void> put_link(PeopleTables& people) const {
        return people.put_link(
            {.digest = sha256("link"), .person = person, .expires_at = clock.now() + 1h});
    }
    Result<void> set_second_factor(PeopleTables& people) const {
        if (auto begun = people.begin_second_factor(person, Bytes(20)); !begun) {
            return begun;
        }
        const auto confirmed = people.confirm_second_factor(person, {sha256("code")});
        return confirmed ? Result<void>{} : pass(confirmed);
    }
    /// The tables whose rows refer to a person, and what writes one into each.
    std::vector<std::pair<std::string, Write>> references() {
        return {
            {"membership", [this](PeopleTables& people) { return put_membership(people); }},
            {"session", [this](PeopleTables& people) { return begin_session(people); }},
            {"sign_in_link", [this](PeopleTables& people) { return put_link(people); }},
            {"recovery_code", [this](PeopleTables& people) { return set_second_factor(people); }}};
    }
    /// As a request to sign in with the first password does.
    Result<void> sign_in(PeopleTables& people) {
        const auto found = take(people.find_person(person));
        return found && found->password_hash == first_hash
                   ? begin_session(people)
                   : fail(ErrorCode::refused, "the password is wrong");
    }
    /// As a request to change the password does.
    Result<void> change_password(PeopleTables& people) {
        EXPECT_TRUE(take(people.find_person(person)));
        take(people.end_sessions(person, std::nullopt));
        const auto changed = people.update_person(person, {.password_hash = second_hash});
        return changed ? Result<void>{} : pass(changed);
    }
    std::string rows_of(const std::string& table) {
        return shell.query_text(("SELECT count(*) FROM " + table).c_str());
    }

    model::PersonId person;
};

TEST_P(SharedPersonTest, NothingIsWrittenForAPersonWhomAnotherProcessRemoves) {
    for (const auto& [table, write] : references()) {
        SCOPED_TRACE(table);
        std::future<Result<void>> writing;
        EXPECT_TRUE(change([&](Tables& tables) -> Result<void> {
            auto removed = tables.people().remove_person(person);
            writing = begin_in_other([&](Tables& others) { return write(others.people()); });
            return removed;
        }));
        const auto refused = writing.get();
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().code, ErrorCode::not_found) << refused.error().detail;
        EXPECT_EQ(rows_of(table), "0");
        create();
    }
}

TEST_P(SharedPersonTest, APersonIsRemovedWithWhatAnotherProcessHasJustWritten) {
    for (const auto& [table, write] : references()) {
        SCOPED_TRACE(table);
        std::future<Result<void>> removal;
        EXPECT_TRUE(change([&](Tables& tables) -> Result<void> {
            auto written = write(tables.people());
            EXPECT_TRUE(written);
            removal = begin_in_other(
                [&](Tables& others) { return others.people().remove_person(person); });
            return written;
        }));
        EXPECT_TRUE(removal.get());
        EXPECT_EQ(rows_of("person"), "0");
        EXPECT_EQ(rows_of(table), "0");
        create();
    }
}

TEST_P(SharedPersonTest, ALinkSignsInBeforeItsPersonIsRemoved) {
    EXPECT_TRUE(change([&](Tables& tables) { return put_link(tables.people()); }));
    std::future<Result<void>> removal;
    EXPECT_TRUE(change([&](Tables& tables) -> Result<void> {
        EXPECT_EQ(take(tables.people().take_link(sha256("link"), clock.now())), person);
        removal =
            begin_in_other([&](Tables& others) { return others.people().remove_person(person); });
        return begin_session(tables.people());
    }));
    EXPECT_TRUE(removal.get());
    EXPECT_EQ(rows_of("session"), "0");
}

TEST_P(SharedPersonTest, AnOldPasswordDoesNotSignInWhileItIsChanged) {
    std::future<Result<void>> signing_in;
    EXPECT_TRUE(change([&](Tables& tables) -> Result<void> {
        auto changed = change_password(tables.people());
        signing_in = begin_in_other([&](Tables& others) { return sign_in(others.people()); });
        return changed;
    }));
    const auto refused = signing_in.get();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::refused);
    EXPECT_EQ(rows_of("session"), "0");
}

TEST_P(SharedPersonTest, AChangeOfThePasswordEndsASessionThatBeginsMeanwhile) {
    std::future<Result<void>> changing;
    EXPECT_TRUE(change([&](Tables& tables) -> Result<void> {
        auto signed_in = sign_in(tables.people());
        changing = begin_in_other([&](Tables& others) { return change_password(others.people()); });
        return signed_in;
    }));
    EXPECT_TRUE(changing.get());
    EXPECT_EQ(rows_of("session"), "0");
}

TEST_P(SharedPersonTest, ASecondFactorThatIsRemovedMeanwhileIsNotConfirmed) {
    EXPECT_TRUE(change(
        [&](Tables& tables) { return tables.people().begin_second_factor(person, Bytes(20)); }));
    std::future<Result<void>> confirming;
    EXPECT_TRUE(change([&](Tables& tables) -> Result<void> {
        take(tables.people().remove_second_factor(person));
        confirming = begin_in_other([&](Tables& others) -> Result<void> {
            if (!take(others.people().find_second_factor(person))) {
                return fail(ErrorCode::conflict, "there is none");
            }
            take(others.people().confirm_second_factor(person, {sha256("code")}));
            return {};
        });
        return {};
    }));
    EXPECT_FALSE(confirming.get());
    EXPECT_EQ(rows_of("recovery_code"), "0");
}

TEST_P(SharedPersonTest, WhoOnlyLooksAtAPersonWaitsForNobody) {
    EXPECT_TRUE(change([&](Tables& tables) -> Result<void> {
        EXPECT_TRUE(take(tables.people().find_person(person)));
        return change_in(*other, [&](Tables& others) -> Result<void> {
            EXPECT_TRUE(take(others.people().find_person_unlocked(person)));
            return {};
        });
    }));
}

INSTANTIATE_TEST_SUITE_P(Engine, SharedPersonTest, ::testing::Values(postgres::engine()), name_of);

}  // namespace
}  // namespace merpati::store
