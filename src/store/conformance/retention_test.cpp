// Retention: removes in small steps what has ended; rows that must stay delay no others.
#include "store/conformance/store_fixture.hpp"

namespace merpati::store {
namespace {

using namespace std::chrono_literals;
using model::CallbackState;
using model::MessageState;

struct RetentionTest : StoreTest {
    PruneStep prune_step(std::size_t rows_max = 500) {
        PruneStep step;
        EXPECT_TRUE(change([&](Tables& tables) -> Result<void> {
            step = take(tables.prune({.messages_before = clock.now() - 720h,
                                      .idempotency_before = clock.now() - 24h,
                                      .clock_offset = clock_offset,
                                      .rows_max = rows_max}));
            return {};
        }));
        return step;
    }

    void prune() {
        for (PruneStep step; step.removed > 0 || !step.complete;) {
            step = prune_step();
        }
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
    const auto put = [&](std::string key) {
        EXPECT_TRUE(change([&](Tables& tables) {
            return tables.put_idempotency(
                {.account = account, .key = std::move(key), .created_at = clock.now()});
        }));
    };
    put("old");
    clock.advance(25h);
    put("young");
    prune();
    EXPECT_FALSE(take(reader()->idempotency(account, "old")));
    EXPECT_TRUE(take(reader()->idempotency(account, "young")));
}

TEST_P(RetentionTest, WorksInSmallSteps) {
    for (int count = 0; count < 25; ++count) {
        ended();
    }
    clock.advance(721h);
    for (const std::size_t removed : {10U, 10U, 5U, 0U}) {
        const auto step = prune_step(10);
        EXPECT_EQ(step.removed, removed);
        EXPECT_EQ(step.complete, removed == 0);
    }
    EXPECT_TRUE(take(reader()->messages({})).records.empty());
}

TEST_P(RetentionTest, SkipsWhatCannotBeRemovedYet) {
    for (int count = 0; count < 150; ++count) {
        accepted();
        ended(MessageState::held);
    }
    const auto delivered = ended();
    clock.advance(721h);
    // Each step visits 80 rows, so a few steps get past the held messages.
    for (int round = 0; round < 5; ++round) {
        prune_step(10);
    }
    EXPECT_FALSE(exists(delivered));
    EXPECT_EQ(take(reader()->waiting_messages()), 150);
}

TEST_P(RetentionTest, AStepThatOnlySkipsSaysThatARoundGoesOn) {
    for (int count = 0; count < 100; ++count) {
        ended(MessageState::held);
    }
    const auto delivered = ended();
    clock.advance(721h);
    const auto skipped = prune_step(10);  // It visits 80 rows.
    EXPECT_EQ(skipped.removed, 0U);
    EXPECT_FALSE(skipped.complete);
    prune();
    EXPECT_FALSE(exists(delivered));
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

INSTANTIATE_TEST_SUITE_P(Engines, RetentionTest, ::testing::ValuesIn(engines()), name_of);

}  // namespace
}  // namespace merpati::store
