// The ledger: every balance has a row that explains it.
#include <algorithm>

#include "store/conformance/store_fixture.hpp"

namespace merpati::store {
namespace {

using namespace std::chrono_literals;
using Kind = LedgerEntry::Kind;
using model::MessageState;

struct LedgerTest : StoreTest {
    /// Oldest first.
    std::vector<LedgerEntry> book() {
        auto entries = take(reader()->ledger(account, {}, 100));
        std::ranges::reverse(entries);
        return entries;
    }
    std::vector<std::string> faults() {
        std::vector<std::string> found;
        const auto checked = take(check_integrity(options.url, Depth::quick, clock, 1h));
        EXPECT_TRUE(checked.complete);
        for (const auto& fault : checked.ledger_faults) {
            found.push_back(fault.what);
        }
        return found;
    }
    void add_credit(std::int64_t amount, std::string reason = {}) {
        ASSERT_TRUE(change([&](Tables& tables) -> Result<void> {
            take(tables.add_credit(account, amount, {.at = clock.now(), .reason = reason}));
            return {};
        }));
    }
    void set_credit(std::optional<std::int64_t> credit) {
        ASSERT_TRUE(change([&](Tables& tables) {
            return tables.set_credit(account, credit, {.at = clock.now()});
        }));
    }
    bool end(const model::Message& message, MessageState state) {
        return finish(finish_of(message, state));
    }
};

TEST_P(LedgerTest, ABookBeginsWithTheFirstBalance) {
    EXPECT_TRUE(book().empty());  // Credit is not counted.
    account = create_account(10);
    const auto entries = book();
    ASSERT_EQ(entries.size(), 1U);
    EXPECT_EQ(entries[0].number, 1);
    EXPECT_EQ(entries[0].kind, Kind::opening);
    EXPECT_EQ(entries[0].amount, 10);
    EXPECT_EQ(entries[0].balance, 10);
}

TEST_P(LedgerTest, MessagesOfAMinuteAreOneRow) {
    account = create_account(10);
    const auto first = accepted();
    clock.advance(20s);
    accepted();
    ASSERT_TRUE(end(first, MessageState::failed));
    clock.advance(1min);
    accepted();
    const auto entries = book();
    ASSERT_EQ(entries.size(), 3U);
    EXPECT_EQ(entries[1].kind, Kind::messages);
    EXPECT_EQ(entries[1].charged, 2U);
    EXPECT_EQ(entries[1].refunded, 1U);
    EXPECT_EQ(entries[1].amount, -1);
    EXPECT_EQ(entries[1].balance, 9);
    EXPECT_EQ(entries[1].ended_at - entries[1].begun_at, 20s);
    EXPECT_EQ(entries[2].charged, 1U);
    EXPECT_EQ(entries[2].balance, 8);
    EXPECT_TRUE(faults().empty());
}

TEST_P(LedgerTest, ATopUpEndsTheRowOfItsMinute) {
    account = create_account(3);
    accepted();
    add_credit(50, "Faktur 42");
    add_credit(-2);
    accepted();
    const auto entries = book();
    ASSERT_EQ(entries.size(), 5U);
    EXPECT_EQ(entries[2].kind, Kind::topup);
    EXPECT_EQ(entries[2].reason, "Faktur 42");
    EXPECT_EQ(entries[2].balance, 52);
    EXPECT_EQ(entries[3].kind, Kind::deduction);
    EXPECT_EQ(entries[3].amount, -2);
    EXPECT_EQ(entries[4].balance, 49);
    EXPECT_TRUE(faults().empty());
}

TEST_P(LedgerTest, CreditThatIsNoLongerCountedStandsInTheBook) {
    account = create_account(3);
    const auto charged = accepted();
    set_credit(std::nullopt);
    set_credit(std::nullopt);  // Changes nothing.
    accepted();                // Not charged.
    ASSERT_TRUE(end(charged, MessageState::cancelled));
    set_credit(7);
    const auto entries = book();
    ASSERT_EQ(entries.size(), 5U);
    EXPECT_EQ(entries[2].kind, Kind::set);
    EXPECT_EQ(entries[2].amount, -2);
    EXPECT_FALSE(entries[2].balance);
    EXPECT_EQ(entries[3].refunded, 1U);
    EXPECT_EQ(entries[3].amount, 0);
    EXPECT_EQ(entries[4].amount, 7);
    EXPECT_TRUE(faults().empty());
}

TEST_P(LedgerTest, ABookIsReadPageByPage) {
    account = create_account(1);
    for (int count = 0; count < 4; ++count) {
        add_credit(1);
    }
    const auto page = take(reader()->ledger(account, {}, 2));
    ASSERT_EQ(page.size(), 2U);
    EXPECT_EQ(page[0].number, 5);
    const auto next = take(reader()->ledger(account, page[1].number, 2));
    ASSERT_EQ(next.size(), 2U);
    EXPECT_EQ(next[0].number, 3);
}

TEST_P(LedgerTest, AHeldMessageIsRefundedWhenItIsFailed) {
    account = create_account(2);
    const auto held = accepted();
    ASSERT_TRUE(end(held, MessageState::held));
    EXPECT_EQ(book().back().refunded, 0U);
    model::Completion failed{.state = MessageState::failed, .finished_at = clock.now()};
    ASSERT_TRUE(change([&](Tables& tables) {
        take(tables.add_credit(account, 5, {.at = clock.now()}));
        return tables.fail_message(held.id, failed, {});
    }));
    EXPECT_EQ(book().back().refunded, 1U);
    EXPECT_EQ(credit_of(account), 7);
    EXPECT_TRUE(faults().empty());
}

TEST_P(LedgerTest, AChangeThatHasChargedAMessageAddsCredit) {
    account = create_account(3);
    ASSERT_TRUE(add_device({.number = device_of(account), .account = account}, false));
    Accept one{.message = message()};
    ASSERT_TRUE(change([&](Tables& tables) -> Result<void> {
        tables.accept(one);
        EXPECT_EQ(take(tables.add_credit(account, 10, {.at = clock.now()})), 12);
        return {};
    }));
    EXPECT_EQ(credit_of(account), 12);
    EXPECT_EQ(book().back().amount, 10);
    EXPECT_TRUE(faults().empty());
}

TEST_P(LedgerTest, AChangeThatFailsLeavesNoRow) {
    account = create_account(2);
    EXPECT_FALSE(change([&](Tables& tables) -> Result<void> {
        take(tables.add_credit(account, 5, {.at = clock.now()}));
        return fail(ErrorCode::refused, "for the test");
    }));
    EXPECT_EQ(book().size(), 1U);
    add_credit(1);
    EXPECT_EQ(book().back().number, 2);
    EXPECT_TRUE(faults().empty());
}

TEST_P(LedgerTest, ABookAgreesAfterRetentionAndARestart) {
    account = create_account(10);
    for (const auto state : {MessageState::sent, MessageState::failed, MessageState::cancelled}) {
        ASSERT_TRUE(end(accepted(), state));
    }
    accepted();
    clock.advance(1h);
    ASSERT_TRUE(change_once([&](Tables& tables) -> Result<void> {
        EXPECT_EQ(take(tables.prune({.messages_before = clock.now()})).removed, 3U);
        return {};
    }));
    reopen();
    EXPECT_TRUE(faults().empty());
    accepted();
    EXPECT_EQ(book().back().balance, 7);
    EXPECT_TRUE(faults().empty());
}

TEST_P(LedgerTest, RetentionAddsOldRowsUpAndTheBookStaysExact) {
    const auto prune = [&](Timestamp ledger_before) {
        ASSERT_TRUE(change_once([&](Tables& tables) -> Result<void> {
            for (PruneStep step; !step.complete;) {
                step = take(tables.prune({.ledger_before = ledger_before}));
            }
            return {};
        }));
    };
    account = create_account(10);
    for (const auto state : {MessageState::sent, MessageState::failed, MessageState::sent}) {
        clock.advance(1h);
        ASSERT_TRUE(end(accepted(), state));
    }
    add_credit(5);
    const auto old = book();
    clock.advance(48h);
    ASSERT_TRUE(end(accepted(), MessageState::sent));
    set_credit(100);
    prune(clock.now() - 24h);
    auto entries = book();
    ASSERT_EQ(entries.size(), 3U);
    EXPECT_EQ(entries[0].kind, Kind::opening);
    EXPECT_EQ(entries[0].number, old.back().number);
    EXPECT_EQ(entries[0].balance, 13);
    EXPECT_EQ(entries[0].amount, 13);
    EXPECT_EQ(entries[0].charged, 3U);
    EXPECT_EQ(entries[0].refunded, 1U);
    EXPECT_EQ(entries[0].begun_at, old.back().begun_at);
    EXPECT_TRUE(faults().empty());

    // All rows are old: one is left, and the book goes on after it.
    clock.advance(48h);
    prune(clock.now() - 24h);
    ASSERT_TRUE(end(accepted(), MessageState::sent));
    entries = book();
    ASSERT_EQ(entries.size(), 2U);
    EXPECT_EQ(entries[0].kind, Kind::opening);
    EXPECT_EQ(entries[0].balance, 100);
    EXPECT_EQ(entries[1].balance, 99);
    EXPECT_TRUE(faults().empty());
    reopen();
    add_credit(1);
    EXPECT_EQ(book().back().number, entries[1].number + 1);
    EXPECT_TRUE(faults().empty());
}

TEST_P(LedgerTest, RetentionLeavesYoungRowsAndOtherBooksAlone) {
    account = create_account(10);
    const auto silent = account;
    account = create_account(10);
    add_credit(1);
    const auto before = book();
    ASSERT_TRUE(change_once([&](Tables& tables) -> Result<void> {
        for (PruneStep step; !step.complete;) {
            step = take(tables.prune({.ledger_before = clock.now() - 1h}));
        }
        return {};
    }));
    EXPECT_EQ(book().size(), before.size());
    account = silent;
    EXPECT_EQ(book().size(), 1U);
    EXPECT_TRUE(faults().empty());
}

INSTANTIATE_TEST_SUITE_P(Engines, LedgerTest, ::testing::ValuesIn(engines()), name_of);

}  // namespace
}  // namespace merpati::store
