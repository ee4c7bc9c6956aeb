#include "base/encoding.hpp"

#include <algorithm>
#include <array>

#include <gtest/gtest.h>

namespace merpati {
namespace {

TEST(EncodingTest, Base64RoundTrip) {
    for (const auto* text : {"", "f", "fo", "foo", "foob", "fooba", "foobar"}) {
        const auto bytes = from_base64(to_base64(as_bytes(text)));
        ASSERT_TRUE(bytes) << text;
        EXPECT_EQ(std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size()), text);
    }
    EXPECT_EQ(to_base64(as_bytes("foobar")), "Zm9vYmFy");
}

TEST(EncodingTest, Base64OfUrlsHasOneFormWithoutPadding) {
    for (const std::string text : {"", "f", "fo", "foo", "\xfb\xff\xfe"}) {
        const auto encoded = to_base64url(as_bytes(text));
        const auto bytes = from_base64url(encoded);
        ASSERT_TRUE(bytes) << encoded;
        EXPECT_TRUE(std::ranges::equal(*bytes, as_bytes(text)));
    }
    EXPECT_EQ(to_base64url(as_bytes("\xfb\xff\xfe!")), "-__-IQ");
    for (const auto* text :
         {"-__-IQ==", "+__-IQ", "-//-IQ", "-__-IR", "-__-I", "-__-IQ\n", "-__-I Q"}) {
        EXPECT_FALSE(from_base64url(text)) << text;
    }
}

TEST(EncodingTest, RefusesWhatIsNotBase64) {
    for (const auto* text :
         {"Zg=", "Zg", "Z===", "Zm9v Zm8", "Zm9v\n", "Zm9_", "=m9v", "Zg=A", "Zh==", "Zm9="}) {
        EXPECT_FALSE(from_base64(text)) << text;
    }
}

TEST(EncodingTest, Base62IsPaddedAndOrdered) {
    const std::array<std::byte, 2> small{std::byte{0}, std::byte{61}};
    const std::array<std::byte, 2> large{std::byte{0}, std::byte{62}};
    EXPECT_EQ(to_base62(small, 3), "00z");
    EXPECT_EQ(to_base62(large, 3), "010");
}

TEST(EncodingTest, Base62Of32BytesFitsIn43Characters) {
    const std::array<std::byte, 32> highest = [] {
        std::array<std::byte, 32> bytes;
        bytes.fill(std::byte{255});
        return bytes;
    }();
    EXPECT_EQ(to_base62(highest, 43).size(), 43U);
}

TEST(EncodingTest, Crc32OfTheCheckString) {
    EXPECT_EQ(crc32("123456789"), 0xCBF43926U);
}

}  // namespace
}  // namespace merpati
