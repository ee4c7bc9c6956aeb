// Damage: only operations that need the damaged rows fail.
#include <algorithm>
#include <unordered_map>

#include "store/conformance/store_fixture.hpp"

namespace merpati::store {
namespace {

using namespace std::chrono_literals;

constexpr int each = 300;  // Messages of a device, so that its queue has several parts.

struct DamageTest : StoreTest {
    DamageTest() {
        for (const auto number : {device, other}) {
            EXPECT_TRUE(add_device({.number = number, .account = account}));
        }
    }

    void fill() {
        WriteBatch batch;
        for (int count = 0; count < each; ++count) {
            for (const auto number : {device, other}) {
                auto made = message();
                made->device = number;
                messages[number].push_back(*made);
                batch.accepts.push_back({.message = std::move(made)});
            }
        }
        write(batch);
    }

    void damage(std::string_view table, std::size_t part) {
        store.reset();
        damages.push_back(GetParam().damage(directory.path(), table, part));
        store = take(open_store(options));
    }

    Result<std::vector<QueuedMessage>> lane(model::PhoneNumber number) {
        return reader()->load_lane(number, model::Source::api, clock.now() + 1s, 2 * each,
                                   [](const Uuid&) { return false; });
    }

    /// Damages a table of counts: messages are accepted, charged and ended as before, also after a
    /// restart.
    void expect_left_out(const char* table) {
        account = create_account(1'000);
        const auto ending = [&] {
            auto made = *message();
            EXPECT_EQ(accept(made), Accept::Result::stored);
            auto end = finish_of(made);
            end.sent = SentRecord{.last_at = clock.now(), .of_day = 1};
            return end;
        };
        ASSERT_TRUE(finish(ending()));
        auto before = ending();
        damage(table, 0);
        EXPECT_TRUE(finish(std::move(before)));
        EXPECT_TRUE(finish(ending()));
        EXPECT_EQ(credit_of(account), 1'000 - 3);
        EXPECT_EQ(store->condition().damages(), 1);
        reopen();
        EXPECT_TRUE(finish(ending()));
    }

    std::vector<std::shared_ptr<void>> damages;
    model::PhoneNumber other = model::PhoneNumber::from_stored(6281100000002);
    std::unordered_map<model::PhoneNumber, std::vector<model::Message>> messages;
};

TEST_P(DamageTest, ADamagedMessageKeepsNoOtherFromItsLane) {
    fill();
    damage("message", 2);
    for (const auto number : {device, other}) {
        const auto loaded = take(lane(number));
        EXPECT_LT(loaded.size(), each);
        EXPECT_GT(loaded.size(), each - 60);
        EXPECT_FALSE(store->condition().is_damaged(number));
    }
    const auto damages = store->condition().damages();
    EXPECT_GT(damages, 0);
    EXPECT_TRUE(store->condition().trouble().contains("is damaged"))
        << store->condition().trouble();
    (void)lane(device);  // The same places are not counted twice.
    EXPECT_EQ(store->condition().damages(), damages);

    auto one = take(lane(device));
    EXPECT_TRUE(finish(finish_of(*one.front().message)));
    accepted();
}

TEST_P(DamageTest, ADamagedQueueStopsItsLaneAlone) {
    fill();
    damage("queue", 1);
    ASSERT_EQ(lane(device).error().code, ErrorCode::damaged);
    EXPECT_TRUE(store->condition().is_damaged(device));
    EXPECT_FALSE(store->condition().is_damaged(other));
    EXPECT_EQ(take(lane(other)).size(), each);
}

TEST_P(DamageTest, TheOtherLanesAreFoundAtAStart) {
    fill();
    damage("queue", 0);
    const auto lanes = take(reader()->lanes());
    ASSERT_EQ(lanes.size(), 1);
    EXPECT_EQ(lanes.front().device, other);
    EXPECT_TRUE(store->condition().is_damaged(device));
}

TEST_P(DamageTest, TheWriterLeavesOutWhatIsDamagedAndWritesTheRest) {
    fill();
    damage("queue", 1);
    WriteBatch batch;
    for (const auto number : {device, other}) {
        for (const auto& made : messages[number]) {
            batch.finishes.push_back(finish_of(made));
        }
    }
    batch.accepts.push_back({.message = message()});
    batch.accepts.back().message->device = other;
    batch.accepts.back().message->due_at = clock.now() + 1h;
    batch.changes.push_back({.run = [](Tables&) -> Result<void> { return {}; }});
    batch.changes.push_back({.run = [](Tables&) -> Result<void> { return {}; }, .lasting = true});
    write(batch);
    std::size_t damaged = 0;
    for (const auto& finish : batch.finishes) {
        EXPECT_NE(finish.finished, finish.damaged);
        EXPECT_FALSE(finish.damaged && finish.message->device == other);
        damaged += finish.damaged ? 1 : 0;
    }
    EXPECT_EQ(damaged, each);  // The whole lane stops.
    const auto days = take(
        reader()->usage({.account = account, .since = Timestamp{}, .until = clock.now() + 24h}));
    ASSERT_EQ(days.size(), 1U);
    EXPECT_EQ(days[0].sent, each);  // Writes that were undone and repeated count once.
    EXPECT_EQ(batch.accepts.front().result, Accept::Result::stored);
    EXPECT_EQ(batch.changes.front().result.error().code, ErrorCode::busy);
    EXPECT_TRUE(batch.changes.back().result);
    EXPECT_TRUE(store->condition().is_damaged(device));
    EXPECT_FALSE(store->condition().is_damaged(other));

    reopen();
    EXPECT_EQ(take(lane(other)).size(), 0);
    EXPECT_TRUE(take(reader()->message(messages[other].front().id))->completion);
}

TEST_P(DamageTest, AMessageThatWasHandedOverAndCannotBeReadDelaysNoOther) {
    fill();
    WriteBatch batch;
    for (const auto& made : messages[device]) {
        batch.hand_overs.push_back({.message = made.id,
                                    .device = device,
                                    .queued_at = made.due_at,
                                    .platform_id = made.id.text(),
                                    .decide_by = clock.now(),
                                    .attempts = 1});
    }
    write(batch);
    damage("message", 2);
    std::size_t decided = 0;
    const auto decide = [&](Tables& tables) -> Result<void> {
        const auto due = tables.undecided(clock.now(), each, ShardSet::all());
        decided = due ? due->size() : 0;
        EXPECT_EQ(tables.next_decide_by().value_or(std::nullopt), clock.now());
        return due ? Result<void>{} : pass(due);
    };
    const auto met = change(decide);
    ASSERT_FALSE(met);
    EXPECT_EQ(met.error().code, ErrorCode::damaged);
    const auto damages = store->condition().damages();
    EXPECT_GT(damages, 0);
    EXPECT_TRUE(change(decide));
    EXPECT_GT(decided, each - 60);
    EXPECT_LT(decided, each);
    EXPECT_EQ(store->condition().damages(), damages);
}

TEST_P(DamageTest, AnAcceptThatMeetsDamageIsRefusedAndCostsNothing) {
    ASSERT_TRUE(change([&](Tables& tables) { return tables.set_credit(account, 1'000, {}); }));
    fill();
    damage("message", Engine::last_part);
    auto refused = *message();
    EXPECT_EQ(accept(refused), Accept::Result::damaged);
    EXPECT_EQ(credit_of(account), 1'000 - 2 * each);
    EXPECT_FALSE(store->condition().is_damaged(device));  // Waiting messages can still be sent.
}

TEST_P(DamageTest, CountsOfUsageThatCannotBeWrittenAreLeftOutAlone) {
    expect_left_out("usage");
}

TEST_P(DamageTest, LedgerRowsThatCannotBeWrittenAreLeftOutAlone) {
    expect_left_out("ledger");
}

TEST_P(DamageTest, WhatALaneSentIsLeftOutAloneIfItCannotBeWritten) {
    expect_left_out("lane");
}

TEST_P(DamageTest, DamageThatAFullDiskHidesIsNotCountedTwice) {
    fill();
    damage("queue", 1);
    auto full = GetParam().fill_disk();
    for (int count = 0; count < 40; ++count) {
        WriteBatch batch;
        for (const auto& made : messages[device]) {
            batch.finishes.push_back(finish_of(made));
        }
        batch.changes.push_back(
            {.run = [](Tables& tables) { return tables.set_clock_offset(Millis{7}); },
             .lasting = true});
        const auto written = store->write(batch);
        ASSERT_FALSE(written);
        ASSERT_EQ(written.error().code, ErrorCode::busy) << written.error().describe();
    }
    full.reset();
    accepted();
}

TEST_P(DamageTest, ACallbackThatCannotBeRecordedDelaysNoOther) {
    std::vector<model::Callback> callbacks;
    for (int count = 0; count < 100; ++count) {
        callbacks.push_back(finished_with_callback());
    }
    damage("callback", 1);
    const auto loaded = take(reader()->load_callbacks({account, 1}, clock.now() + 1s, 200,
                                                      [](const Uuid&) { return false; }));
    EXPECT_GT(loaded.size(), 0);
    EXPECT_LT(loaded.size(), 100);
    EXPECT_EQ(store->condition().damages(), 100 - loaded.size());
    WriteBatch batch;
    for (const auto& callback : callbacks) {
        batch.callback_updates.push_back(
            {.event = callback.id,
             .progress = {.state = model::CallbackState::delivered, .updated_at = clock.now()}});
    }
    write(batch);
    const auto damaged = std::ranges::count(batch.callback_updates, true, &CallbackUpdate::damaged);
    EXPECT_GT(damaged, 0);
    EXPECT_LT(damaged, 100);
    EXPECT_GT(store->condition().damages(), 0);
}

TEST_P(DamageTest, OfResultsThatAreWrittenTogetherOnlyThoseOfDamagedRowsAreLeftOut) {
    const auto callbacks = finished_together(100);
    damage("callback", 1);
    WriteBatch batch;
    for (const auto& callback : callbacks) {
        batch.callback_updates.push_back({.event = callback.id,
                                          .progress = {.state = model::CallbackState::delivered,
                                                       .attempts = 1,
                                                       .updated_at = clock.now()}});
    }
    write(batch);
    for (const auto& update : batch.callback_updates) {
        const auto stored = reader()->callback(update.event);
        EXPECT_EQ(stored.has_value(), !update.damaged);
        if (stored) {
            ASSERT_TRUE(*stored);
            EXPECT_EQ((*stored)->progress.state, model::CallbackState::delivered);
        }
    }
    const auto damaged = std::ranges::count(batch.callback_updates, true, &CallbackUpdate::damaged);
    EXPECT_GT(damaged, 0);
    EXPECT_LT(damaged, 100);
}

INSTANTIATE_TEST_SUITE_P(Engines, DamageTest, ::testing::ValuesIn(engines_by_damage()), name_of);

}  // namespace
}  // namespace merpati::store
