#include "connector/write_budget.hpp"

#include <gtest/gtest.h>

#include "testing/manual_clock.hpp"

namespace merpati::connector {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t piece = 200'000;

struct WriteBudgetTest : ::testing::Test {
    Millis take(std::int64_t account, std::int64_t device, std::size_t bytes = piece) {
        return budget.take({.value = account}, model::PhoneNumber::from_stored(device), bytes);
    }
    /// The bytes that devices 1 to `devices` of the account may write in `seconds` seconds, if each
    /// tries 100 times a second.
    std::uint64_t flood(std::int64_t account, std::int64_t devices, int seconds) {
        std::uint64_t written = 0;
        for (int turn = 0; turn < seconds * 100; ++turn) {
            for (std::int64_t device = 1; device <= devices; ++device) {
                while (take(account, 1'000 * account + device) == 0ms) {
                    written += piece;
                }
            }
            clock.advance(10ms);
        }
        return written;
    }

    testing::ManualClock clock;
    WriteBudget budget{clock};
};

constexpr auto with_burst(std::uint64_t rate, std::uint64_t seconds) {
    return rate * (seconds + WriteBudget::burst_seconds) + piece;
}

TEST_F(WriteBudgetTest, ADeviceAnAccountAndTheWorkerHaveARate) {
    EXPECT_LE(flood(1, 1, 60), with_burst(WriteBudget::device_rate, 60));
    EXPECT_LE(flood(2, 10, 60), with_burst(WriteBudget::account_rate, 60));
}

TEST_F(WriteBudgetTest, ItSaysWhenToTryAgain) {
    while (take(1, 1) == 0ms) {
    }
    const auto wait = take(1, 1);
    EXPECT_GT(wait, 0ms);
    EXPECT_LT(wait, 100ms);
    clock.advance(wait);
    EXPECT_EQ(take(1, 1), 0ms);
}

TEST_F(WriteBudgetTest, AFloodOfManyAccountsKeepsOutNoneThatWritesLittle) {
    std::uint64_t written = 0;
    for (int second = 0; second < 30; ++second) {
        for (int account = 1; account <= 8; ++account) {
            while (take(account, account) == 0ms) {
                written += piece;
            }
        }
        EXPECT_EQ(take(100, 100), 0ms) << "in second " << second;
        clock.advance(1s);
    }
    // Beyond the rate only what each account may always write.
    EXPECT_LE(written, with_burst(WriteBudget::worker_rate, 30) +
                           8 * (with_burst(WriteBudget::account_floor, 30) + piece));
}

TEST_F(WriteBudgetTest, WhatWaitedForAPhoneComesAtOnceAndALongLineAlways) {
    std::uint64_t written = 0;
    while (take(1, 1) == 0ms) {
        written += piece;
    }
    EXPECT_GE(written, WriteBudget::device_rate * (WriteBudget::burst_seconds - 1));
    EXPECT_EQ(take(2, 2, 1 << 30), 0ms);
}

}  // namespace
}  // namespace merpati::connector
