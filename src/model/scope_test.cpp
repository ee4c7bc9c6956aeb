#include "model/scope.hpp"

#include <gtest/gtest.h>

namespace merpati::model {
namespace {

TEST(ScopesTest, AreReadAndPrintedInOneForm) {
    const auto read = Scopes::parse("messages:read,send");
    ASSERT_TRUE(read);
    EXPECT_EQ(read->text(), "send,messages:read");
    EXPECT_EQ(Scopes::parse(Scopes::all().text()), Scopes::all());
    for (const auto* text : {"", ",", "send,", "send,send", "Send", "send, admin", "everything"}) {
        EXPECT_EQ(Scopes::parse(text), std::nullopt) << text;
    }
}

TEST(ScopesTest, ContainOthers) {
    const Scopes some{Scope::send, Scope::account_read};
    EXPECT_TRUE(some.has(Scope::send));
    EXPECT_FALSE(some.has(Scope::admin));
    EXPECT_TRUE(Scopes::all().contains(some));
    EXPECT_FALSE(some.contains(Scopes::all()));
    EXPECT_TRUE(some.contains({}));
}

TEST(RoleTest, GivesNobodyTheServer) {
    for (const auto role : {Role::owner, Role::operator_, Role::viewer}) {
        EXPECT_FALSE(scopes_of(role).has(Scope::admin));
        EXPECT_EQ(parse_role(to_string(role)), role);
    }
    EXPECT_TRUE(scopes_of(Role::owner).contains(scopes_of(Role::operator_)));
    EXPECT_TRUE(scopes_of(Role::operator_).contains(scopes_of(Role::viewer)));
    EXPECT_FALSE(scopes_of(Role::viewer).has(Scope::send));
    EXPECT_TRUE(scopes_of(Role::viewer).has(Scope::campaigns_read));
    EXPECT_FALSE(scopes_of(Role::viewer).has(Scope::campaigns_manage));
    EXPECT_TRUE(scopes_of(Role::operator_).has(Scope::campaigns_manage));
}

TEST(RoleTest, AViewerHasOnlyWhatReads) {
    EXPECT_EQ(scopes_of(Role::viewer), reading_scopes);
}

}  // namespace
}  // namespace merpati::model
