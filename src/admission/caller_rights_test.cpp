#include "admission/caller_rights.hpp"

#include <string_view>

#include <gtest/gtest.h>

#include "admission/checks.hpp"
#include "store/conformance/repeating_store.hpp"
#include "store/people.hpp"
#include "store/store.hpp"
#include "testing/manual_clock.hpp"
#include "testing/temporary_folder.hpp"

namespace merpati::admission {
namespace {

using namespace std::chrono_literals;
using model::Role;
using model::Scope;

/// An account with a key and a member who is signed in, in a store that the directory follows. Each
/// test changes one row after the call was admitted, and asks by the directory and by the rows.
struct CallerRightsTest : ::testing::Test {
    CallerRightsTest() {
        change([this](store::Tables& tables) -> Result<void> {
            account = *tables.create_account({.name = "Toko"});
            other = *tables.create_account({.name = "Warung"});
            key = *tables.create_key({.account = account,
                                      .digest = sha256("mpt_key"),
                                      .scopes = {Scope::send, Scope::messages_read}});
            auto& people = tables.people();
            person = people.create_person({.email = "ani@toko.example"})->id;
            session = people
                          .create_session({.person = person,
                                           .digest = sha256("token"),
                                           .created_at = clock.now(),
                                           .seen_at = clock.now()})
                          ->id;
            return put(tables, account, Role::owner);
        });
    }

    void change(std::move_only_function<Result<void>(store::Tables&)> run) {
        store::WriteBatch batch;
        batch.changes.push_back({.run = std::move(run)});
        ASSERT_TRUE(store->write(batch));
        EXPECT_TRUE(batch.changes.front().result) << batch.changes.front().result.error().detail;
        for (const auto& row : batch.row_changes) {
            directory.apply(row);
        }
    }
    Result<void> put(store::Tables& tables, model::AccountId of, Role role) {
        const auto made =
            tables.people().put_membership(person, {.account = of, .role = role, .since = {}});
        return made ? Result<void>{} : pass(made);
    }
    void expire(model::AccountId of) {
        change([&](store::Tables& tables) -> Result<void> {
            const auto made = tables.update_account(of, {.expires_at = clock.now()});
            return made ? Result<void>{} : pass(made);
        });
    }

    [[nodiscard]] Principal by_key() const {
        return *authenticate("Bearer mpt_key", directory, clock.now());
    }
    [[nodiscard]] Principal by_session() const {
        return principal_of(*directory.people().find_session(sha256("token")), directory,
                            clock.now());
    }

    /// Whether the rights are held; both ways to ask must agree.
    bool held(const Principal& principal) {
        const bool by_directory = rights.are_held(principal);
        bool by_rows = false;
        store::WriteBatch batch;
        batch.changes.push_back({.run = [&](store::Tables& tables) {
            auto confirmed = rights.confirm(tables, principal);
            by_rows = confirmed.has_value();
            return confirmed;
        }});
        EXPECT_TRUE(store->write(batch));
        EXPECT_EQ(by_directory, by_rows);
        return by_directory && by_rows;
    }
    bool permits(std::string_view actor, model::AccountId in, model::Scopes scopes) {
        bool may = false;
        change([&](store::Tables& tables) -> Result<void> {
            const auto answer = rights.permits(tables, actor, in, scopes);
            may = answer.value_or(false);
            return answer ? Result<void>{} : pass(answer);
        });
        return may;
    }
    Refusal refusal_of(const Principal& principal) {
        const auto checked = rights.check(principal);
        return checked ? Refusal::internal : checked.error();
    }

