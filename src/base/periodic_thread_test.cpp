// Rounds, pauses, and their end.
#include "base/periodic_thread.hpp"

#include <chrono>
#include <semaphore>

#include <gtest/gtest.h>

namespace merpati {
namespace {

using namespace std::chrono_literals;

TEST(PeriodicThread, GoesRoundAfterRound) {
    std::counting_semaphore<> rounds{0};
    PeriodicThread thread;
    thread.start("rounds", 0ms, [&] {
        rounds.release();
        return 1ms;
    });
    for (int round = 0; round < 3; ++round) {
        rounds.acquire();
    }
}

TEST(PeriodicThread, StopEndsAPauseAndNoRoundFollows) {
    std::counting_semaphore<> rounds{0};
    PeriodicThread thread;
    thread.start("rounds", 0ms, [&] {
        rounds.release();
        return 1h;
    });
    rounds.acquire();
    thread.stop();
    thread.stop();
    EXPECT_FALSE(rounds.try_acquire());
    PeriodicThread never;
    never.stop();
    PeriodicThread late;
    late.start("late", 1h, [&] {
        rounds.release();
        return std::nullopt;
    });
    late.stop();
    EXPECT_FALSE(rounds.try_acquire());
}

TEST(PeriodicThread, WakeEndsAPauseWithoutEndAlsoWhereItComesBeforeIt) {
    std::counting_semaphore<> rounds{0};
    PeriodicThread thread;
    int count = 0;
    thread.start("rounds", std::nullopt, [&]() -> PeriodicThread::Pause {
        if (++count == 1) {
            thread.wake();
        }
        rounds.release();
        return std::nullopt;
    });
    thread.wake();
    rounds.acquire();
    rounds.acquire();
}

}  // namespace
}  // namespace merpati
