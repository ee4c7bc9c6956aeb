// A full disk, or a locked store: the whole batch is undone, and written once there is room.
#include "store/conformance/store_fixture.hpp"

namespace merpati::store {
namespace {

Result<void> nothing(Tables&) {
    return {};
}

struct FullDiskTest : StoreTest {
    FullDiskTest() { EXPECT_TRUE(add_device({.number = device, .account = account})); }

    bool waits(const model::Message& message) {
        return !take(reader()->message(message.id))->completion.has_value();
    }
};

TEST_P(FullDiskTest, AFullDiskUndoesTheBatchAndTakesItWhenThereIsRoom) {
    auto ending = accepted();
    WriteBatch batch;
    batch.finishes.push_back(finish_of(ending));
    batch.accepts.push_back({.message = message()});
    batch.changes.push_back({.run = nothing});
    batch.changes.push_back({.run = nothing, .lasting = true});
    auto full = GetParam().fill_disk();
    for (int count = 0; count < 3; ++count) {
        const auto written = store->write(batch);
        EXPECT_EQ(written.error().code, ErrorCode::busy) << written.error().describe();
        EXPECT_EQ(batch.accepts.front().result, Accept::Result::no_room);
        EXPECT_EQ(batch.changes.front().result.error().code, ErrorCode::busy);
        EXPECT_FALSE(store->condition().may_send(0));
        EXPECT_FALSE(store->condition().trouble().empty());
        EXPECT_TRUE(waits(ending));
    }
    full.reset();
    write(batch);
    EXPECT_TRUE(batch.finishes.front().finished);
    EXPECT_TRUE(batch.changes.back().result);
    EXPECT_EQ(batch.accepts.front().result, Accept::Result::no_room);  // As its caller was told.
    EXPECT_FALSE(waits(ending));

    accepted();
    EXPECT_TRUE(store->condition().may_send(1'000'000));
    EXPECT_EQ(store->condition().trouble(), "");
    reopen();
    EXPECT_EQ(take(reader()->waiting_messages(100'000)), 1);
}

TEST_P(FullDiskTest, ACreditThatAnUndoneBatchTookIsNotTaken) {
    account = create_account(10);
    auto first = *message();
    EXPECT_EQ(accept(first), Accept::Result::stored);
    auto full = GetParam().fill_disk();
    WriteBatch batch;
    batch.accepts.push_back({.message = message()});
    EXPECT_FALSE(store->write(batch));
    full.reset();
    auto second = *message();
    EXPECT_EQ(accept(second), Accept::Result::stored);
    EXPECT_EQ(credit_of(account), 8);
}

TEST_P(FullDiskTest, WhatAnUndoneBatchCountedIsCountedOnceWhenThereIsRoom) {
    WriteBatch batch;
    batch.finishes.push_back(finish_of(accepted()));
    auto full = GetParam().fill_disk();
    EXPECT_FALSE(store->write(batch));
    full.reset();
    write(batch);
    const auto days = take(reader()->usage(
        {.account = account, .since = Timestamp{}, .until = clock.now() + std::chrono::hours{24}}));
    ASSERT_EQ(days.size(), 1U);
    EXPECT_EQ(days[0].sent, 1U);
}

/// Another program, such as a shell, holds the lock for writing.
TEST_P(FullDiskTest, ALockedStoreRefusesWhatMayBeRefusedAndTakesTheRestLater) {
    const auto ending = accepted();
    options.lock_wait = std::chrono::milliseconds{1};
    reopen();
    auto lock = GetParam().lock(directory.path());
    WriteBatch batch;
    batch.finishes.push_back(finish_of(ending));
    batch.accepts.push_back({.message = message()});
    batch.changes.push_back({.run = nothing});
    EXPECT_EQ(store->write(batch).error().code, ErrorCode::busy);
    EXPECT_EQ(batch.accepts.front().result, Accept::Result::locked);
    EXPECT_EQ(batch.changes.front().result.error().code, ErrorCode::busy);
    EXPECT_TRUE(store->condition().trouble().contains("locked"));
    lock.reset();
    write_as_it_is(batch);
    EXPECT_TRUE(batch.finishes.front().finished);
    EXPECT_EQ(store->condition().trouble(), "");
    accepted();
}

INSTANTIATE_TEST_SUITE_P(Engines, FullDiskTest, ::testing::ValuesIn(engines()), name_of);

}  // namespace
}  // namespace merpati::store