    testing::TemporaryFolder folder;
    testing::ManualClock clock;
    std::unique_ptr<store::Store> store =
        store::open_repeating_store({.url = "sqlite:" + folder.file("store.db")});
    Directory directory;
    CallerRights rights{clock, directory, {.idle = 12h, .longest = 24h}};
    model::AccountId account;
    model::AccountId other;
    model::KeyId key;
    model::PersonId person;
    model::SessionId session;
};

TEST_F(CallerRightsTest, AreHeldWhileNothingChanges) {
    EXPECT_TRUE(held(by_key()));
    EXPECT_TRUE(held(by_session()));
    EXPECT_TRUE(held(Principal::local()));
    EXPECT_TRUE(held(Principal{}));
    EXPECT_EQ(refusal_of(by_key()), Refusal::internal);
}

TEST_F(CallerRightsTest, EndWithTheKey) {
    const auto caller = by_key();
    change([this](store::Tables& tables) -> Result<void> {
        const auto revoked = tables.revoke_key(key, clock.now());
        return revoked ? Result<void>{} : pass(revoked);
    });
    EXPECT_FALSE(held(caller));
    EXPECT_FALSE(rights.renew(caller));
    EXPECT_EQ(refusal_of(caller), Refusal::key_invalid);
}

TEST_F(CallerRightsTest, EndWithTheSessionAndWithThePerson) {
    const auto caller = by_session();
    clock.advance(23h);
    (void)caller.session->note_seen({.idle = 12h, .longest = 24h}, clock.now());
    EXPECT_TRUE(held(caller));
    clock.advance(1h);
    EXPECT_FALSE(held(caller));
}

TEST_F(CallerRightsTest, EndWhenTheSessionIsEnded) {
    const auto caller = by_session();
    change([this](store::Tables& tables) -> Result<void> {
        const auto ended = tables.people().end_session(session);
        return ended ? Result<void>{} : pass(ended);
    });
    EXPECT_FALSE(held(caller));
    EXPECT_FALSE(rights.renew(caller));
}

TEST_F(CallerRightsTest, ShrinkWithTheRole) {
    const auto caller = by_session();
    change([this](store::Tables& tables) { return put(tables, account, Role::viewer); });
    EXPECT_FALSE(held(caller));
    EXPECT_FALSE(rights.renew(caller)->permits(account, Scope::messages_manage));
    EXPECT_TRUE(held(by_session()));
}

TEST_F(CallerRightsTest, AreHeldWhenTheyGrow) {
    const auto caller = by_session();
    change([this](store::Tables& tables) { return put(tables, other, Role::viewer); });
    EXPECT_TRUE(held(caller));
}

TEST_F(CallerRightsTest, ShrinkWhenTheValidityOfAnAccountEndsForKeysAndPeopleAlike) {
    const auto keys = by_key();
    const auto people = by_session();
    expire(account);
    EXPECT_FALSE(held(keys));
    EXPECT_FALSE(held(people));
    EXPECT_EQ(refusal_of(keys), Refusal::account_expired);
    for (const auto& now : {by_key(), by_session()}) {
        EXPECT_TRUE(held(now));
        EXPECT_TRUE(now.permits(account, Scope::messages_read));
        EXPECT_FALSE(now.permits(account, Scope::send));
        EXPECT_TRUE(now.lost_by_expiry(Scope::send));
        EXPECT_TRUE(now.is_expired_in(account));
    }
}

TEST_F(CallerRightsTest, OfPeopleAreThoseOfEachAccount) {
    change([this](store::Tables& tables) { return put(tables, other, Role::operator_); });
    expire(other);
    const auto caller = by_session();
    EXPECT_TRUE(caller.permits(account, Scope::send));
    EXPECT_FALSE(caller.permits(other, Scope::send));
    EXPECT_TRUE(caller.permits(other, Scope::messages_read));
    EXPECT_FALSE(caller.lost_by_expiry(Scope::send));
    EXPECT_TRUE(held(caller));
}

TEST_F(CallerRightsTest, OfAdministratorsDoNotEndWithAnAccount) {
    change([this](store::Tables& tables) -> Result<void> {
        const auto made = tables.people().update_person(person, {.is_admin = true});
        return made ? Result<void>{} : pass(made);
    });
    const auto caller = by_session();
    expire(account);
    EXPECT_TRUE(held(caller));
    EXPECT_TRUE(by_session().permits(account, Scope::account_manage));
    EXPECT_FALSE(by_session().is_expired_in(account));
}

TEST_F(CallerRightsTest, OfOneWhoIsAbsentAreThoseOfTheRow) {
    EXPECT_TRUE(permits(person.text(), account, {Scope::account_manage, Scope::send}));
    EXPECT_FALSE(permits(person.text(), other, {Scope::messages_read}));
    EXPECT_TRUE(permits(key.text(), account, {Scope::send, Scope::messages_read}));
    EXPECT_FALSE(permits(key.text(), account, {Scope::send, Scope::account_manage}));
    EXPECT_FALSE(permits(key.text(), other, {Scope::send}));
    EXPECT_TRUE(permits("local", other, {Scope::account_manage}));
    for (const std::string_view nobody : {"per_9", "key_9", "anyone", "1", ""}) {
        EXPECT_FALSE(permits(nobody, account, {Scope::messages_read})) << nobody;
    }
    change([this](store::Tables& tables) -> Result<void> {
        const auto ended = tables.people().end_session(session);
        const auto revoked = tables.revoke_key(key, clock.now());
        return !ended ? pass(ended) : !revoked ? pass(revoked) : Result<void>{};
    });
    EXPECT_TRUE(permits(person.text(), account, {Scope::send}));
    EXPECT_FALSE(permits(key.text(), account, {Scope::send}));
}

TEST_F(CallerRightsTest, OfOneWhoIsAbsentShrinkWithTheValidityOfTheAccount) {
    const auto by = {person.text(), key.text()};
    expire(account);
    for (const auto& actor : by) {
        EXPECT_FALSE(permits(actor, account, {Scope::send})) << actor;
        EXPECT_TRUE(permits(actor, account, {Scope::messages_read})) << actor;
    }
    change([this](store::Tables& tables) -> Result<void> {
        const auto made = tables.people().update_person(person, {.is_admin = true});
        return made ? Result<void>{} : pass(made);
    });
    EXPECT_TRUE(permits(person.text(), account, {Scope::send}));
    EXPECT_TRUE(permits("local", account, {Scope::send}));
}

}  // namespace
}  // namespace merpati::admission
