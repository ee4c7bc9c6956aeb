#include "base/digest.hpp"

#include <gtest/gtest.h>

namespace merpati {
namespace {

TEST(DigestTest, Sha256OfAbc) {
    EXPECT_EQ(to_hex(sha256("abc")),
              "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(DigestTest, AStreamGivesTheDigestOfTheWhole) {
    Sha256Stream stream;
    stream.add(as_bytes("a"));
    stream.add(as_bytes("bc"));
    EXPECT_EQ(stream.finish(), sha256("abc"));
}

TEST(DigestTest, HmacOfRfc4231Case2) {
    EXPECT_EQ(to_hex(hmac_sha256(as_bytes("Jefe"), "what do ya want for nothing?")),
              "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

TEST(DigestTest, HmacTakesTheKeyThatIsGivenWhateverCameBefore) {
    const auto mac = [](std::string_view key, std::string_view text) {
        return to_hex(hmac_sha256(as_bytes(key), text));
    };
    const auto first = mac("one", "text");
    const auto other = mac("two", "text");
    EXPECT_NE(first, other);
    EXPECT_EQ(mac("two", "text"), other);
    EXPECT_EQ(mac("two", "text"), other);
    EXPECT_EQ(mac("one", "text"), first);
    const auto none = mac("", "text");
    EXPECT_EQ(mac("one", "text"), first);
    EXPECT_EQ(to_hex(hmac_sha256({}, "text")), none);
    EXPECT_EQ(mac("", "text"), none);
    EXPECT_NE(none, first);
    EXPECT_EQ(mac("one", "text"), first);
}

TEST(DigestTest, ComparesWholeSpans) {
    EXPECT_TRUE(equal_constant_time(as_bytes("same"), as_bytes("same")));
    EXPECT_FALSE(equal_constant_time(as_bytes("same"), as_bytes("sane")));
    EXPECT_FALSE(equal_constant_time(as_bytes("same"), as_bytes("sam")));
}

}  // namespace
}  // namespace merpati
