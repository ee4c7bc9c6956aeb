// StoreOptions::journal_callbacks: callbacks that readers see with their first result.
#include "store/sqlite/callback_journal.hpp"

#include "store/conformance/store_fixture.hpp"

namespace merpati::store {
namespace {

using namespace std::chrono_literals;
using model::CallbackState;

struct CallbackJournalTest : StoreTest {
    CallbackJournalTest() {
        options.journal_callbacks = true;
        reopen();
    }

    std::vector<QueuedCallback> waiting(std::int64_t origin = 1) {
        return take(reader()->load_callbacks({account, origin}, clock.now() + 1min, 1'000,
                                             [](const Uuid&) { return false; }));
    }

    std::vector<model::EventId> waiting_ids(std::int64_t origin = 1) {
        std::vector<model::EventId> found;
        for (const auto& queued : waiting(origin)) {
            found.push_back(queued.callback.id);
        }
        return found;
    }

    /// Two messages that end in one commit.
    std::vector<model::Callback> two_in_one_commit() {
        WriteBatch batch;
        std::vector<model::Callback> callbacks;
        for (const auto& message : {accepted(), accepted()}) {
            auto& made = batch.finishes.emplace_back(finish_of(message));
            made.callback = callbacks.emplace_back(callback_for(message));
        }
        write(batch);
        return callbacks;
    }

    model::CallbackProgress delivered() {
        return {.state = CallbackState::delivered,
                .attempts = 1,
                .due_at = clock.now(),
                .last_status = 204,
                .updated_at = clock.now()};
    }

    /// Shows what is hidden, and returns whose it was.
    std::vector<Endpoint> show() {
        WriteBatch batch;
        batch.shows_callbacks = true;
        write(batch);
        EXPECT_FALSE(batch.hides_callbacks);
        return batch.late_callbacks;
    }
};

TEST_P(CallbackJournalTest, AProcessThatEndsBeforeTheFirstResultLeavesAllOfThem) {
    const auto callbacks = two_in_one_commit();
    EXPECT_TRUE(waiting().empty());
    reopen();
    const auto found = waiting();
    ASSERT_EQ(found.size(), 2);
    EXPECT_EQ(found[0].callback.id, callbacks[0].id);
    EXPECT_EQ(found[0].callback.account, callbacks[0].account);
    EXPECT_EQ(found[0].callback.message, callbacks[0].message);
    EXPECT_EQ(found[0].callback.url, callbacks[0].url);
    EXPECT_EQ(found[0].callback.body, callbacks[0].body);
    EXPECT_EQ(found[0].callback.created_at, callbacks[0].created_at);
    EXPECT_EQ(found[0].progress.state, CallbackState::waiting);
    EXPECT_EQ(found[0].progress.attempts, 0);
    EXPECT_EQ(found[0].progress.due_at, callbacks[0].created_at);
    reopen();
    EXPECT_EQ(waiting_ids(), (std::vector{callbacks[0].id, callbacks[1].id}));
}

TEST_P(CallbackJournalTest, WhatWasDeliveredIsNotRepeatedWithTheOthersOfItsCommit) {
    const auto callbacks = two_in_one_commit();
    update(callbacks[0].id, delivered());
    const auto shown = take(reader()->callback(callbacks[0].id));
    ASSERT_TRUE(shown);
    EXPECT_EQ(shown->progress.state, CallbackState::delivered);
    EXPECT_EQ(shown->progress.last_status, 204);
    EXPECT_EQ(shown->callback.body, callbacks[0].body);
    reopen();
    EXPECT_EQ(waiting_ids(), std::vector{callbacks[1].id});
    update(callbacks[1].id, delivered());
    reopen();
    EXPECT_TRUE(waiting_ids().empty());
}

TEST_P(CallbackJournalTest, AFirstResultThatFailsWaitsForItsNextAttempt) {
    const auto callbacks = two_in_one_commit();
    auto failed = delivered();
    failed.state = CallbackState::waiting;
    failed.due_at = clock.now() + 5s;
    update(callbacks[0].id, failed);
    EXPECT_EQ(waiting_ids(), std::vector{callbacks[0].id});
    reopen();
    EXPECT_EQ(waiting_ids(), (std::vector{callbacks[1].id, callbacks[0].id}));
}

TEST_P(CallbackJournalTest, LateOnesAreShownAndTheirEndpointsGivenOut) {
    const auto callback = finished_with_callback(7);
    EXPECT_EQ(show(), (std::vector{Endpoint{.account = account, .origin_key = 7}}));
    EXPECT_EQ(waiting_ids(7), std::vector{callback.id});
    EXPECT_TRUE(show().empty());
    update(callback.id, delivered());
    EXPECT_TRUE(waiting_ids(7).empty());
}

TEST_P(CallbackJournalTest, NoneStaysHiddenForMoreThanSoManyCommits) {
    const auto callback = finished_with_callback(7);
    for (std::int64_t commit = 0; commit < sqlite::CallbackJournal::commits_max; ++commit) {
        WriteBatch batch;
        write(batch);
    }
    EXPECT_EQ(waiting_ids(7), std::vector{callback.id});
}

TEST_P(CallbackJournalTest, AFullDiskUndoesNothingOfWhatIsKept) {
    const auto callbacks = two_in_one_commit();
    const auto message = accepted();
    const auto refused = callback_for(message);
    {
        const auto full = GetParam().fill_disk();
        WriteBatch batch;
        batch.callback_updates.push_back({.event = callbacks[0].id, .progress = delivered()});
        batch.finishes.push_back(finish_of(message));
        batch.finishes.back().callback = refused;
        EXPECT_EQ(store->write(batch).error().code, ErrorCode::busy);
        batch.shows_callbacks = true;
        EXPECT_EQ(store->write(batch).error().code, ErrorCode::busy);
    }
    update(callbacks[0].id, delivered());
    show();
    EXPECT_EQ(waiting_ids(), std::vector{callbacks[1].id});
}

TEST_P(CallbackJournalTest, DamageWhereRowsAreWrittenKeepsThemForALaterStart) {
    for (int count = 0; count < 20; ++count) {
        (void)two_in_one_commit();
    }
    show();
    const auto hidden = two_in_one_commit();
    store.reset();
    GetParam().damage(directory.path(), "callback", Engine::last_part);
    reopen();
    EXPECT_GT(store->condition().damages(), 0);
    const auto damages = store->condition().damages();
    reopen();
    EXPECT_EQ(store->condition().damages(), damages);
    EXPECT_EQ(accepted().account, account);
}

TEST_P(CallbackJournalTest, AHiddenCallbackIsNotReplayedAndKeepsItsMessage) {
    const auto message = accepted();
    auto end = finish_of(message);
    end.callback = callback_for(message);
    const auto event = end.callback->id;
    ASSERT_TRUE(finish(std::move(end)));
    EXPECT_EQ(change([&](Tables& tables) { return tables.replay_callback(event, clock.now()); })
                  .error()
                  .code,
              ErrorCode::conflict);
    EXPECT_TRUE(change([&](Tables& tables) -> Result<void> {
        (void)take(tables.prune({.messages_before = clock.now() + 24h, .rows_max = 100}));
        return {};
    }));
    EXPECT_TRUE(take(reader()->message(message.id)));
}

INSTANTIATE_TEST_SUITE_P(Engines, CallbackJournalTest, ::testing::ValuesIn(engines()), name_of);

}  // namespace
}  // namespace merpati::store
