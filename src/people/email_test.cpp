#include "people/email.hpp"

#include <gtest/gtest.h>

namespace merpati::people {
namespace {

TEST(EmailTest, IsComparedInOneForm) {
    EXPECT_EQ(normalised_email(" Ani.Sari+kasir@Toko.Example\n"), "ani.sari+kasir@toko.example");
    EXPECT_EQ(normalised_email("ops@localhost"), "ops@localhost");
    EXPECT_EQ(normalised_email("o'neil/x@a-b.example"), "o'neil/x@a-b.example");
}

TEST(EmailTest, WhatIsNoneIsRefused) {
    for (const std::string_view text :
         {"", " ", "ani", "@toko.example", "ani@", "ani@@toko.example", "ani@toko..example",
          "ani@.example", "ani@-toko.example", "ani@toko-.example", "ani sari@toko.example",
          "ani@toko.example\r\nBcc: x@y.example", "ani@toko_example", "an\xc3\xad@toko.example",
          "ani@toko.example.", "\"ani\"@toko.example", "ani@[127.0.0.1]", "a\0b@c.example"}) {
        EXPECT_EQ(normalised_email(text), std::nullopt) << text;
    }
    EXPECT_TRUE(normalised_email(std::string(64, 'a') + "@b.example"));
    EXPECT_FALSE(normalised_email(std::string(65, 'a') + "@b.example"));
    EXPECT_FALSE(normalised_email("a@" + std::string(64, 'b') + ".example"));
    std::string long_domain = "a@";
    for (int label = 0; label < 26; ++label) {
        long_domain += "123456789.";
    }
    EXPECT_FALSE(normalised_email(long_domain + "example"));
}

}  // namespace
}  // namespace merpati::people
