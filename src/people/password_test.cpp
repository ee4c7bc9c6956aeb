#include "people/password.hpp"

#include <gtest/gtest.h>

namespace merpati::people {
namespace {

TEST(PasswordTest, TakesWhatIsLongEnoughAndNotGuessedFirst) {
    EXPECT_TRUE(check_password("kuda lumping di pasar", "ani@toko.example"));
    EXPECT_TRUE(
        check_password("\xe3\x81\x82\xe3\x81\x84\xe3\x81\x86\xe3\x81\x88"
                       "\xe3\x81\x8a\xe3\x81\x8b\xe3\x81\x8d\xe3\x81\x8f"
                       "\xe3\x81\x91\xe3\x81\x93\xe3\x81\x95\xe3\x81\x97",
                       "ani@toko.example"));  // Twelve characters, not bytes.
    EXPECT_TRUE(check_password(std::string(240, 'a') + "bcdefghi", "ani@toko.example"));
}

TEST(PasswordTest, SaysWhyItRefusesAnother) {
    const auto why = [](std::string_view password) {
        const auto checked = check_password(password, "administrator.toko@toko.example");
        return checked ? std::string{} : checked.error().detail;
    };
    EXPECT_EQ(why("kuda lumpin"), "must have at least 12 characters");
    EXPECT_EQ(why("\xe3\x81\x82\xe3\x81\x84\xe3\x81\x86\xe3\x81\x88"),
              "must have at least 12 characters");
    EXPECT_EQ(why(std::string(257, 'x')), "must have at most 256 bytes");
    EXPECT_EQ(why("kuda\nlumping di pasar"), "must be text without control characters");
    EXPECT_EQ(why("kuda lumping di \xff"), "must be text without control characters");
    for (const std::string_view password :
         {"PasswordPassword", "123456789012", "aaaaaaaaaaaaaaa", "abababababababab",
          "Administrator.Toko", "administrator.toko@toko.example"}) {
        EXPECT_EQ(why(password), "is one of those that are guessed first") << password;
    }
}

TEST(PasswordTest, OneThatIsMadeIsTaken) {
    SystemRandom random;
    const auto made = make_password(random);
    EXPECT_EQ(made.size(), 23);
    EXPECT_TRUE(check_password(made, "ani@toko.example"));
    EXPECT_NE(made, make_password(random));
}

}  // namespace
}  // namespace merpati::people
