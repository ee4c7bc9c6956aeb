// Whatever one account's endpoints do, another account's callback is attempted at once.
#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "callback/sender_fixture.hpp"

namespace merpati::callback {
namespace {

using namespace std::chrono_literals;

struct FairnessTest : SenderFixture {
    static constexpr std::int64_t bad = 1;
    static constexpr std::int64_t good = 2;
    static constexpr std::int64_t good_origin = -1;

    /// Stores `count` callbacks for each of `origins` origins.
    void commit_many(std::int64_t account, std::int64_t origins, std::int64_t count) {
        ASSERT_TRUE(committer.change_and_wait([&](store::Tables& tables) {
            for (std::int64_t i = 0; i < origins * count; ++i) {
                model::Callback callback;
                callback.id = ids.next();
                callback.account = {.value = account};
                callback.kind = model::CallbackKind::device_event;
                callback.url = "https://toko.example.com/status";
                callback.origin_key = 100 + i % origins;
                callback.created_at = queue_clock.now();
                if (auto added = tables.add_callback(callback); !added) {
                    return added;
                }
            }
            return Result<void>{};
        }));
    }

    void wake(std::int64_t account, std::int64_t origins) {
        for (std::int64_t origin = 0; origin < origins; ++origin) {
            core->made_due({.account = {.value = account}, .origin_key = 100 + origin});
        }
        run();
    }

    /// Sends a callback of the good account, expects its attempt at once, and answers it.
    void expect_good_goes_at_once() {
        const auto before = attempts.size();
        const auto id = send_of(good, good_origin);
        ASSERT_EQ(attempts.size(), before + 1);
        ASSERT_TRUE(attempts.back().request.headers.contains(id.text()));
        answer(before, 200);
        good_places.insert(before);
    }

    std::set<std::size_t> good_places;  // Of attempts that were answered.
};

TEST_F(FairnessTest, HangingOriginsLeaveHalfOfThePlacesAndMore) {
    commit_many(bad, 200, 20);
    start();
    EXPECT_EQ(attempts.size(), 64U) << "half of the places of what is not prompt";
    expect_good_goes_at_once();
    pass_time(5s);
    expect_good_goes_at_once();
    // Every one of them times out, and the next one hangs.
    for (std::size_t place = 0; place < 64; ++place) {
        answer(place, fail(ErrorCode::timeout, "no answer in time"));
    }
    expect_good_goes_at_once();
}

TEST_F(FairnessTest, ManyAccountsThatHangLeavePlacesToo) {
    for (std::int64_t account = 10; account < 40; ++account) {
        commit_many(account, 50, 2);
    }
    start();
    EXPECT_LE(core->counts().in_flight, 192U);
    expect_good_goes_at_once();
    for (int i = 0; i < 50; ++i) {
        expect_good_goes_at_once();
    }
}

TEST_F(FairnessTest, SlowSuccessesStayAmongTheSlow) {
    commit_many(bad, 200, 20);
    start();
    std::size_t answered = 0;
    for (int round = 0; round < 4; ++round) {
        clock.advance(2s);
        for (const auto until = attempts.size(); answered < until; ++answered) {
            if (!good_places.contains(answered)) {
                answer(answered, 200);
            }
        }
        expect_good_goes_at_once();
    }
    EXPECT_LE(core->counts().in_flight, 64U);
}

TEST_F(FairnessTest, PromptOriginsThatBeginToHangGiveTheirPlacesUp) {
    start();
    expect_good_goes_at_once();
    std::size_t answered = attempts.size();
    commit_many(bad, 40, 60);
    wake(bad, 40);
    // They are prompt, and earn many attempts at once.
    while (attempts.size() < 1500) {
        answer(answered++, 200);
    }
    EXPECT_GT(core->counts().in_flight, 100U);
    expect_good_goes_at_once();
    pass_time(1500ms);  // Now all of them hang.
    EXPECT_EQ(core->counts().slow_in_flight, core->counts().in_flight);
    expect_good_goes_at_once();
    EXPECT_LE(core->counts().in_memory, 40U * 32) << "and their memory";
}

TEST_F(FairnessTest, DeadOriginsDoNotFillTheMemory) {
    commit_many(bad, 36, 1300);
    start({.memory_max = 4096});
    for (std::size_t place = 0; place < 36 * 10; ++place) {
        answer(place, fail(ErrorCode::unreachable, "cannot connect"));
    }
    EXPECT_EQ(core->counts().breakers_open, 36U);
    EXPECT_LE(core->counts().in_memory, 36U);
    expect_good_goes_at_once();
    // The same after a restart, with everything due.
    core.reset();
    attempts.clear();
    start({.memory_max = 4096});
    EXPECT_LE(core->counts().in_memory, 36U * 4);
    expect_good_goes_at_once();
}

TEST_F(FairnessTest, OneAccountsAnswersAreNotAnothersBreaker) {
    start();
    for (int i = 0; i < 20; ++i) {
        send_of(bad, good_origin);
    }
    for (std::size_t place = 0; place < 10; ++place) {
        answer(place, 500);
    }
    EXPECT_EQ(core->counts().breakers_open, 1U);
    expect_good_goes_at_once();
}

TEST_F(FairnessTest, AnswersOfTheApplicationDoNotHoldUpTheOthersOfTheOrigin) {
    start();
    for (int i = 0; i < 30; ++i) {
        send_of(good, good_origin);
        answer(static_cast<std::size_t>(i), 404);
    }
    EXPECT_EQ(core->counts().breakers_open, 0U);
    expect_good_goes_at_once();
}

TEST_F(FairnessTest, AnAccountsOwnOriginsTakeTurns) {
    commit_many(bad, 1, 5000);
    start();
    const auto before = attempts.size();
    const auto other = send_of(bad, 5);
    ASSERT_EQ(attempts.size(), before + 1);
    EXPECT_TRUE(attempts.back().request.headers.contains(other.text()));
}

TEST_F(FairnessTest, AStartGivesEveryAccountItsTurnBeforeItHasReadAllOfOne) {
    commit_many(bad, 1000, 1);
    const auto mine = commit(good_origin, "https://toko.example.com/status", good);
    core = new_core({});
    ASSERT_TRUE(core->recover(*store->open_reader()));
    core->step();
    core->step();
    core->step();
    EXPECT_TRUE(std::ranges::any_of(attempts, [&](const auto& attempt) {
        return attempt.request.headers.contains(mine.id.text());
    }));
    EXPECT_LE(core->counts().origins, 193U);
}

TEST_F(FairnessTest, OriginsThatAreThroughLeaveMemory) {
    start();
    for (std::int64_t origin = 0; origin < 100; ++origin) {
        send_of(bad, origin);
    }
    for (std::size_t place = 0; place < attempts.size(); ++place) {
        answer(place, 410);
    }
    EXPECT_LE(core->counts().origins, 100U);
    pass_time(11min);
    pass_time(11min);
    EXPECT_EQ(core->counts().origins, 0U);
}

TEST_F(FairnessTest, AClockThatIsSetBackDelaysNothing) {
    start();
    static_cast<void>(send_of(good, good_origin));
    answer(0, 503);
    clock.set_wall(clock.now() - 2h);
    pass_time(7s);
    ASSERT_EQ(attempts.size(), 2U);
    answer(1, 200);
    expect_good_goes_at_once();
}

}  // namespace
}  // namespace merpati::callback
