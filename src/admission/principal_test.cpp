#include "admission/principal.hpp"

#include <gtest/gtest.h>

namespace merpati::admission {
namespace {

using model::Scope;
constexpr model::AccountId own{1};
constexpr model::AccountId other{2};

Principal key_with(model::Scopes scopes) {
    model::ApiKey key{.account = own};
    key.scopes = scopes;
    AccountEntry entry;
    entry.account.id = own;
    return Principal::of(KeyEntry{.key = std::make_shared<const model::ApiKey>(key),
                                  .account = std::make_shared<const AccountEntry>(entry)});
}

Principal person_with(std::vector<model::Membership> memberships, bool is_admin = false) {
    model::Person person;
    person.is_admin = is_admin;
    person.memberships = std::move(memberships);
    return Principal::of(std::make_shared<const model::Person>(person));
}

TEST(PrincipalTest, AnyoneMayNothing) {
    const Principal anyone;
    EXPECT_FALSE(anyone.knows(own));
    EXPECT_TRUE(anyone.scopes_in(own).empty());
    EXPECT_FALSE(anyone.permits_somewhere(Scope::send));
    EXPECT_EQ(anyone.only_account(), std::nullopt);
}

TEST(PrincipalTest, AKeyMayWhatItsScopesSayInItsOwnAccount) {
    const auto key = key_with({Scope::messages_read});
    EXPECT_TRUE(key.permits(own, Scope::messages_read));
    EXPECT_FALSE(key.permits(own, Scope::messages_manage));
    EXPECT_FALSE(key.permits(other, Scope::messages_read));
    EXPECT_TRUE(key.knows(own));
    EXPECT_FALSE(key.knows(other));
    EXPECT_FALSE(key.sees_masked(own));
    EXPECT_EQ(key.only_account(), own);
}

TEST(PrincipalTest, AdministratorsMayEverythingEverywhere) {
    for (const auto& principal :
         {Principal::local(), key_with({Scope::admin}), person_with({}, true)}) {
        EXPECT_TRUE(principal.is_administrator());
        EXPECT_TRUE(principal.permits(other, Scope::account_manage));
        EXPECT_TRUE(principal.knows(other));
        EXPECT_FALSE(principal.sees_masked(other));
    }
    EXPECT_EQ(Principal::local().only_account(), std::nullopt);
}

TEST(PrincipalTest, APersonMayWhatTheRoleInEachAccountSays) {
    const auto person = person_with({{.account = own, .role = model::Role::owner, .since = {}},
                                     {.account = other, .role = model::Role::viewer, .since = {}}});
    EXPECT_TRUE(person.permits(own, Scope::account_manage));
    EXPECT_FALSE(person.permits(other, Scope::account_manage));
    EXPECT_FALSE(person.permits(own, Scope::admin));
    EXPECT_TRUE(person.permits_somewhere(Scope::account_manage));
    EXPECT_FALSE(person.permits_somewhere(Scope::admin));
    EXPECT_FALSE(person.knows({3}));
    EXPECT_FALSE(person.sees_masked(own));
    EXPECT_TRUE(person.sees_masked(other));
    EXPECT_EQ(person.only_account(), std::nullopt);
}

TEST(PrincipalTest, CoversWhatItCouldDoBeforeUnlessARightWasLost) {
    const auto owner = person_with({{.account = own, .role = model::Role::owner, .since = {}}});
    const auto viewer = person_with({{.account = own, .role = model::Role::viewer, .since = {}}});
    const auto of_both =
        person_with({{.account = own, .role = model::Role::owner, .since = {}},
                     {.account = other, .role = model::Role::viewer, .since = {}}});
    EXPECT_TRUE(owner.covers(owner));
    EXPECT_TRUE(owner.covers(viewer));
    EXPECT_TRUE(of_both.covers(owner));
    EXPECT_FALSE(viewer.covers(owner));
    EXPECT_FALSE(owner.covers(of_both));
    EXPECT_FALSE(owner.covers(person_with({}, true)));
    EXPECT_TRUE(person_with({}, true).covers(owner));
    EXPECT_FALSE(key_with({Scope::send}).covers(key_with({Scope::send, Scope::messages_read})));
    EXPECT_FALSE(owner.covers(Principal::local()));
    auto expired = owner;
    expired.expired = {own};
    EXPECT_FALSE(expired.covers(owner));
    EXPECT_TRUE(expired.covers(viewer));
    EXPECT_FALSE(expired.sees_masked(own));
}

}  // namespace
}  // namespace merpati::admission
