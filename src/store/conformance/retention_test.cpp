// Retention: what ended goes, in small steps; what has not stays, and holds up nobody.
#include "store/conformance/store_fixture.hpp"

namespace merpati::store {
namespace {

using namespace std::chrono_literals;
using model::CallbackState;
using model::MessageState;

struct RetentionTest : StoreTest {
    std::size_t prune_step(std::size_t rows_max = 500) {
        std::size_t removed = 0;
        EXPECT_TRUE(change([&](Tables& tables) -> Result<void> {
            removed = take(tables.prune({.messages_before = clock.now() - 720h,
                                         .idempotency_before = clock.now() - 24h,
                                         .rows_max = rows_max}));
            return {};
        }));
        return removed;
    }

    void prune() {
        while (prune_step() > 0) {
        }
    }

    model::Message ended(MessageState state = MessageState::sent) {
        auto made = accepted();
        EXPECT_TRUE(finish(finish_of(made, state)));
        return made;
    }

    bool stands(const model::Message& message) {
        return take(reader()->message(message.id)).has_value();
    }
    bool stands(const model::Callback& callback) {
        return take(reader()->callback(callback.id)).has_value();
    }

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
    EXPECT_FALSE(stands(sent));
    EXPECT_FALSE(stands(failed));
    EXPECT_FALSE(stands(cancelled));
    EXPECT_TRUE(stands(young));
}

TEST_P(RetentionTest, KeepsWhatWaitsOrIsHeldHoweverOld) {
    const auto waiting = accepted();
    const auto held = ended(MessageState::held);
    clock.advance(10'000h);
    prune();
    EXPECT_TRUE(stands(waiting));
    EXPECT_TRUE(stands(held));
    EXPECT_EQ(lane_before(clock.now()), std::vector{waiting.id});
}

TEST_P(RetentionTest, CountsFromTheEndOfAMessageNotFromItsAcceptance) {
    const auto slow = accepted();
    clock.advance(719h);
    ASSERT_TRUE(finish(finish_of(slow)));
    clock.advance(10h);
    prune();
    EXPECT_TRUE(stands(slow));
    clock.advance(720h);
    prune();
    EXPECT_FALSE(stands(slow));
}

TEST_P(RetentionTest, RemovesAMessageWithItsCallback) {
    const auto told = finished_with_callback();
    end(told, CallbackState::delivered);
    const auto parked = finished_with_callback();
    end(parked, CallbackState::exhausted);
    clock.advance(721h);
    prune();
    EXPECT_FALSE(stands(told));
    EXPECT_FALSE(stands(parked));
    EXPECT_FALSE(take(reader()->message(*told.message)));
}

TEST_P(RetentionTest, KeepsAMessageWhoseCallbackStillWaits) {
    const auto callback = finished_with_callback();
    clock.advance(721h);
    prune();
    EXPECT_TRUE(stands(callback));
    EXPECT_TRUE(take(reader()->message(*callback.message)));
    end(callback, CallbackState::delivered);
    prune();
    EXPECT_FALSE(stands(callback));
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
    const auto told = event();
    const auto waiting = event();
    end(told, CallbackState::delivered);
    clock.advance(721h);
    const auto young = event();
    end(young, CallbackState::delivered);
    prune();
    EXPECT_FALSE(stands(told));
    EXPECT_TRUE(stands(waiting));
    EXPECT_TRUE(stands(young));
}

TEST_P(RetentionTest, RemovesTheCallbackOfAnEndThatAReleaseUndid) {
    const auto made = accepted();
    auto ending = finish_of(made, MessageState::held);
    const auto callback = callback_for(made);
    ending.callback = callback;
    ASSERT_TRUE(finish(std::move(ending)));
    end(callback, CallbackState::delivered);
    ASSERT_TRUE(
        change([&](Tables& tables) { return tables.release_message(made.id, clock.now()); }));
    clock.advance(721h);
    prune();
    EXPECT_FALSE(stands(callback));
    EXPECT_TRUE(stands(made));
}

TEST_P(RetentionTest, ForgetsOldIdempotencyKeys) {
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
    EXPECT_EQ(prune_step(10), 10);
    EXPECT_EQ(prune_step(10), 10);
    EXPECT_EQ(prune_step(10), 5);
    EXPECT_EQ(prune_step(10), 0);
    EXPECT_TRUE(take(reader()->messages({})).empty());
}

TEST_P(RetentionTest, PassesByWhatCannotGoYet) {
    for (int count = 0; count < 150; ++count) {
        accepted();
        ended(MessageState::held);
    }
    const auto told = ended();
    clock.advance(721h);
    // Ten at a time looks at a bounded number of rows; a few rounds come past the held ones.
    for (int round = 0; round < 5; ++round) {
        prune_step(10);
    }
    EXPECT_FALSE(stands(told));
    EXPECT_EQ(take(reader()->waiting_messages()), 150);
}

TEST_P(RetentionTest, ComesBackToWhatItPassedBy) {
    const auto held = ended(MessageState::held);
    const auto callback = finished_with_callback();
    clock.advance(721h);
    prune();
    ASSERT_TRUE(stands(callback));
    end(callback, CallbackState::gone);
    prune();
    prune();
    EXPECT_FALSE(stands(callback));
    EXPECT_TRUE(stands(held));
}

INSTANTIATE_TEST_SUITE_P(Engines, RetentionTest, ::testing::ValuesIn(engines()), name_of);

}  // namespace
}  // namespace merpati::store
