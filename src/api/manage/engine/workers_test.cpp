#include "api/manage/engine/workers.hpp"

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

struct WorkersTest : ::testing::Test {
    /// Also releases the jobs that a failed test holds, so that it ends.
    ~WorkersTest() override {
        release_one();
        release();
        workers.stop();
    }
    void release() { open(released); }

    /// Gives one thread back, of the job that was held by `hold_first`: it serves what waits alone,
    /// so the order of what is done is the order in which it was taken.
    void release_one() { open(first_released); }

    /// Adds a job that occupies its thread until `release`, and waits until it has begun.
    Workers::Put hold(Share share) { return hold(share, released); }
    Workers::Put hold_first(Share share) { return hold(share, first_released); }

    static void open(std::latch& latch) {
        if (!latch.try_wait()) {
            latch.count_down();
        }
    }
    Workers::Put hold(Share share, std::latch& until) {
        auto begun = std::make_shared<std::promise<void>>();
        auto has_begun = begun->get_future();
        const auto put = workers.put(share, [&until, begun](bool) {
            begun->set_value();
            until.wait();
        });
        if (put == Workers::Put::taken) {
            has_begun.wait();
        }
        return put;
    }
    Workers::Put queue(Share share, char letter = 'x') {
        return workers.put(share, [this, letter](bool proceed) {
            const std::lock_guard lock{mutex};
            done += proceed ? letter : '-';
        });
    }
    void wait_for(Share share) {
        auto reached = std::make_shared<std::promise<void>>();
        auto has = reached->get_future();
        EXPECT_EQ(workers.put(share, [reached](bool) { reached->set_value(); }),
                  Workers::Put::taken);
        has.wait();
    }

    Workers workers{"test"};
    std::latch released{1};
    std::latch first_released{1};
    std::mutex mutex;
    std::string done;
};

TEST_F(WorkersTest, OneAccountTakesNeitherAllThreadsNorAllPlaces) {
    workers.start();
    ASSERT_EQ(hold(account(1)), Workers::Put::taken);
    for (std::size_t job = 0; job < Workers::waiting_max; ++job) {
        ASSERT_EQ(queue(account(1)), Workers::Put::taken);
    }
    EXPECT_EQ(queue(account(1)), Workers::Put::share_full);
    wait_for(account(2));  // While the first account has no thread and no place left.
    wait_for(local);
    EXPECT_EQ(done, "");
    release();
}

TEST_F(WorkersTest, StrangersFromEverywhereKeepNobodyOutWhoIsKnown) {
    const Share known{.kind = Share::Kind::known_address, .id = 1};
    workers.start();
    ASSERT_EQ(hold_first(strangers(1)), Workers::Put::taken);
    ASSERT_EQ(hold(strangers(2)), Workers::Put::taken);
    for (std::size_t number = 0; number < Workers::strangers_max; ++number) {
        ASSERT_EQ(queue(strangers(static_cast<std::int64_t>(number) + 100)), Workers::Put::taken);
    }
    EXPECT_EQ(queue(strangers(99)), Workers::Put::full) << "as many networks have a place each";
    ASSERT_EQ(queue(known, 'k'), Workers::Put::taken);
    ASSERT_EQ(queue(account(7), 'a'), Workers::Put::taken);
    release_one();
    wait_for(account(8));
    const std::lock_guard lock{mutex};
    EXPECT_LE(done.find('k'), 4U) << done;
    EXPECT_LE(done.find('a'), 6U) << done;
}

TEST_F(WorkersTest, AStrangerFindsAPlaceBesideANetworkThatHasMany) {
    workers.start();
    ASSERT_EQ(hold_first(strangers(1)), Workers::Put::taken);
    ASSERT_EQ(hold(strangers(2)), Workers::Put::taken);
    std::size_t networks = 0;
    for (std::size_t place = 0; place < Workers::strangers_max; ++place) {
        networks += place % Workers::waiting_max == 0 ? 1 : 0;
        ASSERT_EQ(queue(strangers(static_cast<std::int64_t>(networks) + 100)), Workers::Put::taken);
    }
    ASSERT_EQ(queue(strangers(99), 'h'), Workers::Put::taken);
    {
        const std::lock_guard lock{mutex};
        EXPECT_EQ(done, "-") << "one lost its place";
    }
    release_one();
    wait_for(strangers(98));
    const std::lock_guard lock{mutex};
    EXPECT_LE(done.find('h'), networks + 3) << done;
}

