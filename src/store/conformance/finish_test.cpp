// Ending and rescheduling: only from the right place in the queue, and refunded once.
#include "store/conformance/store_fixture.hpp"

namespace merpati::store {
namespace {

using namespace std::chrono_literals;
using model::MessageState;

struct FinishTest : StoreTest {
    /// Moves the message from `queued_at` to `queue_at`.
    bool reschedule(const model::Message& message, Timestamp queued_at, Timestamp queue_at) {
        WriteBatch batch;
        batch.reschedules.push_back({.message = message.id,
                                     .device = message.device,
                                     .source = message.source,
                                     .queued_at = queued_at,
                                     .queue_at = queue_at,
                                     .attempts = 3,
                                     .last_details = "the platform is busy"});
        write(batch);
        return batch.reschedules.front().rescheduled;
    }

    void record_intent(const model::Message& message) {
        WriteBatch batch;
        batch.intents.push_back(
            {.message = message.id, .device = message.device, .queued_at = message.due_at});
        write(batch);
    }

    MessageRecord record_of(const model::Message& message) {
        auto record = take(reader()->message(message.id));
        EXPECT_TRUE(record);
        return record ? std::move(*record) : MessageRecord{};
    }
};

TEST_P(FinishTest, KeepsTheWholeCompletion) {
    const auto made = accepted();
    clock.advance(2s);
    ASSERT_TRUE(finish(finish_of(made)));
    const auto record = record_of(made);
    EXPECT_EQ(record.state, MessageState::sent);
    ASSERT_TRUE(record.completion);
    EXPECT_EQ(record.completion->state, MessageState::sent);
    EXPECT_EQ(record.completion->code, model::StatusCode::sent);
    EXPECT_EQ(record.completion->details, "Success");
    EXPECT_EQ(record.completion->platform_id, "3EB0F1");
    EXPECT_EQ(record.completion->finished_at, clock.now());
    EXPECT_EQ(record.completion->attempts, 1);
    EXPECT_EQ(record.attempts, 1);
}

/// The engine inserts rows of many messages with one statement.
TEST_P(FinishTest, KeepsTheRowsOfEachMessageOfALargeBatch) {
    constexpr std::size_t count = 21;
    WriteBatch accepting;
    std::vector<model::Message> made;
    for (std::size_t place = 0; place < count; ++place) {
        auto one = message();
        one->body = "text " + std::to_string(place);
        made.push_back(*one);
        accepting.accepts.push_back({.message = std::move(one)});
        if (place == 4) {
            accepting.accepts.back().is_permitted = [](const auto&) { return false; };
        }
    }
    write(accepting);
    EXPECT_EQ(lane_before(clock.now() + 1h).size(), count - 1);
    WriteBatch ending;
    std::vector<model::EventId> events;
    for (auto& one : made) {
        ending.finishes.push_back(finish_of(one));
        ending.finishes.back().completion.details = one.body;
        if (ending.finishes.size() % 3 != 0) {
            ending.finishes.back().callback = callback_for(one);
            events.push_back(ending.finishes.back().callback->id);
        }
    }
    write(ending);
    reopen();
    EXPECT_TRUE(lane_before(clock.now() + 1h).empty());
    EXPECT_FALSE(take(reader()->message(made[4].id)));
    for (std::size_t place = 0; place < count; ++place) {
        EXPECT_EQ(ending.finishes[place].finished, place != 4);
        if (place != 4) {
            const auto record = record_of(made[place]);
            EXPECT_EQ(record.message.body, made[place].body);
            ASSERT_TRUE(record.completion);
            EXPECT_EQ(record.completion->details, made[place].body);
        }
    }
    std::size_t found = 0;
    for (const auto& event : events) {
        found += take(reader()->callback(event)) ? 1 : 0;
    }
    EXPECT_EQ(found, events.size() - 1);  // Message 4 has none.
}

TEST_P(FinishTest, TakesTheMessageOutOfItsLane) {
    const auto made = accepted();
    ASSERT_TRUE(finish(finish_of(made)));
    EXPECT_TRUE(lane_before(clock.now() + 1h).empty());
    EXPECT_EQ(take(reader()->waiting_messages(100'000)), 0);
}

TEST_P(FinishTest, EndsAMessageOnlyOnce) {
    const auto made = accepted();
    ASSERT_TRUE(finish(finish_of(made)));
    auto again = finish_of(made, MessageState::failed);
    again.callback = callback_for(made);
    EXPECT_FALSE(finish(std::move(again)));
    EXPECT_EQ(record_of(made).state, MessageState::sent);
    EXPECT_TRUE(take(reader()->callbacks({})).records.empty());
}

TEST_P(FinishTest, EndsAMessageOnlyOnceWithinABatch) {
    account = create_account(1);
    const auto made = accepted();
    WriteBatch batch;
    batch.finishes.push_back(finish_of(made, MessageState::failed));
    batch.finishes.push_back(finish_of(made, MessageState::failed));
    write(batch);
    EXPECT_TRUE(batch.finishes[0].finished);
    EXPECT_FALSE(batch.finishes[1].finished);
    EXPECT_EQ(credit_of(account), 1);
}

TEST_P(FinishTest, DoesNothingToAMessageAtAnotherPositionOfItsLane) {
    const auto made = accepted();
    ASSERT_TRUE(reschedule(made, made.due_at, made.due_at + 1h));
    EXPECT_FALSE(finish(finish_of(made)));
    EXPECT_EQ(record_of(made).state, MessageState::pending);
}

TEST_P(FinishTest, StoresTheCallbackWithTheEnd) {
    const auto callback = finished_with_callback(77);
    const auto stored = take(reader()->callback(callback.id));
    ASSERT_TRUE(stored);
    EXPECT_EQ(stored->callback.id, callback.id);
    EXPECT_EQ(stored->callback.account, account);
    EXPECT_EQ(stored->callback.kind, model::CallbackKind::message_status);
    EXPECT_EQ(stored->callback.message, callback.message);
    EXPECT_EQ(stored->callback.url, callback.url);
    EXPECT_EQ(stored->callback.origin_key, 77);
    EXPECT_EQ(stored->callback.body, callback.body);
    EXPECT_EQ(stored->callback.created_at, clock.now());
    EXPECT_EQ(stored->progress.state, model::CallbackState::waiting);
    EXPECT_EQ(stored->progress.attempts, 0);
    EXPECT_EQ(stored->progress.due_at, clock.now());
}

TEST_P(FinishTest, GivesTheCreditOfAFailedMessageBack) {
    account = create_account(1);
    const auto made = accepted();
    ASSERT_EQ(credit_of(account), 0);
    ASSERT_TRUE(finish(finish_of(made, MessageState::failed)));
    EXPECT_EQ(credit_of(account), 1);
}

TEST_P(FinishTest, GivesTheCreditOfACancelledMessageBack) {
    account = create_account(1);
    const auto made = accepted();
    ASSERT_TRUE(finish(finish_of(made, MessageState::cancelled)));
    EXPECT_EQ(credit_of(account), 1);
}

TEST_P(FinishTest, GivesCreditBackOnce) {
    account = create_account(5);
    const auto made = accepted();
    ASSERT_TRUE(finish(finish_of(made, MessageState::failed)));
    EXPECT_FALSE(finish(finish_of(made, MessageState::failed)));
    EXPECT_EQ(credit_of(account), 5);
}

TEST_P(FinishTest, KeepsTheCreditOfWhatWasSentOrIsHeld) {
    account = create_account(2);
    ASSERT_TRUE(finish(finish_of(accepted(), MessageState::sent)));
    ASSERT_TRUE(finish(finish_of(accepted(), MessageState::held)));
    EXPECT_EQ(credit_of(account), 0);
}

TEST_P(FinishTest, GivesNothingBackThatWasNotTaken) {
    const auto made = accepted();
    ASSERT_TRUE(change([&](Tables& tables) { return tables.set_credit(account, 7, {}); }));
    ASSERT_TRUE(finish(finish_of(made, MessageState::failed)));
    EXPECT_EQ(credit_of(account), 7);
}

TEST_P(FinishTest, GivesNothingBackToAnAccountThatNoLongerCounts) {
    account = create_account(1);
    const auto made = accepted();
    ASSERT_TRUE(
        change([&](Tables& tables) { return tables.set_credit(account, std::nullopt, {}); }));
    ASSERT_TRUE(finish(finish_of(made, MessageState::failed)));
    EXPECT_EQ(credit_of(account), std::nullopt);
}

TEST_P(FinishTest, CreditGivenBackMayBeSpentInTheSameBatch) {
    account = create_account(1);
    const auto made = accepted();
    WriteBatch batch;
    batch.finishes.push_back(finish_of(made, MessageState::failed));
    batch.accepts.push_back({.message = message()});
    batch.accepts.push_back({.message = message()});
    write(batch);
    EXPECT_EQ(batch.accepts[0].result, Accept::Result::stored);
    EXPECT_EQ(batch.accepts[1].result, Accept::Result::credit_exhausted);
    EXPECT_EQ(credit_of(account), 0);
}

TEST_P(FinishTest, ARescheduledMessageIsQueuedAtItsNewTime) {
    const auto made = accepted();
    ASSERT_TRUE(reschedule(made, made.due_at, clock.now() + 10min));
    EXPECT_TRUE(lane_before(clock.now() + 10min).empty());
    EXPECT_EQ(lane_before(clock.now() + 10min + 1ms), std::vector{made.id});

    const auto record = record_of(made);
    EXPECT_EQ(record.state, MessageState::pending);
    EXPECT_EQ(record.queued_at, clock.now() + 10min);
    EXPECT_EQ(record.attempts, 3);
    EXPECT_EQ(record.last_details, "the platform is busy");
}

TEST_P(FinishTest, ARescheduledMessageCanBePutBackAgainAndEnded) {
    const auto made = accepted();
    ASSERT_TRUE(reschedule(made, made.due_at, clock.now() + 10min));
    ASSERT_TRUE(reschedule(made, clock.now() + 10min, clock.now() + 10min + 1s));
    auto ending = finish_of(made);
    ending.queued_at = clock.now() + 10min + 1s;
    EXPECT_TRUE(finish(std::move(ending)));
    EXPECT_EQ(take(reader()->waiting_messages(100'000)), 0);
}

TEST_P(FinishTest, AMessageThatEndedIsNotPutBack) {
    const auto made = accepted();
    ASSERT_TRUE(finish(finish_of(made)));
    EXPECT_FALSE(reschedule(made, made.due_at, clock.now() + 10min));
    EXPECT_EQ(take(reader()->waiting_messages(100'000)), 0);
}

TEST_P(FinishTest, AMessageThatIsPerhapsSentStaysSoUntilItEnds) {
    const auto made = accepted();
    WriteBatch batch;
    batch.reschedules.push_back({.message = made.id,
                                 .device = made.device,
                                 .queued_at = made.due_at,
                                 .queue_at = made.due_at + 1s,
                                 .perhaps_sent = true});
    write(batch);
    reopen();
    const auto loaded = take(reader()->load_lane(device, model::Source::api, clock.now() + 1h, 10,
                                                 [](const Uuid&) { return false; }));
    ASSERT_EQ(loaded.size(), 1);
    EXPECT_TRUE(loaded[0].perhaps_sent);
    EXPECT_TRUE(take(reader()->find_queued(made))->perhaps_sent);
    EXPECT_FALSE(take(reader()->find_queued(accepted()))->perhaps_sent);
}

TEST_P(FinishTest, AnIntentIsLoadedWithTheLane) {
    const auto quiet = accepted();
    const auto sending = accepted();
    record_intent(sending);
    reopen();
    const auto loaded = take(reader()->load_lane(device, model::Source::api, clock.now() + 1ms, 10,
                                                 [](const Uuid&) { return false; }));
    ASSERT_EQ(loaded.size(), 2);
    EXPECT_FALSE(loaded[0].intent_recorded);
    EXPECT_TRUE(loaded[1].intent_recorded);
    EXPECT_EQ(record_of(sending).state, MessageState::sending);
    EXPECT_EQ(record_of(quiet).state, MessageState::pending);
}

TEST_P(FinishTest, ReschedulingAMessageClearsItsIntent) {
    const auto made = accepted();
    record_intent(made);
    ASSERT_TRUE(reschedule(made, made.due_at, clock.now() + 1min));
    EXPECT_EQ(record_of(made).state, MessageState::pending);
}

TEST_P(FinishTest, AnIntentOfAMessageThatEndedDoesNothing) {
    const auto made = accepted();
    ASSERT_TRUE(finish(finish_of(made)));
    record_intent(made);
    EXPECT_EQ(record_of(made).state, MessageState::sent);
    EXPECT_EQ(take(reader()->waiting_messages(100'000)), 0);
}

TEST_P(FinishTest, AHeldMessageWaitsInNoLaneUntilItIsReleased) {
    const auto made = accepted();
    ASSERT_TRUE(finish(finish_of(made, MessageState::held)));
    EXPECT_TRUE(lane_before(clock.now() + 1h).empty());
    EXPECT_EQ(record_of(made).state, MessageState::held);

    clock.advance(2h);
    ASSERT_TRUE(change(
        [&](Tables& tables) { return tables.release_message(made.id, clock.now(), clock.now()); }));
    const auto record = record_of(made);
    EXPECT_EQ(record.state, MessageState::pending);
    EXPECT_EQ(record.queued_at, clock.now());
    EXPECT_EQ(lane_before(clock.now() + 1ms), std::vector{made.id});
    EXPECT_TRUE(take(reader()->find_queued(made))->perhaps_sent);
    auto ending = finish_of(made);
    ending.queued_at = clock.now();
    EXPECT_TRUE(finish(std::move(ending)));
}

TEST_P(FinishTest, AReleasedMessageIsStillSentAsTheFallbackTemplateIfItWasBefore) {
    const auto made = accepted();
    auto ending = finish_of(made, MessageState::held);
    ending.completion.as_template = true;
    ASSERT_TRUE(finish(std::move(ending)));
    ASSERT_TRUE(change(
        [&](Tables& tables) { return tables.release_message(made.id, clock.now(), clock.now()); }));
    EXPECT_TRUE(take(reader()->find_queued(made))->as_template);
}

TEST_P(FinishTest, ReleasesOnlyWhatIsHeld) {
    const auto waiting = accepted();
    const auto sent = accepted();
    ASSERT_TRUE(finish(finish_of(sent)));
    const auto release = [&](model::MessageId id) {
        return change([&, id](Tables& tables) {
            return tables.release_message(id, clock.now(), clock.now());
        });
    };
    EXPECT_EQ(release(sent.id).error().code, ErrorCode::conflict);
    EXPECT_EQ(release(waiting.id).error().code, ErrorCode::conflict);
    EXPECT_EQ(release(ids.next()).error().code, ErrorCode::not_found);
    EXPECT_EQ(take(reader()->waiting_messages(100'000)), 1);
}

TEST_P(FinishTest, AHeldMessageCanBeFailedOnceWithItsCreditBackAndItsCallback) {
    account = create_account(3);
    const auto made = accepted();
    ASSERT_TRUE(finish(finish_of(made, MessageState::held)));
    ASSERT_EQ(credit_of(account), 2);

    clock.advance(1h);
    const auto callback = callback_for(made);
    const model::Completion failed{.state = MessageState::failed,
                                   .code = model::StatusCode::failed,
                                   .details = "given up",
                                   .finished_at = clock.now()};
    const auto fail_it = [&](model::MessageId id) {
        return change(
            [&, id](Tables& tables) { return tables.fail_message(id, failed, callback); });
    };
    ASSERT_TRUE(fail_it(made.id));
    const auto record = record_of(made);
    EXPECT_EQ(record.state, MessageState::failed);
    EXPECT_EQ(record.completion->code, model::StatusCode::failed);
    EXPECT_EQ(record.completion->details, "given up");
    EXPECT_EQ(record.completion->finished_at, clock.now());
    EXPECT_EQ(record.completion->attempts, 1);
    EXPECT_EQ(credit_of(account), 3);
    EXPECT_TRUE(take(reader()->callback(callback.id)));

    EXPECT_EQ(fail_it(made.id).error().code, ErrorCode::conflict);
    EXPECT_EQ(fail_it(accepted().id).error().code, ErrorCode::conflict);
    EXPECT_EQ(fail_it(ids.next()).error().code, ErrorCode::not_found);
    EXPECT_EQ(credit_of(account), 2);  // The waiting message is charged.
}

TEST_P(FinishTest, FailingAHeldMessageDoesNotUndoAToppingUpInTheSameBatch) {
    account = create_account(1);
    const auto made = accepted();
    ASSERT_TRUE(finish(finish_of(made, MessageState::held)));
    WriteBatch batch;
    batch.changes.push_back(
        {.run = [&](Tables& tables) { return tables.fail_message(made.id, {}, std::nullopt); }});
    batch.changes.push_back({.run = [&](Tables& tables) -> Result<void> {
        EXPECT_EQ(take(tables.add_credit(account, 10, {})), 11);
        return {};
    }});
    batch.accepts.push_back({.message = message()});
    write(batch);
    EXPECT_EQ(credit_of(account), 10);
}

INSTANTIATE_TEST_SUITE_P(Engines, FinishTest, ::testing::ValuesIn(engines_and_cuts()), name_of);

}  // namespace
}  // namespace merpati::store
