// Retention: removes in small steps what has ended; rows that must stay delay no others.
#include "store/conformance/store_fixture.hpp"
#include "store/people.hpp"

namespace merpati::store {
namespace {

using namespace std::chrono_literals;
using model::CallbackState;
using model::MessageState;

struct RetentionTest : StoreTest {
    [[nodiscard]] PruneLimits limits() {
        return {.messages_before = clock.now() - 720h,
                .idempotency_before = clock.now() - 24h,
                .platform_events_before = clock.now() - 192h,
                .clock_offset = clock_offset};
    }

    PruneStep prune_step(const PruneLimits& limits) {
        PruneStep step;
        EXPECT_TRUE(change_once([&](Tables& tables) -> Result<void> {
            step = take(tables.prune(limits));
            return {};
        }));
        return step;
    }
    PruneStep prune_step(std::size_t visits_max = 500) {
        auto small = limits();
        small.visits_max = visits_max;
        return prune_step(small);
    }

    void prune() {
        for (PruneStep step; step.removed > 0 || !step.complete;) {
            step = prune_step();
        }
    }

    void put_key(const std::string& key, Timestamp at) {
        EXPECT_TRUE(change([&](Tables& tables) {
            return tables.put_idempotency({.account = account, .key = key, .created_at = at});
        }));
    }

    model::Message ended(MessageState state = MessageState::sent) {
        auto made = accepted();
        EXPECT_TRUE(finish(finish_of(made, state)));
        return made;
    }

    bool exists(const model::Message& message) {
        return take(reader()->message(message.id)).has_value();
    }
    bool exists(const model::Callback& callback) {
        return take(reader()->callback(callback.id)).has_value();
    }

    Millis clock_offset{0};  // By how far `clock`, as queue time, is ahead of the wall clock.

