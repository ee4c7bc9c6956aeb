#include "people/token.hpp"

#include <set>

#include <gtest/gtest.h>

namespace merpati::people {
namespace {

TEST(TokenTest, IsFoundByItsDigestAlone) {
    SystemRandom random;
    const auto token = make_token(random);
    EXPECT_EQ(token.size(), 43);
    EXPECT_NE(token, make_token(random));
    EXPECT_EQ(token_digest(token), sha256(token));
    EXPECT_EQ(token_digest(""), std::nullopt);
    EXPECT_EQ(token_digest(token + "x"), std::nullopt);
    EXPECT_EQ(token_digest(std::string(42, 'a') + ";"), std::nullopt);
}

TEST(RecoveryCodeTest, IsReadHoweverItIsTyped) {
    SystemRandom random;
    const auto codes = make_recovery_codes(random);
    EXPECT_EQ(std::set<std::string>(codes.begin(), codes.end()).size(), recovery_codes_count);
    const auto& code = codes.front();
    EXPECT_EQ(code.size(), 19);
    const auto digest = recovery_digest(code);
    ASSERT_TRUE(digest);
    std::string typed;
    for (const char c : code) {
        if (c != '-') {
            typed += static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
            typed += ' ';
        }
    }
    EXPECT_EQ(recovery_digest(typed), digest);
    EXPECT_NE(recovery_digest(codes.back()), digest);
    EXPECT_EQ(recovery_digest(code.substr(1)), std::nullopt);
    EXPECT_EQ(recovery_digest(code + "a"), std::nullopt);
    EXPECT_EQ(recovery_digest("1111-1111-1111-1111"), std::nullopt);
}

}  // namespace
}  // namespace merpati::people
