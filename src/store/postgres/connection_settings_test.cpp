#include "store/postgres/connection_settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace merpati::store::postgres {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(PostgresConnectionSettings, TakesSeveralHostsAndLooksForThePrimary) {
    const auto settings = ConnectionSettings::parse(
        "postgresql://merpati:p%40ss@db-1:5432,db-2:5433/gateway?sslmode=verify-full");
    ASSERT_TRUE(settings);
    EXPECT_EQ(settings->value_of("host"), "db-1,db-2");
    EXPECT_EQ(settings->value_of("port"), "5432,5433");
    EXPECT_EQ(settings->value_of("password"), "p@ss");
    EXPECT_EQ(settings->value_of("dbname"), "gateway");
    EXPECT_EQ(settings->value_of("sslmode"), "verify-full");
    EXPECT_EQ(settings->value_of("target_session_attrs"), "read-write");
    EXPECT_EQ(settings->server(), "db-1,db-2");
    EXPECT_EQ(settings->names().size(), settings->values().size());
    EXPECT_EQ(settings->names().back(), nullptr);
}

TEST(PostgresConnectionSettings, WhatTheUrlSaysStays) {
    const auto settings = ConnectionSettings::parse(
        "postgresql:///gateway?target_session_attrs=any&connect_timeout=2&client_encoding=LATIN1");
    ASSERT_TRUE(settings);
    EXPECT_EQ(settings->value_of("target_session_attrs"), "any");
    EXPECT_EQ(settings->value_of("connect_timeout"), "2");
    EXPECT_EQ(settings->value_of("client_encoding"), "UTF8");  // Texts are sent as that.
    EXPECT_EQ(settings->server(), "the local server");
}

TEST(PostgresConnectionSettings, AMalformedUrlIsRefusedAndNothingOfItIsShown) {
    for (const auto* url :
         {"postgresql://", "postgres://merpati@db/gateway", "mysql://secret@db/gateway",
          "postgresql://merpati:se@cret@db/gateway", "postgresql://merpati:secret@[::1/gateway",
          "postgresql://merpati:%zzsecret@db/gateway", "postgresql://db/gateway?secret=1",
          "postgresql://merpati:secret@db/gateway?sslmode"}) {
        const auto settings = ConnectionSettings::parse(url);
        ASSERT_FALSE(settings) << url;
        EXPECT_EQ(settings.error().code, ErrorCode::invalid_argument);
        EXPECT_THAT(settings.error().detail, Not(HasSubstr("secret")));
        EXPECT_THAT(settings.error().detail, Not(HasSubstr("cret")));
        EXPECT_THAT(settings.error().detail, HasSubstr("store.url"));
    }
}

}  // namespace
}  // namespace merpati::store::postgres
