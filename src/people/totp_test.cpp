#include "people/totp.hpp"

#include <chrono>

#include <gtest/gtest.h>

namespace merpati::people {
namespace {

using namespace std::chrono_literals;

Timestamp at(std::int64_t seconds) {
    return from_unix_millis(seconds * 1000);
}

// RFC 6238 appendix B, the last six of its eight digits.
TEST(TotpTest, GivesTheCodesOfTheStandard) {
    const auto secret = as_bytes("12345678901234567890");
    EXPECT_EQ(totp_code(secret, totp_step(at(59))), "287082");
    EXPECT_EQ(totp_code(secret, totp_step(at(1111111109))), "081804");
    EXPECT_EQ(totp_code(secret, totp_step(at(1111111111))), "050471");
    EXPECT_EQ(totp_code(secret, totp_step(at(1234567890))), "005924");
    EXPECT_EQ(totp_code(secret, totp_step(at(2000000000))), "279037");
    EXPECT_EQ(totp_code(secret, totp_step(at(20000000000))), "353130");
}

TEST(TotpTest, TakesTheCodesOfTheNeighbouringStepsAndNoOthers) {
    const auto secret = as_bytes("12345678901234567890");
    const auto now = at(1234567890);
    const auto step = totp_step(now);
    for (const int distance : {-1, 0, 1}) {
        EXPECT_EQ(match_totp(secret, totp_code(secret, step + distance), now), step + distance);
    }
    EXPECT_EQ(match_totp(secret, totp_code(secret, step + 2), now), std::nullopt);
    EXPECT_EQ(match_totp(secret, totp_code(secret, step - 2), now), std::nullopt);
    EXPECT_EQ(match_totp(secret, "", now), std::nullopt);
    EXPECT_EQ(match_totp(secret, totp_code(secret, step) + "0", now), std::nullopt);
    EXPECT_EQ(match_totp(as_bytes("another secret there"), totp_code(secret, step), now),
              std::nullopt);
}

TEST(TotpTest, IsHandedOverAsAuthenticatorsReadIt) {
    // RFC 4648 section 10.
    EXPECT_EQ(to_base32(as_bytes("")), "");
    EXPECT_EQ(to_base32(as_bytes("f")), "MY");
    EXPECT_EQ(to_base32(as_bytes("foob")), "MZXW6YQ");
    EXPECT_EQ(to_base32(as_bytes("foobar")), "MZXW6YTBOI");
    EXPECT_EQ(totp_uri("ani+x@toko.example", as_bytes("foobar")),
              "otpauth://totp/Merpati:ani%2Bx@toko.example?secret=MZXW6YTBOI&issuer=Merpati");
    SystemRandom random;
    EXPECT_EQ(make_totp_secret(random).size(), 20);
}

}  // namespace
}  // namespace merpati::people
