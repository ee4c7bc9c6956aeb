#include "people/sign_in_throttle.hpp"

#include <string>

#include <gtest/gtest.h>

#include "testing/manual_clock.hpp"

namespace merpati::people {
namespace {

using namespace std::chrono_literals;

struct SignInThrottleTest : ::testing::Test {
    std::chrono::seconds take(std::string_view email, std::string_view address,
                              bool is_known = false) {
        return throttle.take(email, address, is_known, clock.steady_now());
    }
    /// How many tries are allowed before one is refused.
    int tries(std::string_view email, std::string_view address, bool is_known = false) {
        int made = 0;
        while (made < 1000 && take(email, address, is_known) == 0s) {
            ++made;
        }
        return made;
    }

    merpati::testing::ManualClock clock;
    SystemRandom random;
    SignInThrottle throttle{random};
};

TEST_F(SignInThrottleTest, AnAddressTriesOnePersonAFewTimesAndThenSlowly) {
    EXPECT_EQ(tries("ani@toko.example", "203.0.113.7"), 6);
    EXPECT_EQ(take("ani@toko.example", "203.0.113.7"), 60s);
    clock.advance(59s);
    EXPECT_EQ(take("ani@toko.example", "203.0.113.7"), 1s);
    clock.advance(1s);
    EXPECT_EQ(tries("ani@toko.example", "203.0.113.7"), 1);
}

TEST_F(SignInThrottleTest, WhoIsRefusedIsNotCounted) {
    tries("ani@toko.example", "203.0.113.7");
    for (int number = 0; number < 100; ++number) {
        EXPECT_EQ(take("ani@toko.example", "203.0.113.7"), 60s);
    }
}

TEST_F(SignInThrottleTest, ASignInForgetsTheTriesOfItsPairAlone) {
    tries("ani@toko.example", "203.0.113.7");
    tries("ani@toko.example", "203.0.113.8");
    throttle.succeeded("ani@toko.example", "203.0.113.7", false);
    EXPECT_EQ(tries("ani@toko.example", "203.0.113.7"), 6);
    EXPECT_EQ(tries("ani@toko.example", "203.0.113.8"), 0);
}

TEST_F(SignInThrottleTest, AnAddressThatTriesManyPeopleIsStopped) {
    int made = 0;
    for (int person = 0; person < 1000; ++person) {
        made += take(std::to_string(person) + "@toko.example", "203.0.113.7") == 0s ? 1 : 0;
    }
    EXPECT_EQ(made, 40);
    EXPECT_EQ(take("ani@toko.example", "203.0.113.8"), 0s);
    EXPECT_EQ(throttle.take("203.0.113.7", clock.steady_now()), 6s);
    EXPECT_EQ(throttle.take("203.0.113.8", clock.steady_now()), 0s);
}

// The bad neighbour: a thousand addresses guess one person's password.
TEST_F(SignInThrottleTest, AStrangerWithManyAddressesGuessesLittleAndLocksNobodyOut) {
    int made = 0;
    for (int address = 0; address < 1000; ++address) {
        made += tries("ani@toko.example", std::to_string(address));
    }
    EXPECT_EQ(made, 20);
    EXPECT_EQ(take("ani@toko.example", "another"), 300s);
    EXPECT_EQ(take("ani@toko.example", "at home", true), 0s);
    EXPECT_EQ(take("budi@toko.example", "another"), 0s);
    clock.advance(300s);
    EXPECT_EQ(take("ani@toko.example", "another"), 0s);
}

TEST_F(SignInThrottleTest, SignInsFromAKnownAddressGiveStrangersNoGuesses) {
    for (int address = 0; address < 1000; ++address) {
        tries("ani@toko.example", std::to_string(address));
    }
    for (int time = 0; time < 10; ++time) {
        EXPECT_EQ(take("ani@toko.example", "at home", true), 0s);
        throttle.succeeded("ani@toko.example", "at home", true);
    }
    EXPECT_EQ(take("ani@toko.example", "another"), 300s);
}

TEST_F(SignInThrottleTest, ASignInFromAnUnknownAddressUsesUpNoneOfThePersonsTries) {
    for (int time = 0; time < 100; ++time) {
        EXPECT_EQ(take("ani@toko.example", std::to_string(time)), 0s);
        throttle.succeeded("ani@toko.example", std::to_string(time), false);
    }
}

TEST_F(SignInThrottleTest, AFullTableForgetsThoseWhoTriedLeast) {
    TryBuckets buckets{{.burst = 3, .every = 60s}};
    const auto now = clock.steady_now();
    for (int number = 0; number < 3; ++number) {
        buckets.take(1, now);
    }
    for (std::uint64_t key = 2; key < 10 * TryBuckets::entries_max; ++key) {
        buckets.take(key, now);
    }
    EXPECT_EQ(buckets.wait(1, now), 60s);
}

// Who guesses codes knows the password: three of a million codes are right at a time.
TEST_F(SignInThrottleTest, CodesOfTheSecondFactorAreFewFromWhereverTheyCome) {
    const auto codes = [this](std::string_view address, bool is_known = false) {
        int made = 0;
        while (made < 1000 && throttle.take_code("ani@toko.example", address, is_known,
                                                 clock.steady_now()) == 0s) {
            ++made;
        }
        return made;
    };
    EXPECT_EQ(codes("203.0.113.7"), 6);
    EXPECT_EQ(codes("203.0.113.8"), 0);
    EXPECT_EQ(codes("198.51.100.9", true), 6);
    EXPECT_EQ(codes("198.51.100.10", true), 6);
    clock.advance(59min);
    EXPECT_EQ(codes("203.0.113.8"), 0);
    clock.advance(1min);
    EXPECT_EQ(codes("203.0.113.8"), 1);
    throttle.succeeded("ani@toko.example", "203.0.113.7", false);
    EXPECT_EQ(codes("203.0.113.7"), 6);
    EXPECT_EQ(codes("198.51.100.9", true), 1);
}

}  // namespace
}  // namespace merpati::people
