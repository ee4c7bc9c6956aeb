#include "api/manage/engine/call_threads.hpp"

#include <future>
#include <latch>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace merpati::api::manage {
namespace {

constexpr Share local{.kind = Share::Kind::local};
Share account(std::int64_t id) {
    return {.kind = Share::Kind::account, .id = id};
}

Share strangers(std::int64_t network) {
    return {.kind = Share::Kind::strangers, .id = network};
}

struct CallThreadsTest : ::testing::Test {
    /// Also releases the jobs that a failed test holds, so that it ends.
    ~CallThreadsTest() override {
        release_one();
        release();
        threads.stop();
    }
    void release() { open(released); }

    /// Gives one thread back, of the job that was held by `hold_first`: it serves what waits alone,
    /// so the order of what is done is the order in which it was taken.
    void release_one() { open(first_released); }

    /// Adds a job that occupies its thread until `release`, and waits until it has begun.
    CallThreads::Put hold(Share share) { return hold(share, released); }
    CallThreads::Put hold_first(Share share) { return hold(share, first_released); }

    static void open(std::latch& latch) {
        if (!latch.try_wait()) {
            latch.count_down();
        }
    }
    CallThreads::Put hold(Share share, std::latch& until) {
        auto begun = std::make_shared<std::promise<void>>();
        auto has_begun = begun->get_future();
        const auto put = threads.put(share, [&until, begun](bool) {
            begun->set_value();
            until.wait();
        });
        if (put == CallThreads::Put::taken) {
            has_begun.wait();
        }
        return put;
    }
    CallThreads::Put queue(Share share, char letter = 'x') {
        return threads.put(share, [this, letter](bool proceed) {
            const std::lock_guard lock{mutex};
            done += proceed ? letter : '-';
        });
    }
    void wait_for(Share share) {
        auto reached = std::make_shared<std::promise<void>>();
        auto has = reached->get_future();
        EXPECT_EQ(threads.put(share, [reached](bool) { reached->set_value(); }),
                  CallThreads::Put::taken);
        has.wait();
    }

