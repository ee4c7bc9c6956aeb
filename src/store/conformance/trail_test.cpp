// Steps of messages and attempts of callbacks: none if all went well, and bounded in number.
#include <filesystem>

#include "store/conformance/store_fixture.hpp"

namespace merpati::store {
namespace {

using namespace std::chrono_literals;
using model::CallbackState;
using model::MessageEvent;
using model::MessageState;
using model::MessageStep;
using model::WaitReason;

struct TrailTest : StoreTest {
    MessageTrail trail_of(const model::Message& message) {
        return take(reader()->trail(message.id));
    }
    std::vector<model::CallbackAttempt> attempts_of(const model::Callback& callback) {
        return take(reader()->attempts(callback.id));
    }
    void attempt(const model::Callback& callback, model::CallbackProgress progress,
                 std::string answer = {}) {
        progress.updated_at = clock.now();
        WriteBatch batch;
        batch.callback_updates.push_back({.event = callback.id,
                                          .progress = std::move(progress),
                                          .took = 120ms,
                                          .answer = std::move(answer)});
        write(batch);
    }
    void fail_attempt(const model::Callback& callback, std::uint32_t number) {
        attempt(callback,
                {.state = CallbackState::waiting,
                 .attempts = number,
                 .due_at = clock.now() + 5s,
                 .last_status = 503,
                 .last_error = "HTTP 503"},
                "try later");
    }
    void replay(const model::Callback& callback) {
        EXPECT_TRUE(change([&](Tables& tables) {
            return tables.replay_callback(callback.id, clock.now(), clock.now());
        }));
    }
    Reschedule reschedule_of(const model::Message& message, Timestamp queued_at) {
        return {.message = message.id,
                .device = message.device,
                .queued_at = queued_at,
                .queue_at = queued_at + 5s,
                .attempts = 1,
                .last_details = "busy",
                .events = {{.step = MessageStep::attempted,
                            .at = clock.now(),
                            .until = queued_at + 5s,
                            .code = 500,
                            .details = "busy"}}};
    }
    void prune() {
        for (PruneStep step; step.removed > 0 || !step.complete;) {
            EXPECT_TRUE(change_once([&](Tables& tables) -> Result<void> {
                step = take(tables.prune(
                    {.messages_before = clock.now() - 720h, .idempotency_before = clock.now()}));
                return {};
            }));
        }
    }
};

TEST_P(TrailTest, OfAMessageSentAtOnceNothingIsWrittenBesideItsRecord) {
    const auto callback = finished_with_callback();
    attempt(callback, {.state = CallbackState::delivered, .attempts = 1, .last_status = 200}, "ok");
    EXPECT_TRUE(take(reader()->trail(*callback.message)).events.empty());
    const auto attempts = attempts_of(callback);
    ASSERT_EQ(attempts.size(), 1);
    EXPECT_EQ(attempts[0].number, 1);
    EXPECT_EQ(attempts[0].at, clock.now());
    EXPECT_EQ(attempts[0].took, 120ms);
    EXPECT_EQ(attempts[0].status, 200);
    EXPECT_EQ(attempts[0].answer, "ok");
    EXPECT_EQ(attempts[0].retry_at, std::nullopt);
}

TEST_P(TrailTest, AnAttemptNamesTheRequestThatCarriedSeveral) {
    const auto callback = finished_with_callback();
    const model::PostedBatch batch{.id = ids.next(), .events = 40};
    attempt(callback, {.attempts = 1, .due_at = clock.now(), .batch = batch});
    EXPECT_EQ(take(reader()->callback(callback.id))->progress.batch, batch);
    attempt(callback, {.state = CallbackState::delivered, .attempts = 2});
    EXPECT_EQ(take(reader()->callback(callback.id))->progress.batch, std::nullopt);
    const auto attempts = attempts_of(callback);
    ASSERT_EQ(attempts.size(), 2);
    EXPECT_EQ(attempts[0].batch, batch);
    EXPECT_EQ(attempts[1].batch, std::nullopt);
}

/// The engine writes equal results of callbacks whose ids follow each other with one statement.
TEST_P(TrailTest, EachCallbackOfARequestGetsItsOwnResult) {
    const auto callbacks = finished_together(20);
    const auto first = callbacks.begin() + 2;  // The others are not in the request.
    const auto last = callbacks.end() - 2;
    const auto asked_again = callbacks.begin() + 9;
    clock.advance(1s);
    const model::PostedBatch batch{.id = ids.next(), .events = 16};
    const auto again_at = clock.now() + 5s;
    WriteBatch results;
    for (auto one = first; one != last; ++one) {
        const bool is_delivered = one != asked_again;
        results.callback_updates.push_back(
            {.event = one->id,
             .progress = {.state = is_delivered ? CallbackState::delivered : CallbackState::waiting,
                          .attempts = 1,
                          .due_at = is_delivered ? one->created_at : again_at,
                          .last_status = 200,
                          .last_error = is_delivered ? "" : "asked again",
                          .updated_at = clock.now(),
                          .batch = batch},
             .took = 120ms,
             .answer = "ok"});
    }
    write(results);
    reopen();
    for (auto one = callbacks.begin(); one != callbacks.end(); ++one) {
        const bool is_posted = one >= first && one < last;
        const auto stored = take(reader()->callback(one->id));
        ASSERT_TRUE(stored);
        const auto& progress = stored->progress;
        EXPECT_EQ(progress.state, is_posted && one != asked_again ? CallbackState::delivered
                                                                  : CallbackState::waiting);
        EXPECT_EQ(progress.due_at, one == asked_again ? again_at : one->created_at);
        EXPECT_EQ(progress.last_error, one == asked_again ? "asked again" : "");
        EXPECT_EQ(progress.batch, is_posted ? std::optional{batch} : std::nullopt);
        const auto attempts = attempts_of(*one);
        ASSERT_EQ(attempts.size(), is_posted ? 1U : 0U);
        if (is_posted) {
            EXPECT_EQ(attempts[0].at, clock.now());
            EXPECT_EQ(attempts[0].took, 120ms);
            EXPECT_EQ(attempts[0].status, 200);
            EXPECT_EQ(attempts[0].answer, "ok");
        }
    }
}

/// Of several processes each makes its own ids, which do not follow those of others.
TEST_P(TrailTest, ResultsOfOneSourceOfIdsAreNotThoseOfAnother) {
    const auto made = finished_together(24);
    UuidSource own{clock, random, ids.next().sequence(), IdSlot{5}};
    std::vector<model::Callback> posted;
    std::vector<model::Callback> others;
    for (const auto& callback : made) {
        posted.push_back(callback);
        posted.back().id = own.next();
        others.push_back(callback);
        others.back().id = {posted.back().id.sequence() + 1, 7};
    }
    ASSERT_TRUE(change([&](Tables& tables) -> Result<void> {
        for (std::size_t place = 0; place < made.size(); ++place) {
            take(tables.add_callback(posted[place]));
            take(tables.add_callback(others[place]));
        }
        return {};
    }));
    WriteBatch results;
    for (const auto& callback : posted) {
        results.callback_updates.push_back({.event = callback.id,
                                            .progress = {.state = CallbackState::delivered,
                                                         .attempts = 1,
                                                         .due_at = callback.created_at,
                                                         .last_status = 204,
                                                         .last_error = {},
                                                         .updated_at = clock.now()},
                                            .took = 10ms});
    }
    write(results);
    for (std::size_t place = 0; place < made.size(); ++place) {
        EXPECT_EQ(take(reader()->callback(posted[place].id))->progress.state,
                  CallbackState::delivered);
        EXPECT_EQ(take(reader()->callback(others[place].id))->progress.state,
                  CallbackState::waiting);
    }
}

TEST_P(TrailTest, EventsAreWrittenWithWhatTheyTellOf) {
    const auto message = accepted();
    WriteBatch first;
    first.reschedules.push_back(reschedule_of(message, message.due_at));
    write(first);
    clock.advance(5s);
    auto end = finish_of(message);
    end.queued_at = message.due_at + 5s;
    end.completion.took = 80ms;
    end.events = {MessageEvent::wait(WaitReason::pace, message.due_at + 5s, clock.now() + 1s)};
    ASSERT_TRUE(finish(std::move(end)));

    const auto events = trail_of(message).events;
    ASSERT_EQ(events.size(), 2);
    EXPECT_EQ(events[0].step, MessageStep::attempted);
    EXPECT_EQ(events[0].until, message.due_at + 5s);
    EXPECT_EQ(events[0].code, 500);
    EXPECT_EQ(events[0].details, "busy");
    EXPECT_EQ(events[1].reason(), WaitReason::pace);
    EXPECT_EQ(events[1].until, clock.now() + 1s);
    EXPECT_EQ(take(reader()->message(message.id))->completion->took, 80ms);
}

TEST_P(TrailTest, AnEventOfAMessageThatHadEndedIsNotWritten) {
    const auto message = accepted();
    ASSERT_TRUE(finish(finish_of(message)));
    WriteBatch late;
    late.reschedules.push_back(reschedule_of(message, message.due_at));
    write(late);
    EXPECT_TRUE(trail_of(message).events.empty());
}

TEST_P(TrailTest, OfManyEventsTheFirstAndTheLastAreKept) {
    const auto message = accepted();
    constexpr std::uint32_t count = 200;
    EXPECT_TRUE(change([&](Tables& tables) -> Result<void> {
        for (std::uint32_t number = 1; number <= count; ++number) {
            EXPECT_TRUE(
                tables.note_event(message.id, {.step = MessageStep::hastened, .at = clock.now()}));
        }
        return {};
    }));
    const auto events = trail_of(message).events;
    ASSERT_EQ(events.size(), MessageEvent::first_kept + MessageEvent::last_kept);
    EXPECT_EQ(events.front().number, 1);
    EXPECT_EQ(events[MessageEvent::first_kept - 1].number, MessageEvent::first_kept);
    EXPECT_EQ(events[MessageEvent::first_kept].number, count - MessageEvent::last_kept + 1);
    EXPECT_EQ(events.back().number, count);
}

TEST_P(TrailTest, KnowsWhenAMessageWasHandedOver) {
    const auto message = accepted();
    WriteBatch batch;
    batch.hand_overs.push_back({.message = message.id,
                                .device = message.device,
                                .queued_at = message.due_at,
                                .platform_id = "3EB0",
                                .decide_by = clock.now() + 1min,
                                .attempts = 1,
                                .at = clock.now()});
    write(batch);
    EXPECT_EQ(trail_of(message).handed_over_at, clock.now());
}

TEST_P(TrailTest, AReleaseKeepsThatTheMessageWasHeld) {
    const auto message = accepted();
    ASSERT_TRUE(finish(finish_of(message, MessageState::held)));
    clock.advance(1h);
    EXPECT_TRUE(change([&](Tables& tables) {
        return tables.release_message(message.id, clock.now(), clock.now() + 7h);
    }));
    const auto events = trail_of(message).events;
    ASSERT_EQ(events.size(), 2);
    EXPECT_EQ(events[0].step, MessageStep::held);
    EXPECT_EQ(events[0].at, clock.now() - 1h);
    EXPECT_EQ(events[1].step, MessageStep::released);
    EXPECT_EQ(events[1].at, clock.now() + 7h);  // By the wall clock.
}

TEST_P(TrailTest, AMessageIsRetriedOnceAndBothNameTheOther) {
    const auto failed = accepted();
    ASSERT_TRUE(finish(finish_of(failed, MessageState::failed)));
    const auto retry = [&] {
        Accept accept{.message = message(), .retry_of = failed.id};
        WriteBatch batch;
        batch.accepts.push_back(std::move(accept));
        write(batch);
        return std::move(batch.accepts.front());
    };
    const auto first = retry();
    ASSERT_EQ(first.result, Accept::Result::stored);
    const auto events = take(reader()->trail(first.message->id)).events;
    ASSERT_EQ(events.size(), 1);
    EXPECT_EQ(events[0].step, MessageStep::retry_of);
    EXPECT_EQ(events[0].details, failed.id.text());
    ASSERT_EQ(trail_of(failed).events.size(), 1);
    EXPECT_EQ(trail_of(failed).events[0].details, first.message->id.text());

    WriteBatch again;
    again.accepts.push_back(retry());
    for (int times = 0; times < 2; ++times) {  // Also when it is written once more.
        EXPECT_EQ(again.accepts.front().result, Accept::Result::retried_before);
        EXPECT_EQ(again.accepts.front().retried_as, first.message->id);
        write(again);
    }
    const auto second = std::move(again.accepts.front());
    EXPECT_FALSE(take(reader()->message(second.message->id)));
}

TEST_P(TrailTest, EachAttemptOfACallbackIsKept) {
    const auto callback = finished_with_callback();
    fail_attempt(callback, 1);
    clock.advance(5s);
    fail_attempt(callback, 2);
    clock.advance(5s);
    attempt(callback, {.state = CallbackState::delivered, .attempts = 3, .last_status = 204});
    const auto attempts = attempts_of(callback);
    ASSERT_EQ(attempts.size(), 3);
    EXPECT_EQ(attempts[0].number, 1);
    EXPECT_EQ(attempts[0].at, clock.now() - 10s);
    EXPECT_EQ(attempts[0].retry_at, clock.now() - 5s);
    EXPECT_EQ(attempts[0].error, "HTTP 503");
    EXPECT_EQ(attempts[0].answer, "try later");
    EXPECT_EQ(attempts[2].status, 204);
    EXPECT_EQ(attempts[2].error, "");
    EXPECT_EQ(attempts[2].retry_at, std::nullopt);
}

TEST_P(TrailTest, AReplayGoesOnCountingAndKeepsTheLastAttempts) {
    const auto callback = finished_with_callback();
    constexpr std::uint32_t rounds = 50;
    for (std::uint32_t round = 0; round < rounds; ++round) {
        attempt(callback, {.state = CallbackState::gone, .attempts = 1, .last_status = 410});
        replay(callback);
    }
    EXPECT_EQ(attempts_of(callback).size(), 32);
    EXPECT_EQ(attempts_of(callback).back().number, rounds);
    EXPECT_EQ(attempts_of(callback).back().retry_at, std::nullopt);
    attempt(callback, {.state = CallbackState::delivered, .attempts = 1, .last_status = 200});
    EXPECT_EQ(attempts_of(callback).back().number, rounds + 1);
    EXPECT_EQ(take(reader()->callback(callback.id))->progress.attempts, 1);
}

TEST_P(TrailTest, RetentionRemovesTheTrailWithItsMessage) {
    const auto callback = finished_with_callback();
    fail_attempt(callback, 1);
    attempt(callback, {.state = CallbackState::delivered, .attempts = 2, .last_status = 200});
    EXPECT_TRUE(change([&](Tables& tables) {
        return tables.note_event(*callback.message, {.step = MessageStep::read, .at = clock.now()});
    }));
    clock.advance(721h);
    prune();
    EXPECT_TRUE(take(reader()->trail(*callback.message)).events.empty());
    EXPECT_TRUE(attempts_of(callback).empty());
}

TEST_P(TrailTest, CountsWhatWaitsForAnEndpointUpToALimit) {
    for (int made = 0; made < 5; ++made) {
        finished_with_callback(7);
    }
    EXPECT_EQ(take(reader()->callbacks_waiting({account, 7}, 100)), 5);
    EXPECT_EQ(take(reader()->callbacks_waiting({account, 7}, 3)), 3);
    EXPECT_EQ(take(reader()->callbacks_waiting({account, 8}, 3)), 0);
}

TEST_P(TrailTest, ListsCallbacksOfASpanOfTime) {
    finished_with_callback();
    clock.advance(1h);
    const auto from = clock.now();
    const auto wanted = finished_with_callback();
    clock.advance(1h);
    finished_with_callback();
    const auto found =
        take(reader()->callbacks({.account = account, .since = from, .until = from + 30min}))
            .records;
    ASSERT_EQ(found.size(), 1);
    EXPECT_EQ(found[0].callback.id, wanted.id);
}

INSTANTIATE_TEST_SUITE_P(Engines, TrailTest, ::testing::ValuesIn(engines()), name_of);

}  // namespace
}  // namespace merpati::store
