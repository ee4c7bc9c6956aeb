#include "people/password_hasher.hpp"

#include <atomic>
#include <fstream>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>
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
    bool verify(const std::string& hash, std::string_view password) {
        const auto is_right = hasher.verify(hash, password);
        EXPECT_TRUE(is_right);
        return is_right && *is_right;
    }
    PasswordHasher hasher{cheap};
};

/// Leaves the process less memory than a hash of `dear` takes.
class ShortMemory {
public:
    static constexpr PasswordHasher::Cost dear{.passes = 1, .memory_bytes = std::size_t{1} << 30};

    ShortMemory() {
        std::size_t pages = 0;
        std::ifstream{"/proc/self/statm"} >> pages;
        EXPECT_EQ(::getrlimit(RLIMIT_AS, &before_), 0);
        auto less = before_;
        less.rlim_cur =
            pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) + dear.memory_bytes / 2;
        EXPECT_EQ(::setrlimit(RLIMIT_AS, &less), 0);
    }
    ~ShortMemory() { ::setrlimit(RLIMIT_AS, &before_); }
    ShortMemory(const ShortMemory&) = delete;
    ShortMemory& operator=(const ShortMemory&) = delete;

private:
    rlimit before_{};
};

TEST_F(PasswordHasherTest, KnowsThePasswordAgainAndNoOther) {
    const auto made = hash("kuda lumping di pasar");
    EXPECT_TRUE(made.starts_with("$argon2id$v=19$m=8,t=1,p=1$")) << made;
    EXPECT_NE(made, hash("kuda lumping di pasar"));
    EXPECT_TRUE(verify(made, "kuda lumping di pasar"));
    EXPECT_FALSE(verify(made, "kuda lumping di pasar "));
    EXPECT_FALSE(verify(made, ""));
}

TEST_F(PasswordHasherTest, NobodyHasAPassword) {
    EXPECT_FALSE(verify("", ""));
    EXPECT_FALSE(verify("", "kuda lumping di pasar"));
    EXPECT_FALSE(verify("not a hash", "kuda lumping di pasar"));
    const auto made = hash("kuda lumping di pasar");
    for (std::size_t length = 0; length < made.size(); ++length) {
        EXPECT_FALSE(verify(made.substr(0, length), "kuda lumping di pasar")) << length;
    }
    EXPECT_FALSE(verify(made + "A", "kuda lumping di pasar"));
    EXPECT_FALSE(verify(made + "$", "kuda lumping di pasar"));
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
    EXPECT_TRUE(*dearer.verify(made, "kuda lumping di pasar"));
}

TEST_F(PasswordHasherTest, AShortageOfMemoryIsNotAWrongPassword) {
    const std::string dear =
        "$argon2id$v=19$m=1048576,t=1,p=1$bWVycGF0aS1ub2JvZHktMA$"
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    PasswordHasher dearer{ShortMemory::dear};
    const ShortMemory short_memory;
    EXPECT_EQ(dearer.hash("kuda lumping di pasar").error().code, ErrorCode::busy);
    for (const auto& hash : {dear, std::string{}}) {
        const auto is_right = dearer.verify(hash, "kuda lumping di pasar");
        ASSERT_FALSE(is_right);
        EXPECT_EQ(is_right.error().code, ErrorCode::busy);
    }
}

TEST_F(PasswordHasherTest, ManyMayCallAtOnce) {
    const auto made = hash("kuda lumping di pasar");
    std::atomic<int> right = 0;
    {
        std::vector<std::jthread> threads;
        for (int number = 0; number < 8; ++number) {
            threads.emplace_back([&] { right += verify(made, "kuda lumping di pasar") ? 1 : 0; });
        }
    }
    EXPECT_EQ(right, 8);
}

}  // namespace
}  // namespace merpati::people
