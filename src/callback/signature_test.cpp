#include "callback/signature.hpp"

#include <gtest/gtest.h>

namespace merpati::callback {
namespace {

const Bytes secret = *from_base64("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
constexpr auto attempted_at = from_unix_millis(1'614'265'330'999);

std::string headers_with(const std::vector<Bytes>& secrets) {
    return signature_headers(secrets, "msg_p5jXN8AQM9LWM0D4loKWxJek", attempted_at,
                             R"({"test": 2432232314})");
}

TEST(SignatureTest, GivesThePublishedVector) {
    EXPECT_EQ(headers_with({secret}),
              "webhook-id: msg_p5jXN8AQM9LWM0D4loKWxJek\r\n"
              "webhook-timestamp: 1614265330\r\n"
              "webhook-signature: v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=\r\n");
}

TEST(SignatureTest, SignsWithBothSecretsWhileOneIsRotated) {
    const Bytes other(32, std::byte{7});
    const auto both = headers_with({other, secret});
    const auto first = both.find(": v1,") + 2;
    EXPECT_TRUE(both.ends_with(" v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=\r\n"));
    EXPECT_EQ(both.find("v1,", first + 1), first + 48U);
}

}  // namespace
}  // namespace merpati::callback