TEST_F(WorkersTest, TheLocalOperatorHasAThreadThoughAccountsTakeTheOthers) {
    workers.start();
    for (std::size_t number = 1; number < Workers::threads_count; ++number) {
        ASSERT_EQ(hold(account(static_cast<std::int64_t>(number))), Workers::Put::taken);
    }
    EXPECT_EQ(queue(account(99)), Workers::Put::taken);
    wait_for(local);
    EXPECT_EQ(done, "");
    release();
    wait_for(account(99));
    EXPECT_EQ(done, "x");
}

TEST_F(WorkersTest, AccountsThatWaitAreServedInTurn) {
    workers.start();
    ASSERT_EQ(hold_first(account(8)), Workers::Put::taken);
    ASSERT_EQ(hold(account(9)), Workers::Put::taken);  // The last thread is the local operator's.
    for (const char letter : {'a', 'a', 'a'}) {
        ASSERT_EQ(queue(account(1), letter), Workers::Put::taken);
    }
    ASSERT_EQ(queue(account(2), 'b'), Workers::Put::taken);
    auto after = std::make_shared<std::promise<void>>();
    auto reached = after->get_future();
    ASSERT_EQ(workers.put(account(2), [after](bool) { after->set_value(); }), Workers::Put::taken);
    release_one();
    reached.wait();
    const std::lock_guard lock{mutex};
    EXPECT_LE(done.find('b'), 2U) << done;  // Not behind all jobs of the first account.
}

TEST_F(WorkersTest, ThePlacesOfTheNetworkAreLimitedTogether) {
    workers.start();
    ASSERT_EQ(hold(account(100'001)), Workers::Put::taken);
    ASSERT_EQ(hold(account(100'002)), Workers::Put::taken);
    auto id = std::int64_t{0};
    for (std::size_t job = 0; job < Workers::network_max; ++job) {
        ASSERT_EQ(queue(account(++id)), Workers::Put::taken);
    }
    EXPECT_EQ(queue(account(++id)), Workers::Put::full);
    EXPECT_TRUE(workers.go_on(account(1), [](bool) {}));
    wait_for(local);
    release();
}

TEST_F(WorkersTest, AnAccountFindsAPlaceThoughOthersHaveTakenAll) {
    workers.start();
    ASSERT_EQ(hold(account(100'001)), Workers::Put::taken);
    ASSERT_EQ(hold(account(100'002)), Workers::Put::taken);
    for (std::size_t job = 0; job < Workers::network_max; ++job) {
        ASSERT_EQ(queue(account(static_cast<std::int64_t>(job / Workers::waiting_max))),
                  Workers::Put::taken);
    }
    EXPECT_EQ(queue(strangers(1)), Workers::Put::full) << "strangers displace none who is known";
    EXPECT_EQ(queue(account(99), 'h'), Workers::Put::taken);
    {
        const std::lock_guard lock{mutex};
        EXPECT_EQ(done, "-") << "one lost its place";
    }
    release();
    wait_for(local);
}

TEST_F(WorkersTest, AJobThatThrowsTakesNoThreadAlong) {
    std::vector<std::string> faults;
    workers.on_fault = [&](const Error& fault) {
        const std::lock_guard lock{mutex};
        faults.push_back(fault.detail);
    };
    workers.start();
    const auto kept = std::make_shared<int>();
    for (std::size_t job = 0; job < Workers::threads_count + 1; ++job) {
        ASSERT_EQ(workers.put(account(1),
                              [kept](bool) { throw std::runtime_error{std::to_string(*kept)}; }),
                  Workers::Put::taken);
    }
    wait_for(account(1));  // Behind all of them: the share has its place again.
    wait_for(local);
    EXPECT_EQ(kept.use_count(), 1) << "a job that threw was not destroyed";
    workers.stop();
    EXPECT_THAT(faults, ::testing::Each(::testing::HasSubstr("threw: 0")));
    EXPECT_EQ(faults.size(), Workers::threads_count + 1);
}

TEST_F(WorkersTest, WhatWaitsWhenTheyStopIsRefused) {
    EXPECT_EQ(queue(local), Workers::Put::full);  // The threads do not run yet.
    workers.start();
    ASSERT_EQ(hold(account(1)), Workers::Put::taken);
    ASSERT_EQ(queue(account(1)), Workers::Put::taken);
    const auto stopped = std::async(std::launch::async, [this] { workers.stop(); });
    while (workers.go_on(account(1), [](bool) {})) {
        std::this_thread::yield();
    }
    release();
    stopped.wait();
    EXPECT_EQ(done, "-");
    EXPECT_EQ(queue(account(1)), Workers::Put::full);
}

}  // namespace
}  // namespace merpati::api::manage
