// Callbacks: queued per origin, kept until delivered, replayable.
#include <array>

#include "store/conformance/store_fixture.hpp"

namespace merpati::store {
namespace {

using namespace std::chrono_literals;
using model::CallbackState;

struct CallbackTest : StoreTest {
    std::vector<model::EventId> due_before(std::int64_t origin, Timestamp before,
                                           std::size_t limit = 100) {
        std::vector<model::EventId> found;
        for (const auto& queued : take(reader()->load_callbacks(
                 {account, origin}, before, limit, [](const Uuid&) { return false; }))) {
            found.push_back(queued.callback.id);
        }
        return found;
    }

    void postpone(model::EventId event, Timestamp due_at) {
        update(event, {.state = CallbackState::waiting,
                       .attempts = 1,
                       .due_at = due_at,
                       .last_status = 503,
                       .last_error = "answered 503",
                       .updated_at = clock.now()});
    }

    void end(model::EventId event, CallbackState state) {
        update(event, {.state = state,
                       .attempts = 2,
                       .due_at = clock.now(),
                       .last_status = 200,
                       .updated_at = clock.now()});
    }

    Timestamp wall_now = clock.now() + 7h;

    Result<void> replay(model::EventId event) {
        return change(
            [&](Tables& tables) { return tables.replay_callback(event, clock.now(), wall_now); });
    }
};

TEST_P(CallbackTest, AreLoadedPerOriginInOrderOfTheirDueTimes) {
    const auto first = finished_with_callback(1);
    const auto second = finished_with_callback(1);
    const auto third = finished_with_callback(1);
    const auto elsewhere = finished_with_callback(2);
    postpone(first.id, clock.now() + 5s);
    EXPECT_EQ(due_before(1, clock.now() + 1min), (std::vector{second.id, third.id, first.id}));
    EXPECT_EQ(due_before(1, clock.now() + 5s), (std::vector{second.id, third.id}));
    EXPECT_EQ(due_before(1, clock.now() + 1min, 1), std::vector{second.id});
    EXPECT_EQ(due_before(2, clock.now() + 1min), std::vector{elsewhere.id});
}

TEST_P(CallbackTest, LeavesOutWhatTheCallerKnows) {
    const auto first = finished_with_callback(1);
    const auto second = finished_with_callback(1);
    const auto loaded = take(reader()->load_callbacks(
        {account, 1}, clock.now() + 1s, 10, [&](const Uuid& id) { return id == first.id; }));
    ASSERT_EQ(loaded.size(), 1);
    EXPECT_EQ(loaded[0].callback.id, second.id);
    EXPECT_EQ(loaded[0].callback.body, second.body);
}

TEST_P(CallbackTest, EachOriginWithWaitingOnesIsNamedOnce) {
    finished_with_callback(-5);
    const auto later = finished_with_callback(9);
    postpone(later.id, clock.now() + 1h);
    const auto delivered = finished_with_callback(7);
    end(delivered.id, CallbackState::delivered);

    const auto origins = take(reader()->callback_origins(account, {}, 100));
    ASSERT_EQ(origins.size(), 2);
    EXPECT_EQ(origins[0].origin_key, -5);
    EXPECT_EQ(origins[1].origin_key, 9);
    EXPECT_LE(origins[1].due_from, clock.now() + 1h);
    EXPECT_GT(origins[1].due_from, clock.now());
}

TEST_P(CallbackTest, OriginsHaveKeysOfAnySign) {
    constexpr auto lowest = std::numeric_limits<std::int64_t>::min();
    constexpr auto highest = std::numeric_limits<std::int64_t>::max();
    finished_with_callback(lowest + 1);
    finished_with_callback(highest);
    EXPECT_EQ(take(reader()->callback_origins(account, {}, 100)).size(), 2);
    EXPECT_EQ(due_before(highest, clock.now() + 1s).size(), 1);
}

TEST_P(CallbackTest, OriginsAreNamedInPages) {
    for (const std::int64_t origin : {9, -5, 7}) {
        finished_with_callback(origin);
    }
    const auto opened = reader();
    const auto first = take(opened->callback_origins(account, {}, 2));
    ASSERT_EQ(first.size(), 2);
    EXPECT_EQ(first[1].origin_key, 7);
    const auto second = take(opened->callback_origins(account, 7, 2));
    ASSERT_EQ(second.size(), 1);
    EXPECT_EQ(second[0].origin_key, 9);
    EXPECT_TRUE(take(opened->callback_origins(account, 9, 2)).empty());
}

TEST_P(CallbackTest, AccountsAtTheSameOriginHaveQueuesOfTheirOwn) {
    const auto ours = finished_with_callback(1);
    auto theirs = ours;
    theirs.id = ids.next();
    theirs.account = {account.value + 1};
    ASSERT_TRUE(change([&](Tables& tables) { return tables.add_callback(theirs); }));
    const auto opened = reader();
    EXPECT_EQ(take(opened->callback_accounts()), (std::vector{account, theirs.account}));
    EXPECT_EQ(take(opened->callback_accounts_of(ShardSet::all())),
              (std::vector{account, theirs.account}));
    const std::array own{shard_of(account)};
    EXPECT_EQ(take(opened->callback_accounts_of(ShardSet{own})), std::vector{account});
    EXPECT_TRUE(take(opened->callback_accounts_of(ShardSet{})).empty());
    EXPECT_EQ(due_before(1, clock.now() + 1s), std::vector{ours.id});
    const auto loaded = take(opened->load_callbacks({theirs.account, 1}, clock.now() + 1s, 10,
                                                    [](const Uuid&) { return false; }));
    ASSERT_EQ(loaded.size(), 1);
    EXPECT_EQ(loaded[0].callback.id, theirs.id);
    end(ours.id, CallbackState::delivered);
    EXPECT_EQ(take(opened->callback_accounts()), std::vector{theirs.account});
}

TEST_P(CallbackTest, NextDueIsTheFirstAtOrAfterTheGivenTime) {
    const auto first = finished_with_callback(1);
    const auto second = finished_with_callback(1);
    postpone(first.id, clock.now() + 5s);
    postpone(second.id, clock.now() + 9s);
    const auto opened = reader();
    EXPECT_EQ(take(opened->next_callback_due({account, 1}, clock.now())), clock.now() + 5s);
    EXPECT_EQ(take(opened->next_callback_due({account, 1}, clock.now() + 5s)), clock.now() + 5s);
    EXPECT_EQ(take(opened->next_callback_due({account, 1}, clock.now() + 5001ms)),
              clock.now() + 9s);
    EXPECT_FALSE(take(opened->next_callback_due({account, 1}, clock.now() + 10s)));
    EXPECT_FALSE(take(opened->next_callback_due({account, 2}, clock.now())));
}

TEST_P(CallbackTest, ProgressIsKept) {
    const auto callback = finished_with_callback();
    postpone(callback.id, clock.now() + 30s);
    reopen();
    const auto stored = take(reader()->callback(callback.id));
    ASSERT_TRUE(stored);
    EXPECT_EQ(stored->progress.state, CallbackState::waiting);
    EXPECT_EQ(stored->progress.attempts, 1);
    EXPECT_EQ(stored->progress.due_at, clock.now() + 30s);
    EXPECT_EQ(stored->progress.last_status, 503);
    EXPECT_EQ(stored->progress.last_error, "answered 503");
    EXPECT_EQ(stored->progress.updated_at, clock.now());
}

TEST_P(CallbackTest, DeliveredAndExhaustedOnesAreNotLoaded) {
    for (const auto state :
         {CallbackState::delivered, CallbackState::exhausted, CallbackState::gone}) {
        end(finished_with_callback(1).id, state);
    }
    EXPECT_TRUE(due_before(1, clock.now() + 1h).empty());
    EXPECT_TRUE(take(reader()->callback_origins(account, {}, 100)).empty());
}

TEST_P(CallbackTest, ReplayMakesOneDueNowWithItsAttemptsCountedAnew) {
    const auto callback = finished_with_callback(1);
    end(callback.id, CallbackState::exhausted);
    clock.advance(1h);
    ASSERT_TRUE(replay(callback.id));
    EXPECT_EQ(due_before(1, clock.now() + 1ms), std::vector{callback.id});
    const auto stored = take(reader()->callback(callback.id));
    ASSERT_TRUE(stored);
    EXPECT_EQ(stored->progress.attempts, 0);
    EXPECT_EQ(stored->progress.due_at, clock.now());
    EXPECT_EQ(stored->progress.updated_at, wall_now);
}

TEST_P(CallbackTest, AGuessedIdReplaysReadsAndMovesNothing) {
    const auto callback = finished_with_callback(1);
    const Uuid guessed{callback.id.sequence(), callback.id.tail() ^ 1};
    EXPECT_EQ(replay(guessed).error().code, ErrorCode::not_found);
    EXPECT_FALSE(take(reader()->callback(guessed)));
    end(guessed, CallbackState::delivered);
    EXPECT_EQ(due_before(1, clock.now() + 1ms), std::vector{callback.id});
}

TEST_P(CallbackTest, ADeviceWebhookBelongsToNoMessage) {
    const model::Callback event{.id = ids.next(),
                                .account = account,
                                .kind = model::CallbackKind::device_event,
                                .url = "https://example.com/devices",
                                .origin_key = 4,
                                .body = R"({"event":"device.connected"})",
                                .created_at = clock.now()};
    ASSERT_TRUE(change([&](Tables& tables) { return tables.add_callback(event); }));
    const auto stored = take(reader()->callback(event.id));
    ASSERT_TRUE(stored);
    EXPECT_EQ(stored->callback.kind, model::CallbackKind::device_event);
    EXPECT_FALSE(stored->callback.message);
    EXPECT_EQ(due_before(4, clock.now() + 1ms), std::vector{event.id});
}

INSTANTIATE_TEST_SUITE_P(Engines, CallbackTest, ::testing::ValuesIn(engines_and_cuts()), name_of);

}  // namespace
}  // namespace merpati::store