    void end(const model::Callback& callback, CallbackState state) {
        update(callback.id, {.state = state, .due_at = clock.now(), .updated_at = clock.now()});
    }
};

TEST_P(RetentionTest, RemovesOldMessagesThatEnded) {
    const auto sent = ended(MessageState::sent);
    const auto failed = ended(MessageState::failed);
    const auto cancelled = ended(MessageState::cancelled);
    clock.advance(721h);
    const auto young = ended();
    prune();
    EXPECT_FALSE(exists(sent));
    EXPECT_FALSE(exists(failed));
    EXPECT_FALSE(exists(cancelled));
    EXPECT_TRUE(exists(young));
}

TEST_P(RetentionTest, KeepsWhatWaitsOrIsHeldHoweverOld) {
    const auto waiting = accepted();
    const auto held = ended(MessageState::held);
    clock.advance(10'000h);
    prune();
    EXPECT_TRUE(exists(waiting));
    EXPECT_TRUE(exists(held));
    EXPECT_EQ(lane_before(clock.now()), std::vector{waiting.id});
}

TEST_P(RetentionTest, CountsFromTheEndOfAMessageNotFromItsAcceptance) {
    const auto slow = accepted();
    clock.advance(719h);
    ASSERT_TRUE(finish(finish_of(slow)));
    clock.advance(10h);
    prune();
    EXPECT_TRUE(exists(slow));
    clock.advance(720h);
    prune();
    EXPECT_FALSE(exists(slow));
}

TEST_P(RetentionTest, RemovesAMessageWithItsCallback) {
    const auto delivered = finished_with_callback();
    end(delivered, CallbackState::delivered);
    const auto parked = finished_with_callback();
    end(parked, CallbackState::exhausted);
    clock.advance(721h);
    prune();
    EXPECT_FALSE(exists(delivered));
    EXPECT_FALSE(exists(parked));
    EXPECT_FALSE(take(reader()->message(*delivered.message)));
}

TEST_P(RetentionTest, KeepsAMessageWhoseCallbackStillWaits) {
    const auto callback = finished_with_callback();
    clock.advance(721h);
    prune();
    EXPECT_TRUE(exists(callback));
    EXPECT_TRUE(take(reader()->message(*callback.message)));
    end(callback, CallbackState::delivered);
    prune();
    EXPECT_FALSE(exists(callback));
    EXPECT_FALSE(take(reader()->message(*callback.message)));
}

TEST_P(RetentionTest, RemovesOldDeviceWebhooksThatEnded) {
    const auto event = [&] {
        const model::Callback made{.id = ids.next(),
                                   .account = account,
                                   .kind = model::CallbackKind::device_event,
                                   .url = "https://example.com/devices",
                                   .created_at = clock.now()};
        EXPECT_TRUE(change([&](Tables& tables) { return tables.add_callback(made); }));
        return made;
    };
    const auto delivered = event();
    const auto waiting = event();
    end(delivered, CallbackState::delivered);
    clock.advance(721h);
    const auto young = event();
    end(young, CallbackState::delivered);
    prune();
    EXPECT_FALSE(exists(delivered));
    EXPECT_TRUE(exists(waiting));
    EXPECT_TRUE(exists(young));
}

TEST_P(RetentionTest, RemovesTheCallbackOfAnEndThatAReleaseUndid) {
    const auto made = accepted();
    auto ending = finish_of(made, MessageState::held);
    const auto callback = callback_for(made);
    ending.callback = callback;
    ASSERT_TRUE(finish(std::move(ending)));
    end(callback, CallbackState::delivered);
    ASSERT_TRUE(change(
        [&](Tables& tables) { return tables.release_message(made.id, clock.now(), clock.now()); }));
    clock.advance(721h);
    prune();
    EXPECT_FALSE(exists(callback));
    EXPECT_TRUE(exists(made));
}

TEST_P(RetentionTest, RemovesOldIdempotencyKeys) {
    put_key("old", clock.now());
    clock.advance(25h);
    put_key("young", clock.now());
    prune();
    EXPECT_FALSE(take(reader()->idempotency(account, "old")));
    EXPECT_TRUE(take(reader()->idempotency(account, "young")));
}

TEST_P(RetentionTest, WorksInSmallSteps) {
    for (int count = 0; count < 25; ++count) {
        ended();
    }
    clock.advance(721h);
    std::size_t steps = 0;
    for (PruneStep step; !step.complete; ++steps) {
        step = prune_step(10);
        EXPECT_LE(step.removed, 10U);
    }
    EXPECT_GE(steps, 3U);
    EXPECT_TRUE(take(reader()->messages({})).records.empty());
}

TEST_P(RetentionTest, AStepEndsWhenItsTimeIsOver) {
    for (int count = 0; count < 25; ++count) {
        ended();
    }
    clock.advance(721h);
    auto short_of_time = limits();
    int asked = 0;
    short_of_time.is_over = [&] { return ++asked >= 7; };
    EXPECT_EQ(prune_step(short_of_time).removed, 7U);
    // A step without time visits one row, so that a round is completed in the end.
    std::size_t removed = 0;
    for (PruneStep step; !step.complete;) {
        step = prune_step(short_of_time);
        EXPECT_LE(step.removed, 1U);
        removed += step.removed;
    }
    EXPECT_GE(removed, 18U);
}

TEST_P(RetentionTest, KeysThatExpireAllTheTimeDoNotDelayMessages) {
    prune();
    for (int count = 0; count < 25; ++count) {
        ended();
    }
    clock.advance(721h);
    for (int step = 0; step < 50; ++step) {
        for (int key = 0; key < 20; ++key) {
            put_key(std::to_string(step) + '/' + std::to_string(key), clock.now() - 25h);
        }
        prune_step(10);
    }
    EXPECT_TRUE(take(reader()->messages({})).records.empty());
}

TEST_P(RetentionTest, MessagesThatGrowOldAllTheTimeDoNotDelayKeys) {
    prune();
    put_key("old", clock.now());
    for (int step = 0; step < 10; ++step) {
        for (int count = 0; count < 20; ++count) {
            ended();
        }
        clock.advance(721h);
        prune_step(20);
    }
    EXPECT_FALSE(take(reader()->idempotency(account, "old")));
}

TEST_P(RetentionTest, AStepMayBeginARoundBeforeTheLastOneIsComplete) {
    put_key("young", clock.now());
    for (int count = 0; count < 1'000; ++count) {
        ended(MessageState::held);
    }
    clock.advance(23h);
    for (int step = 0; step < 10; ++step) {
        prune_step(10);  // All tables but messages have nothing to remove in this round.
    }
    clock.advance(2h + 720h);
    auto next_round = limits();
    next_round.visits_max = 500;
    next_round.begins_round = true;
    prune_step(next_round);
    EXPECT_FALSE(take(reader()->idempotency(account, "young")));
}

TEST_P(RetentionTest, SkipsWhatCannotBeRemovedYet) {
    for (int count = 0; count < 150; ++count) {
        accepted();
        ended(MessageState::held);
    }
    const auto delivered = ended();
    clock.advance(721h);
    for (int step = 0; step < 20; ++step) {
        prune_step(10);
    }
    EXPECT_FALSE(exists(delivered));
    EXPECT_EQ(take(reader()->waiting_messages(100'000)), 150);
}

TEST_P(RetentionTest, AStepThatOnlySkipsSaysThatARoundGoesOn) {
    for (int count = 0; count < 100; ++count) {
        ended(MessageState::held);
    }
    const auto delivered = ended();
    clock.advance(721h);
    const auto skipped = prune_step(10);
    EXPECT_EQ(skipped.removed, 0U);
    EXPECT_FALSE(skipped.complete);
    prune();
    EXPECT_FALSE(exists(delivered));
}

TEST_P(RetentionTest, OneMessageThatStaysKeepsOnlyItsOwnTime) {
    const auto held = ended(MessageState::held);
    for (int hour = 0; hour < 10; ++hour) {
        clock.advance(1h);
        ended();
    }
    clock.advance(730h);
    prune_step(10'000);
    EXPECT_EQ(prune_step(10'000).removed, 0U);
    const auto page = take(reader()->messages({.account = account}));
    ASSERT_EQ(page.records.size(), 1);
    EXPECT_EQ(page.records.front().message.id, held.id);
}

TEST_P(RetentionTest, DamageInOneTableDoesNotStopTheOthers) {
    if (!GetParam().damage) {
        GTEST_SKIP() << "the pages of this engine are another program's";
    }
    for (int key = 0; key < 500; ++key) {
        put_key("key " + std::to_string(key), clock.now());
    }
    const auto old = ended();
    store.reset();
    GetParam().damage(directory.path(), "idempotency", 0);
    store = take(open_store(options));
    clock.advance(721h);
    int damaged = 0;
    for (int step = 0; step < 5; ++step) {
        const auto pruned = change_once([&](Tables& tables) -> Result<void> {
            auto done = tables.prune(limits());
            return done ? Result<void>{} : pass(done);
        });
        damaged += !pruned && pruned.error().code == ErrorCode::damaged ? 1 : 0;
    }
    EXPECT_EQ(damaged, 1);
    EXPECT_FALSE(exists(old));
}

TEST_P(RetentionTest, ComparesEndsWithTheWallClock) {
    clock_offset = -10h;
    const auto sent = accepted();
    auto ending = finish_of(sent);
    ending.completion.finished_at = clock.now() - clock_offset;
    ASSERT_TRUE(finish(std::move(ending)));
    const auto callback = model::Callback{.id = ids.next(),
                                          .account = account,
                                          .kind = model::CallbackKind::device_event,
                                          .url = "https://example.com/devices",
                                          .created_at = clock.now()};
    EXPECT_TRUE(change([&](Tables& tables) { return tables.add_callback(callback); }));
    update(callback.id, {.state = CallbackState::delivered,
                         .due_at = clock.now(),
                         .updated_at = clock.now() - clock_offset});
    clock.advance(719h);
    prune();
    EXPECT_TRUE(exists(sent));
    EXPECT_TRUE(exists(callback));
    clock.advance(2h);
    prune();
    EXPECT_FALSE(exists(sent));
    EXPECT_FALSE(exists(callback));
}

TEST_P(RetentionTest, ReturnsToWhatItSkipped) {
    const auto held = ended(MessageState::held);
    const auto callback = finished_with_callback();
    clock.advance(721h);
    prune();
    ASSERT_TRUE(exists(callback));
    end(callback, CallbackState::gone);
    prune();
    prune();
    EXPECT_FALSE(exists(callback));
    EXPECT_TRUE(exists(held));
}

TEST_P(RetentionTest, RemovesKeysThatHaveLongBeenInvalid) {
    const auto now = clock.now();
    model::KeyId live;
    ASSERT_TRUE(change([&](Tables& tables) -> Result<void> {
        const auto create = [&](std::string_view name, std::optional<Timestamp> expires,
                                std::optional<Timestamp> revoked) {
            return take(tables.create_key({.account = account,
                                           .name = std::string{name},
                                           .digest = sha256(name),
                                           .created_at = now - 100h,
                                           .expires_at = expires,
                                           .revoked_at = revoked}));
        };
        live = create("live", {}, {});
        create("expires", now + 1h, {});
        create("expired", now - 50h, {});
        create("revoked", {}, now - 50h);
        create("revoked lately", {}, now - 1h);
        return {};
    }));
    is_repeated = false;  // As in change_once.
    WriteBatch batch;
    batch.changes.push_back({.run = [&](Tables& tables) -> Result<void> {
        for (PruneStep step; !step.complete;) {
            step = take(tables.prune({.keys_before = now - 24h}));
        }
        return {};
    }});
    write_as_it_is(batch);
    std::vector<std::string> left;
    for (const auto& key : take(reader()->keys())) {
        left.push_back(key.name);
    }
    EXPECT_EQ(left, (std::vector<std::string>{"live", "expires", "revoked lately"}));
    ASSERT_EQ(batch.row_changes.size(), 2U);
    for (const auto& row : batch.row_changes) {
        EXPECT_TRUE(std::holds_alternative<KeyRemoved>(row));
    }
}

TEST_P(RetentionTest, AnAccountKeepsABoundedNumberOfKeysThatAreNotValid) {
    model::KeyId live;
    ASSERT_TRUE(change([&](Tables& tables) -> Result<void> {
        const auto create = [&](int number) {
            return take(tables.create_key({.account = account,
                                           .digest = sha256(std::to_string(number)),
                                           .created_at = clock.now()}));
        };
        live = create(-1);
        for (int count = 0; count < 1'200; ++count) {
            take(tables.revoke_key(create(count), clock.now()));
        }
        EXPECT_EQ(take(tables.count_live_keys(account, clock.now())), 1U);
        return {};
    }));
    const auto keys = take(reader()->keys());
    EXPECT_LE(keys.size(), Tables::keys_kept_max + 1);
    EXPECT_GE(keys.size(), Tables::keys_kept_max - 1);
    EXPECT_EQ(keys.front().id, live);
}

TEST_P(RetentionTest, RemovesOldEntriesOfTheLogOfChanges) {
    for (const auto* object : {"first", "second", "third"}) {
        EXPECT_TRUE(change([&](Tables& tables) -> Result<void> {
            take(tables.add_audit({.at = clock.now(),
                                   .actor = "per_1",
                                   .operation = "PATCH /v1/devices/{}",
                                   .object = object}));
            return {};
        }));
        clock.advance(1h);
    }
    auto by_age = limits();
    by_age.audit_before = clock.now() - 90min;
    std::size_t removed = 0;
    for (PruneStep step; !step.complete; removed += step.removed) {
        step = prune_step(by_age);
    }
    EXPECT_EQ(removed, 2U);
    const auto left = take(reader()->audit({}));
    ASSERT_EQ(left.size(), 1U);
    EXPECT_EQ(left.front().object, "third");
}

INSTANTIATE_TEST_SUITE_P(Engines, RetentionTest, ::testing::ValuesIn(engines()), name_of);

}  // namespace
}  // namespace merpati::store
