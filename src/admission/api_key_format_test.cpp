#include "admission/api_key_format.hpp"

#include <gtest/gtest.h>

#include "testing/fixed_random.hpp"

namespace merpati::admission {
namespace {

/// Bytes that begin with `first` and rise by `step`.
class Steps final : public Random {
public:
    Steps(unsigned first, unsigned step) : first_(first), step_(step) {}

    void fill(std::span<std::byte> bytes) override {
        auto value = first_;
        for (auto& byte : bytes) {
            byte = std::byte(value);
            value += step_;
        }
    }

private:
    unsigned first_;
    unsigned step_;
};

TEST(ApiKeyFormatTest, TwoKeysDiffer) {
    testing::FixedRandom random;
    const auto key = make_api_key(random);
    EXPECT_EQ(key.size(), api_key_size);
    EXPECT_NE(key, make_api_key(random));
}

/// The form is fixed for ever, because scanners recognise keys by it. The checksum is the CRC-32 of
/// IEEE 802.3 over all characters before it.
TEST(ApiKeyFormatTest, AKeyIsItsBytesAndTheirChecksumInBase62) {
    Steps zeros{0, 0};
    EXPECT_EQ(make_api_key(zeros), "mpt_00000000000000000000000000000000000000000001jJeUk");
    Steps ones{0xff, 0};
    EXPECT_EQ(make_api_key(ones), "mpt_yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp14UE6ig");
    Steps rising{0, 1};
    EXPECT_EQ(make_api_key(rising), "mpt_003aUlTJC7tjlCTQj2uNU3MFagCXG9LRKRcwGkBIDlf27CjXe");
}

}  // namespace
}  // namespace merpati::admission