    CallThreads threads{"test"};
    std::latch released{1};
    std::latch first_released{1};
    std::mutex mutex;
    std::string done;
};

TEST_F(CallThreadsTest, OneAccountTakesNeitherAllThreadsNorAllPlaces) {
    threads.start();
    ASSERT_EQ(hold(account(1)), CallThreads::Put::taken);
    for (std::size_t job = 0; job < CallThreads::waiting_max; ++job) {
        ASSERT_EQ(queue(account(1)), CallThreads::Put::taken);
    }
    EXPECT_EQ(queue(account(1)), CallThreads::Put::share_full);
    wait_for(account(2));  // While the first account has no thread and no place left.
    wait_for(local);
    EXPECT_EQ(done, "");
    release();
}

TEST_F(CallThreadsTest, StrangersFromEverywhereKeepNobodyOutWhoIsKnown) {
    const Share known{.kind = Share::Kind::known_address, .id = 1};
    threads.start();
    ASSERT_EQ(hold_first(strangers(1)), CallThreads::Put::taken);
    ASSERT_EQ(hold(strangers(2)), CallThreads::Put::taken);
    for (std::size_t number = 0; number < CallThreads::strangers_max; ++number) {
        ASSERT_EQ(queue(strangers(static_cast<std::int64_t>(number) + 100)),
                  CallThreads::Put::taken);
    }
    EXPECT_EQ(queue(strangers(99)), CallThreads::Put::full) << "as many networks have a place each";
    ASSERT_EQ(queue(known, 'k'), CallThreads::Put::taken);
    ASSERT_EQ(queue(account(7), 'a'), CallThreads::Put::taken);
    release_one();
    wait_for(account(8));
    const std::lock_guard lock{mutex};
    EXPECT_LE(done.find('k'), 4U) << done;
    EXPECT_LE(done.find('a'), 6U) << done;
}

TEST_F(CallThreadsTest, AStrangerFindsAPlaceBesideANetworkThatHasMany) {
    threads.start();
    ASSERT_EQ(hold_first(strangers(1)), CallThreads::Put::taken);
    ASSERT_EQ(hold(strangers(2)), CallThreads::Put::taken);
    std::size_t networks = 0;
    for (std::size_t place = 0; place < CallThreads::strangers_max; ++place) {
        networks += place % CallThreads::waiting_max == 0 ? 1 : 0;
        ASSERT_EQ(queue(strangers(static_cast<std::int64_t>(networks) + 100)),
                  CallThreads::Put::taken);
    }
    ASSERT_EQ(queue(strangers(99), 'h'), CallThreads::Put::taken);
    {
        const std::lock_guard lock{mutex};
        EXPECT_EQ(done, "-") << "one lost its place";
    }
    release_one();
    wait_for(strangers(98));
    const std::lock_guard lock{mutex};
    EXPECT_LE(done.find('h'), networks + 3) << done;
}

TEST_F(CallThreadsTest, TheLocalOperatorHasAThreadThoughAccountsTakeTheOthers) {
    threads.start();
    for (std::size_t number = 1; number < CallThreads::threads_count; ++number) {
        ASSERT_EQ(hold(account(static_cast<std::int64_t>(number))), CallThreads::Put::taken);
    }
    EXPECT_EQ(queue(account(99)), CallThreads::Put::taken);
    wait_for(local);
    EXPECT_EQ(done, "");
    release();
    wait_for(account(99));
    EXPECT_EQ(done, "x");
}

TEST_F(CallThreadsTest, AccountsThatWaitAreServedInTurn) {
    threads.start();
    ASSERT_EQ(hold_first(account(8)), CallThreads::Put::taken);
    ASSERT_EQ(hold(account(9)),
              CallThreads::Put::taken);  // The last thread is the local operator's.
    for (const char letter : {'a', 'a', 'a'}) {
        ASSERT_EQ(queue(account(1), letter), CallThreads::Put::taken);
    }
    ASSERT_EQ(queue(account(2), 'b'), CallThreads::Put::taken);
    auto after = std::make_shared<std::promise<void>>();
    auto reached = after->get_future();
    ASSERT_EQ(threads.put(account(2), [after](bool) { after->set_value(); }),
              CallThreads::Put::taken);
    release_one();
    reached.wait();
    const std::lock_guard lock{mutex};
    EXPECT_LE(done.find('b'), 2U) << done;  // Not behind all jobs of the first account.
}

TEST_F(CallThreadsTest, ThePlacesOfTheNetworkAreLimitedTogether) {
    threads.start();
    ASSERT_EQ(hold(account(100'001)), CallThreads::Put::taken);
    ASSERT_EQ(hold(account(100'002)), CallThreads::Put::taken);
    auto id = std::int64_t{0};
    for (std::size_t job = 0; job < CallThreads::network_max; ++job) {
        ASSERT_EQ(queue(account(++id)), CallThreads::Put::taken);
    }
    EXPECT_EQ(queue(account(++id)), CallThreads::Put::full);
    EXPECT_TRUE(threads.go_on(account(1), [](bool) {}));
    wait_for(local);
    release();
}

TEST_F(CallThreadsTest, AnAccountFindsAPlaceThoughOthersHaveTakenAll) {
    threads.start();
    ASSERT_EQ(hold(account(100'001)), CallThreads::Put::taken);
    ASSERT_EQ(hold(account(100'002)), CallThreads::Put::taken);
    for (std::size_t job = 0; job < CallThreads::network_max; ++job) {
        ASSERT_EQ(queue(account(static_cast<std::int64_t>(job / CallThreads::waiting_max))),
                  CallThreads::Put::taken);
    }
    EXPECT_EQ(queue(strangers(1)), CallThreads::Put::full)
        << "strangers displace none who is known";
    EXPECT_EQ(queue(account(99), 'h'), CallThreads::Put::taken);
    {
        const std::lock_guard lock{mutex};
        EXPECT_EQ(done, "-") << "one lost its place";
    }
    release();
    wait_for(local);
}

TEST_F(CallThreadsTest, AJobThatThrowsTakesNoThreadAlong) {
    std::vector<std::string> faults;
    threads.on_fault = [&](const Error& fault) {
        const std::lock_guard lock{mutex};
        faults.push_back(fault.detail);
    };
    threads.start();
    const auto kept = std::make_shared<int>();
    for (std::size_t job = 0; job < CallThreads::threads_count + 1; ++job) {
        ASSERT_EQ(threads.put(account(1),
                              [kept](bool) { throw std::runtime_error{std::to_string(*kept)}; }),
                  CallThreads::Put::taken);
    }
    wait_for(account(1));  // Behind all of them: the share has its place again.
    wait_for(local);
    EXPECT_EQ(kept.use_count(), 1) << "a job that threw was not destroyed";
    threads.stop();
    EXPECT_THAT(faults, ::testing::Each(::testing::HasSubstr("threw: 0")));
    EXPECT_EQ(faults.size(), CallThreads::threads_count + 1);
}

TEST_F(CallThreadsTest, WhatWaitsWhenTheyStopIsRefused) {
    EXPECT_EQ(queue(local), CallThreads::Put::full);  // The threads do not run yet.
    threads.start();
    ASSERT_EQ(hold(account(1)), CallThreads::Put::taken);
    ASSERT_EQ(queue(account(1)), CallThreads::Put::taken);
    const auto stopped = std::async(std::launch::async, [this] { threads.stop(); });
    while (threads.go_on(account(1), [](bool) {})) {
        std::this_thread::yield();
    }
    release();
    stopped.wait();
    EXPECT_EQ(done, "-");
    EXPECT_EQ(queue(account(1)), CallThreads::Put::full);
}

}  // namespace
}  // namespace merpati::api::manage
