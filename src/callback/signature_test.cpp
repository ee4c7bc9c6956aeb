#include "callback/signature.hpp"

#include <gtest/gtest.h>

namespace merpati::callback {
namespace {

const Bytes secret = *from_base64("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
constexpr auto attempted_at = from_unix_millis(1'614'265'330'999);

TEST(SignatureTest, GivesThePublishedVector) {
    EXPECT_EQ(sign(std::vector<Bytes>{secret}, "msg_p5jXN8AQM9LWM0D4loKWxJek", attempted_at,
                   R"({"test": 2432232314})"),
              "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
}

TEST(SignatureTest, SignsWithBothSecretsWhileOneIsRotated) {
    const Bytes other(32, std::byte{7});
    const auto both = sign(std::vector<Bytes>{other, secret}, "msg_p5jXN8AQM9LWM0D4loKWxJek",
                           attempted_at, R"({"test": 2432232314})");
    EXPECT_TRUE(both.ends_with(" v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="));
    EXPECT_EQ(both.find("v1,", 3), 48U);
}

TEST(SignatureTest, ShowsASecretAsItsOwnerNeedsIt) {
    EXPECT_EQ(secret_text(secret), "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
}

}  // namespace
}  // namespace merpati::callback
