// Lists for people: newest first, filtered, a page at a time.
#include <algorithm>
#include <functional>
#include <ranges>

#include "store/conformance/store_fixture.hpp"

namespace merpati::store {
namespace {

using namespace std::chrono_literals;
using model::CallbackState;
using model::MessageState;

struct ListTest : StoreTest {
    std::vector<model::MessageId> messages(const MessageFilter& filter) {
        std::vector<model::MessageId> found;
        for (const auto& record : take(reader()->messages(filter)).records) {
            EXPECT_TRUE(!filter.state || record.state == *filter.state);
            found.push_back(record.message.id);
        }
        return found;
    }

    std::vector<model::EventId> callbacks(const CallbackFilter& filter) {
        std::vector<model::EventId> found;
        for (const auto& record : take(reader()->callbacks(filter)).records) {
            found.push_back(record.callback.id);
        }
        return found;
    }

    model::MessageId ended(MessageState state) {
        const auto made = accepted();
        EXPECT_TRUE(finish(finish_of(made, state)));
        return made.id;
    }
};

using Ids = std::vector<Uuid>;

TEST_P(ListTest, MessagesComeNewestFirst) {
    const auto first = accepted().id;
    const auto second = ended(MessageState::sent);
    const auto third = accepted().id;
    EXPECT_EQ(messages({}), (Ids{third, second, first}));
}

TEST_P(ListTest, ATimeInAFarYearIsAfterAllMessagesAndCallbacks) {
    const auto callback = finished_with_callback();
    for (const auto year : {2100y, 9999y}) {
        const Timestamp far = std::chrono::sys_days{year / 1 / 1};
        EXPECT_EQ(messages({.until = far}), Ids{*callback.message});
        EXPECT_EQ(messages({.recipient = "6281234567890", .until = far}), Ids{*callback.message});
        EXPECT_EQ(messages({.since = far}), Ids{});
        EXPECT_EQ(callbacks({.until = far}), Ids{callback.id});
        EXPECT_EQ(callbacks({.since = far}), Ids{});
    }
}

TEST_P(ListTest, PagesOfMessagesMeetWithoutGapOrOverlap) {
    Ids all;
    for (int count = 0; count < 7; ++count) {
        all.insert(all.begin(), accepted().id);
    }
    Ids walked;
    MessageFilter filter{.limit = 3};
    for (auto page = messages(filter); !page.empty(); page = messages(filter)) {
        EXPECT_LE(page.size(), 3);
        walked.insert(walked.end(), page.begin(), page.end());
        filter.before = page.back();
    }
    EXPECT_EQ(walked, all);
}

TEST_P(ListTest, MessagesAreFoundByEachState) {
    const auto pending = accepted().id;
    const auto sent = ended(MessageState::sent);
    const auto failed = ended(MessageState::failed);
    const auto cancelled = ended(MessageState::cancelled);
    const auto held = ended(MessageState::held);
    const auto sending = accepted();
    WriteBatch batch;
    batch.intents.push_back({.message = sending.id, .device = device, .queued_at = sending.due_at});
    write(batch);

    EXPECT_EQ(messages({.state = MessageState::pending}), Ids{pending});
    EXPECT_EQ(messages({.state = MessageState::sending}), Ids{sending.id});
    EXPECT_EQ(messages({.state = MessageState::sent}), Ids{sent});
    EXPECT_EQ(messages({.state = MessageState::failed}), Ids{failed});
    EXPECT_EQ(messages({.state = MessageState::cancelled}), Ids{cancelled});
    EXPECT_EQ(messages({.state = MessageState::held}), Ids{held});
}

TEST_P(ListTest, EveryFilterOfMessagesHoldsTogetherWithTheOthers) {
    const auto mine = account;
    Ids failed;
    for (int count = 0; count < 4; ++count) {
        account = mine;
        failed.insert(failed.begin(), ended(MessageState::failed));
        accepted();
        account = create_account();
        ended(MessageState::failed);
    }
    EXPECT_EQ(messages({.account = mine, .state = MessageState::failed}), failed);
    EXPECT_EQ(
        messages({.account = mine, .state = MessageState::failed, .before = failed[0], .limit = 2}),
        (Ids{failed[1], failed[2]}));
    EXPECT_EQ(messages({.account = mine}).size(), 8);
    EXPECT_EQ(messages({.account = mine, .state = MessageState::pending}).size(), 4);
    EXPECT_TRUE(messages({.account = model::AccountId{999}}).empty());
}

TEST_P(ListTest, AnAccountsMessagesAreFoundOverLongSilences) {
    const auto other = create_account();
    const auto mine = account;
    Ids messages_of_mine;
    Ids callbacks_of_mine;
    for (const auto silence : {0h, 1h, 300h, 2h}) {
        clock.advance(silence);
        account = mine;
        const auto callback = finished_with_callback();
        messages_of_mine.insert(messages_of_mine.begin(), *callback.message);
        callbacks_of_mine.insert(callbacks_of_mine.begin(), callback.id);
        account = other;
        clock.advance(10min);
        finished_with_callback();
    }
    reopen();
    EXPECT_EQ(messages({.account = mine}), messages_of_mine);
    EXPECT_EQ(messages({.account = mine, .before = messages_of_mine[1]}),
              (Ids{messages_of_mine[2], messages_of_mine[3]}));
    EXPECT_EQ(callbacks({.account = mine}), callbacks_of_mine);
    EXPECT_EQ(callbacks({.account = mine, .before = callbacks_of_mine[1]}),
              (Ids{callbacks_of_mine[2], callbacks_of_mine[3]}));
}

TEST_P(ListTest, ACallbackIsListedAlsoWhenAnEarlierOneWasUndone) {
    const auto add = [&](bool ends_well) {
        const model::Callback event{.id = ids.next(),
                                    .account = account,
                                    .kind = model::CallbackKind::device_event,
                                    .created_at = clock.now()};
        EXPECT_EQ(ends_well, change([&](Tables& tables) -> Result<void> {
                                 EXPECT_TRUE(tables.add_callback(event));
                                 return ends_well ? Result<void>{}
                                                  : fail(ErrorCode::refused, "changed its mind");
                             }).has_value());
        return event.id;
    };
    add(false);
    EXPECT_EQ(callbacks({.account = account}), Ids{});
    const auto stored = add(true);
    EXPECT_EQ(callbacks({.account = account}), Ids{stored});
}

TEST_P(ListTest, ShowsWhereARetriedMessageStands) {
    accepted_due(clock.now() + 20s);
    accepted_due(clock.now() + 1h);
    const auto made = accepted();
    WriteBatch batch;
    batch.reschedules.push_back({.message = made.id,
                                 .device = device,
                                 .queued_at = made.due_at,
                                 .queue_at = clock.now() + 30min,
                                 .attempts = 2,
                                 .last_details = "busy"});
    write(batch);
    const auto page =
        take(reader()->messages({.state = MessageState::pending, .limit = 1})).records;
    ASSERT_EQ(page.size(), 1);
    EXPECT_EQ(page[0].message.id, made.id);
    EXPECT_EQ(page[0].queued_at, clock.now() + 30min);
    EXPECT_EQ(page[0].attempts, 2);
    EXPECT_EQ(page[0].last_details, "busy");
}

TEST_P(ListTest, CallbacksComeNewestFirstAndInPages) {
    const auto first = finished_with_callback().id;
    const auto second = finished_with_callback().id;
    const auto third = finished_with_callback().id;
    EXPECT_EQ(callbacks({}), (Ids{third, second, first}));
    EXPECT_EQ(callbacks({.limit = 2}), (Ids{third, second}));
    EXPECT_EQ(callbacks({.before = second, .limit = 2}), Ids{first});
}

TEST_P(ListTest, CallbacksAreFoundByAccountStateAndMessage) {
    const auto mine = account;
    const auto waiting = finished_with_callback();
    const auto delivered = finished_with_callback();
    const auto exhausted = finished_with_callback();
    const auto gone = finished_with_callback();
    update(delivered.id, {.state = CallbackState::delivered});
    update(exhausted.id, {.state = CallbackState::exhausted});
    update(gone.id, {.state = CallbackState::gone});
    account = create_account();
    const auto other = finished_with_callback();

    EXPECT_EQ(callbacks({.account = mine}).size(), 4);
    EXPECT_EQ(callbacks({.account = account}), Ids{other.id});
    EXPECT_EQ(callbacks({.account = mine, .state = CallbackState::waiting}), Ids{waiting.id});
    EXPECT_EQ(callbacks({.state = CallbackState::delivered}), Ids{delivered.id});
    EXPECT_EQ(callbacks({.state = CallbackState::exhausted}), Ids{exhausted.id});
    EXPECT_EQ(callbacks({.state = CallbackState::gone}), Ids{gone.id});
    EXPECT_EQ(callbacks({.message = delivered.message}), Ids{delivered.id});
    EXPECT_TRUE(callbacks({.account = account, .message = delivered.message}).empty());
    EXPECT_TRUE(callbacks({.message = delivered.message, .before = delivered.id}).empty());
    const Uuid guessed{delivered.message->sequence(), delivered.message->tail() ^ 1};
    EXPECT_TRUE(callbacks({.message = guessed}).empty());
    EXPECT_TRUE(callbacks({.message = accepted().id}).empty());
}

TEST_P(ListTest, APageOfCallbacksReadsABoundedNumberOfRows) {
    const auto mine = create_account();
    const auto add = [&](model::AccountId owner, int count) {
        Ids made;
        EXPECT_TRUE(change([&](Tables& tables) -> Result<void> {
            made.clear();
            for (int one = 0; one < count; ++one) {
                const auto id = ids.next();
                made.insert(made.begin(), id);
                take(tables.add_callback({.id = id, .account = owner, .created_at = clock.now()}));
            }
            return {};
        }));
        return made;
    };
    const auto rare = add(mine, 1);
    add(account, 40'000);
    CallbackFilter filter{.account = mine};
    Ids found;
    int pages = 0;
    for (bool more = true; more; ++pages) {
        const auto page = take(reader()->callbacks(filter));
        for (const auto& one : page.records) {
            found.push_back(one.callback.id);
        }
        filter.before = page.next;
        more = page.next.has_value();
    }
    EXPECT_EQ(found, rare);
    EXPECT_GT(pages, 1);
    EXPECT_EQ(callbacks({.account = mine, .state = CallbackState::waiting}), rare);
}

TEST_P(ListTest, VeryManyWaitingCallbacksAreListedPageByPage) {
    Ids made;
    EXPECT_TRUE(change([&](Tables& tables) -> Result<void> {
        made.clear();
        for (int one = 0; one < 25'000; ++one) {
            made.push_back(ids.next());
            take(tables.add_callback(
                {.id = made.back(), .account = account, .created_at = clock.now()}));
        }
        return {};
    }));
    for (const auto owner : {std::optional{account}, std::optional<model::AccountId>{}}) {
        CallbackFilter filter{.account = owner, .state = CallbackState::waiting, .limit = 1'000};
        Ids found;
        for (bool more = true; more;) {
            const auto page = take(reader()->callbacks(filter));
            for (const auto& one : page.records) {
                found.push_back(one.callback.id);
            }
            filter.before = page.next;
            more = page.next.has_value();
        }
        EXPECT_TRUE(std::ranges::equal(found, made | std::views::reverse));
    }
}

TEST_P(ListTest, ListsAccountsPageByPage) {
    const auto second = create_account();
    const auto third = create_account();
    const auto page = take(reader()->accounts_after(std::nullopt, 2));
    ASSERT_EQ(page.size(), 2U);
    EXPECT_EQ(page[1].id, second);
    const auto rest = take(reader()->accounts_after(second, 2));
    ASSERT_EQ(rest.size(), 1U);
    EXPECT_EQ(rest[0].id, third);
}

INSTANTIATE_TEST_SUITE_P(Engines, ListTest, ::testing::ValuesIn(engines()), name_of);

}  // namespace
}  // namespace merpati::store
