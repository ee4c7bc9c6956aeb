#include "media/turns.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace merpati::media {
namespace {

struct TurnsTest : ::testing::Test {
    bool ask(const std::string& host, const std::string& name) {
        return turns.ask(host, [this, name] {
            gone.push_back(name);
            return true;
        });
    }

    Turns turns{2, 3, 10'000};
    std::vector<std::string> gone;
};

TEST_F(TurnsTest, AreLimitedAtOneHostAndInAll) {
    for (const auto* name : {"a1", "a2", "a3"}) {
        EXPECT_TRUE(ask("a", name));
    }
    EXPECT_EQ(gone, (std::vector<std::string>{"a1", "a2"}));
    EXPECT_TRUE(ask("b", "b1"));
    EXPECT_TRUE(ask("c", "c1"));
    EXPECT_EQ(gone, (std::vector<std::string>{"a1", "a2", "b1"}));
    turns.release("b");
    EXPECT_EQ(gone.back(), "c1");
    EXPECT_EQ(turns.in_flight(), 3U);
    EXPECT_EQ(turns.waiting(), 1U);
}

TEST_F(TurnsTest, GoRoundTheHosts) {
    for (int number = 0; number < 100; ++number) {
        EXPECT_TRUE(ask("a", "a"));
    }
    EXPECT_TRUE(ask("b", "b"));
    EXPECT_TRUE(ask("c", "c"));
    EXPECT_EQ(gone, (std::vector<std::string>{"a", "a", "b"}));
    turns.release("a");
    EXPECT_EQ(gone.back(), "c");
    turns.release("b");
    EXPECT_EQ(gone.back(), "a");
}

TEST_F(TurnsTest, PassOverThoseWhoGaveUp) {
    EXPECT_TRUE(ask("a", "a1"));
    EXPECT_TRUE(ask("a", "a2"));
    int asked = 0;
    for (int number = 0; number < 5'000; ++number) {
        EXPECT_TRUE(turns.ask("a", [&asked] {
            ++asked;
            return false;
        }));
    }
    EXPECT_TRUE(ask("a", "a3"));
    turns.release("a");
    EXPECT_EQ(asked, 5'000);
    EXPECT_EQ(gone.back(), "a3");
    EXPECT_EQ(turns.in_flight(), 2U);
    EXPECT_EQ(turns.waiting(), 0U);
}

TEST_F(TurnsTest, AreRefusedWhenTooManyWait) {
    Turns small{1, 1, 2};
    int gone_here = 0;
    const auto go = [&gone_here] { return ++gone_here > 0; };
    EXPECT_TRUE(small.ask("a", go));
    EXPECT_TRUE(small.ask("a", go));
    EXPECT_TRUE(small.ask("b", go));
    EXPECT_FALSE(small.ask("c", go));
    EXPECT_EQ(gone_here, 1);
}

TEST_F(TurnsTest, MayBeAskedForAndGivenBackWithinATurn) {
    int rounds = 0;
    std::function<bool()> go = [&] {
        if (++rounds < 1'000) {
            EXPECT_TRUE(turns.ask("a", go));
        }
        return false;
    };
    EXPECT_TRUE(turns.ask("a", go));
    EXPECT_EQ(rounds, 1'000);
    EXPECT_EQ(turns.in_flight(), 0U);
}

TEST_F(TurnsTest, AreForgottenWhenCleared) {
    for (const auto* name : {"a1", "a2", "a3"}) {
        EXPECT_TRUE(ask("a", name));
    }
    turns.clear();
    turns.release("a");
    turns.release("a");
    EXPECT_EQ(gone.size(), 2U);
    EXPECT_EQ(turns.in_flight(), 0U);
}

}  // namespace
}  // namespace merpati::media
