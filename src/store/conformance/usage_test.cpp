// Counts of ended messages: by the hour, and kept when the messages are removed.
#include "store/conformance/store_fixture.hpp"

namespace merpati::store {
namespace {

using namespace std::chrono_literals;
using model::MessageState;

struct UsageTest : StoreTest {
    UsageFilter filter() {
        return {.account = account, .since = Timestamp{}, .until = clock.now() + 24h};
    }
    void ended(MessageState state, model::StatusCode code) {
        auto ending = finish_of(accepted(), state);
        ending.completion.code = code;
        ending.completion.finished_at = clock.now();
        ASSERT_TRUE(finish(std::move(ending)));
    }
};

TEST_P(UsageTest, EndedMessagesAreCountedByStateAndCode) {
    ended(MessageState::sent, model::StatusCode::sent);
    ended(MessageState::sent, model::StatusCode::sent);
    ended(MessageState::failed, model::StatusCode::recipient_unregistered);
    ended(MessageState::cancelled, model::StatusCode::failed);
    ended(MessageState::held, model::StatusCode::failed);  // Not an end.
    accepted();
    const auto days = take(reader()->usage(filter()));
    ASSERT_EQ(days.size(), 1U);
    EXPECT_EQ(days[0].account, account);
    EXPECT_EQ(days[0].sent, 2U);
    EXPECT_EQ(days[0].failed, 1U);
    EXPECT_EQ(days[0].cancelled, 1U);
    auto by_code = filter();
    by_code.by_code = true;
    const auto codes = take(reader()->usage(by_code));
    ASSERT_EQ(codes.size(), 3U);
    EXPECT_EQ(codes[0].code, model::StatusCode::sent);
    EXPECT_EQ(codes[0].sent, 2U);
    EXPECT_EQ(codes[2].code, model::StatusCode::recipient_unregistered);
    EXPECT_EQ(codes[2].failed, 1U);
}

TEST_P(UsageTest, ADayIsTheCallersDay) {
    const auto midnight = std::chrono::ceil<std::chrono::days>(clock.now());
    clock.advance(midnight - clock.now() - 30min);
    ended(MessageState::sent, model::StatusCode::sent);
    clock.advance(1h);
    ended(MessageState::sent, model::StatusCode::sent);
    EXPECT_EQ(take(reader()->usage(filter())).size(), 2U);
    auto jakarta = filter();
    jakarta.offset = 7h;
    const auto days = take(reader()->usage(jakarta));
    ASSERT_EQ(days.size(), 1U);
    EXPECT_EQ(days[0].sent, 2U);
    EXPECT_EQ(*days[0].day, std::chrono::floor<std::chrono::days>(midnight));
}

TEST_P(UsageTest, OnlyTheHoursAndAccountsThatAreAskedForAreCounted) {
    ended(MessageState::sent, model::StatusCode::sent);
    const auto first = account;
    account = create_account(5);
    ended(MessageState::sent, model::StatusCode::sent);
    auto all = filter();
    all.account.reset();
    EXPECT_EQ(take(reader()->usage(all)).size(), 2U);
    auto by_device = all;
    by_device.by_device = by_device.by_source = true;
    by_device.by_day = false;
    const auto rows = take(reader()->usage(by_device));
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0].device, device_of(first));
    EXPECT_EQ(rows[0].source, model::Source::api);
    EXPECT_FALSE(rows[0].day);
    auto later = all;
    later.since = clock.now() + 1h;
    EXPECT_TRUE(take(reader()->usage(later)).empty());
    all.limit = 1;
    EXPECT_EQ(take(reader()->usage(all)).size(), 1U);
}

TEST_P(UsageTest, CountsOutliveTheMessages) {
    ended(MessageState::sent, model::StatusCode::sent);
    clock.advance(1h);
    ASSERT_TRUE(change_once([&](Tables& tables) -> Result<void> {
        EXPECT_GT(take(tables.prune({.messages_before = clock.now()})).removed, 0U);
        return {};
    }));
    reopen();
    const auto days = take(reader()->usage(filter()));
    ASSERT_EQ(days.size(), 1U);
    EXPECT_EQ(days[0].sent, 1U);
}

TEST_P(UsageTest, RetentionRemovesHoursThatAreOld) {
    const auto prune = [&](Timestamp usage_before) {
        ASSERT_TRUE(change_once([&](Tables& tables) -> Result<void> {
            for (PruneStep step; !step.complete;) {
                step = take(tables.prune({.usage_before = usage_before}));
            }
            return {};
        }));
    };
    ended(MessageState::sent, model::StatusCode::sent);
    const auto first = account;
    account = create_account();
    ended(MessageState::sent, model::StatusCode::sent);
    clock.advance(48h);
    ended(MessageState::failed, model::StatusCode::failed);
    auto all = filter();
    all.account.reset();
    all.since = Timestamp{};
    prune(clock.now() - 24h);
    const auto days = take(reader()->usage(all));
    ASSERT_EQ(days.size(), 1U);
    EXPECT_EQ(days[0].account, account);
    EXPECT_EQ(days[0].failed, 1U);

    // Counted again in an hour whose row was removed.
    prune(clock.now() + 24h);
    EXPECT_TRUE(take(reader()->usage(all)).empty());
    ended(MessageState::failed, model::StatusCode::failed);
    account = first;
    ended(MessageState::sent, model::StatusCode::sent);
    const auto counted = take(reader()->usage(all));
    ASSERT_EQ(counted.size(), 2U);
    EXPECT_EQ(counted[0].sent, 1U);
    EXPECT_EQ(counted[1].failed, 1U);
}

TEST_P(UsageTest, WhatAFailedChangeCountedIsNotCountedAndTheNextOneIs) {
    const auto held = accepted();
    ASSERT_TRUE(finish(finish_of(held, MessageState::held)));
    auto failed = finish_of(held, MessageState::failed).completion;
    failed.finished_at = clock.now();
    const auto fail_it = [&](bool ends_well) {
        return change([&](Tables& tables) -> Result<void> {
            EXPECT_TRUE(tables.fail_message(held.id, failed, {}));
            return ends_well ? Result<void>{} : fail(ErrorCode::refused, "changed its mind");
        });
    };
    EXPECT_FALSE(fail_it(false));
    EXPECT_TRUE(take(reader()->usage(filter())).empty());
    EXPECT_TRUE(fail_it(true));
    const auto days = take(reader()->usage(filter()));
    ASSERT_EQ(days.size(), 1U);
    EXPECT_EQ(days[0].failed, 1U);
}

INSTANTIATE_TEST_SUITE_P(Engines, UsageTest, ::testing::ValuesIn(engines()), name_of);

}  // namespace
}  // namespace merpati::store
