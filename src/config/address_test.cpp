#include "config/address.hpp"

#include <gtest/gtest.h>

namespace merpati::config {
namespace {

TEST(AddressTest, ListensOnLiteralsWithAPort) {
    for (const auto* text : {"127.0.0.1:8080", "0.0.0.0:0", "[::1]:8080", "[::]:65535"}) {
        EXPECT_TRUE(is_listen_address(text)) << text;
    }
    for (const auto* text :
         {"", ":8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "::1:8080", "localhost:8080",
          "127.0.0.1:+1", "127.0.0.1:080", "[127.0.0.1]:1", "256.0.0.1:1", "127.0.0.1:80 "}) {
        EXPECT_FALSE(is_listen_address(text)) << text;
    }
    EXPECT_FALSE(is_listen_address(std::string_view{"127.0.0.1\0x:80", 14}));
}

TEST(AddressTest, KnowsRanges) {
    for (const auto* text : {"10.0.0.0/8", "127.0.0.1", "0.0.0.0/0", "::1/128", "fd00::/8"}) {
        EXPECT_TRUE(is_cidr(text)) << text;
    }
    for (const auto* text : {"", "10.0.0.0/33", "10.0.0.0/", "10.0.0/8", "::1/129", "host/8",
                             "10.0.0.0/-1", "10.0.0.0/8/8"}) {
        EXPECT_FALSE(is_cidr(text)) << text;
    }
}

TEST(AddressTest, KnowsTheStores) {
    EXPECT_TRUE(is_store_url("sqlite:/var/lib/merpati/merpati.db"));
    EXPECT_TRUE(is_store_url("postgresql://db/merpati"));
    EXPECT_FALSE(is_store_url("sqlite:"));
    EXPECT_FALSE(is_store_url("mysql://db/merpati"));
    EXPECT_FALSE(is_store_url("merpati.db"));
}

TEST(AddressTest, HidesThePasswordAlone) {
    EXPECT_EQ(mask_password("sqlite:merpati.db"), "sqlite:merpati.db");
    EXPECT_EQ(mask_password("postgresql://db:5432/x"), "postgresql://db:5432/x");
    EXPECT_EQ(mask_password("postgresql://u:s3cret@db:5432/x"), "postgresql://u:***@db:5432/x");
    EXPECT_EQ(mask_password("postgresql://u:s@3@db/x"), "postgresql://u:***@db/x");
    EXPECT_EQ(mask_password("postgresql://u:s3cret@[::1]:5432,db2:1/x"),
              "postgresql://u:***@[::1]:5432,db2:1/x");
    EXPECT_EQ(mask_password("postgresql://db/x?password=s3cret&sslmode=require"),
              "postgresql://db/x?password=***&sslmode=require");
    EXPECT_EQ(mask_password("postgresql://db/x?sslmode=require&password=s3cret"),
              "postgresql://db/x?sslmode=require&password=***");
    EXPECT_EQ(mask_password("postgresql://db/x?sslpassword=s3cret&sslmode=require"),
              "postgresql://db/x?sslpassword=***&sslmode=require");
    EXPECT_EQ(mask_password("postgresql://db/x?p%61ssword=s3cret&PASSWORD=s3cret"),
              "postgresql://db/x?p%61ssword=***&PASSWORD=***");
    EXPECT_EQ(mask_password("postgresql://db/x?password=s3&cret"),
              "postgresql://db/x?password=***&***");
    const auto* harmless = "postgresql://db/x?passfile=/etc/pgpass&options=-csearch_path%3Dm";
    EXPECT_EQ(mask_password(harmless), harmless);
}

TEST(AddressTest, ShowsNothingOfAMistypedUrl) {
    for (const auto* text : {"postgresql:/u:s3cret@db/x", "postgresql:u:s3cret@db/x",
                             "host=db user=u password=s3cret", "u:s3cret@db"}) {
        EXPECT_EQ(mask_password(text), "***");
    }
    EXPECT_EQ(mask_password("sqlite:/srv/a=b@c.db"), "sqlite:/srv/a=b@c.db");
    EXPECT_EQ(mask_password("merpati.db"), "merpati.db");
}

TEST(AddressTest, ShowsNoPartOfAPasswordThatIsNotPercentEncoded) {
    for (const auto* url :
         {"postgresql://u:s3#cret@db/x", "postgresql://u:s3?cret@db/x", "postgresql://u:s3/cret@db",
          "postgresql://u:s3cret", "postgresql://u:s3cret/x", "postgresql://db/x?password=s3@cret",
          "postgresql://db/x?password=s3#cret", "postgresql://u:s3:cret/x",
          "postgresql://db/x@u:s3cret", "postgresql://u:s3@cret:s3cret/x"}) {
        EXPECT_EQ(mask_password(url), "postgresql://***") << url;
    }
}

}  // namespace
}  // namespace merpati::config
