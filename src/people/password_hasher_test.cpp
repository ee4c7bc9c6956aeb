#include "people/password_hasher.hpp"

#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sodium.h>

namespace merpati::people {
namespace {

constexpr PasswordHasher::Cost cheap{.passes = 1, .memory_bytes = 8192};

struct PasswordHasherTest : ::testing::Test {
    std::string hash(std::string_view password) {
        auto made = hasher.hash(password);
        EXPECT_TRUE(made);
        return made ? *made : std::string{};
    }
    PasswordHasher hasher{cheap};
};

TEST_F(PasswordHasherTest, KnowsThePasswordAgainAndNoOther) {
    const auto made = hash("kuda lumping di pasar");
    EXPECT_TRUE(made.starts_with("$argon2id$v=19$m=8,t=1,p=1$")) << made;
    EXPECT_NE(made, hash("kuda lumping di pasar"));
    EXPECT_TRUE(hasher.verify(made, "kuda lumping di pasar"));
    EXPECT_FALSE(hasher.verify(made, "kuda lumping di pasar "));
    EXPECT_FALSE(hasher.verify(made, ""));
}

TEST_F(PasswordHasherTest, NobodyHasAPassword) {
    EXPECT_FALSE(hasher.verify("", ""));
    EXPECT_FALSE(hasher.verify("", "kuda lumping di pasar"));
    EXPECT_FALSE(hasher.verify("not a hash", "kuda lumping di pasar"));
}

// If the hash of nobody were malformed, the library would refuse it without doing the work.
TEST_F(PasswordHasherTest, NobodysHashIsWorkedOnLikeAnyOther) {
    std::string of_nobody =
        "$argon2id$v=19$m=8,t=1,p=1$bWVycGF0aS1ub2JvZHktMA$"
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    of_nobody.resize(crypto_pwhash_STRBYTES, '\0');
    EXPECT_EQ(crypto_pwhash_str_needs_rehash(of_nobody.data(), 1, 8192), 0);
    EXPECT_FALSE(hasher.is_outdated(of_nobody));
}

TEST_F(PasswordHasherTest, TellsAHashOfAnotherCost) {
    const auto made = hash("kuda lumping di pasar");
    EXPECT_FALSE(hasher.is_outdated(made));
    PasswordHasher dearer{{.passes = 2, .memory_bytes = 16384}};
    EXPECT_TRUE(dearer.is_outdated(made));
    EXPECT_TRUE(dearer.verify(made, "kuda lumping di pasar"));
}

TEST_F(PasswordHasherTest, ManyMayCallAtOnce) {
    const auto made = hash("kuda lumping di pasar");
    std::atomic<int> right = 0;
    {
        std::vector<std::jthread> threads;
        for (int number = 0; number < 8; ++number) {
            threads.emplace_back(
                [&] { right += hasher.verify(made, "kuda lumping di pasar") ? 1 : 0; });
        }
    }
    EXPECT_EQ(right, 8);
}

}  // namespace
}  // namespace merpati::people
