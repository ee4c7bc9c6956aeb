#include "forwarding/caller.hpp"

#include <gtest/gtest.h>

namespace merpati::forwarding {
namespace {

TEST(CallerTest, ItsTextSaysHowItCame) {
    const Caller caller{.peer = *http::PeerAddress::parse("203.0.113.7"), .is_encrypted = true};
    EXPECT_EQ(text_of(caller), "203.0.113.7 tls");
    const Caller local{
        .peer = {}, .from_loopback = true, .from_local_socket = true, .peer_user = 1000U};
    EXPECT_EQ(text_of(local), "local loopback socket user=1000");
}

TEST(CallerTest, IsReadAsItWasWritten) {
    for (const auto* text : {"203.0.113.7", "203.0.113.7 tls", "127.0.0.1 loopback",
                             "2001:db8:1:2::", "local loopback socket user=1000"}) {
        const auto caller = parse_caller(text);
        ASSERT_TRUE(caller) << text;
        EXPECT_EQ(text_of(*caller), text);
    }
}

TEST(CallerTest, AnotherTextIsNone) {
    for (const auto* text : {"", "somebody", "203.0.113.7 root", "203.0.113.7 user=",
                             "203.0.113.7 user=-1", "203.0.113.7 user=1x", "203.0.113.7  tls"}) {
        EXPECT_FALSE(parse_caller(text)) << text;
    }
}

}  // namespace
}  // namespace merpati::forwarding
