// The credit of campaigns: reserved at the start, used by messages, given back at the end. The
// ledger explains each step.
#include "store/conformance/campaign_fixture.hpp"

namespace merpati::store {
namespace {

using namespace std::chrono_literals;
using model::CampaignState;
using model::MessageState;
using Kind = LedgerEntry::Kind;

struct CampaignCreditTest : CampaignTest {
    CampaignCreditTest() { use_account(10); }

    void use_account(std::optional<std::int64_t> credit) {
        account = create_account(credit);
        device = device_of(account);
        EXPECT_TRUE(add_device({.number = device, .account = account, .created_at = clock.now()}));
    }
    std::vector<Kind> kinds() {
        std::vector<Kind> found;
        for (const auto& entry : take(reader()->ledger(account, {}, 100))) {
            found.insert(found.begin(), entry.kind);
        }
        return found;
    }
    void set_credit(std::optional<std::int64_t> credit) {
        EXPECT_TRUE(change([&](Tables& tables) {
            return tables.set_credit(account, credit, {.at = clock.now()});
        }));
    }
    void expect(model::CampaignId id, std::int64_t credit, std::int64_t reserved) {
        EXPECT_EQ(credit_of(account), credit);
        EXPECT_EQ(campaign(id).reserved, reserved);
        EXPECT_TRUE(faults().empty()) << faults().front();
    }
};

TEST_P(CampaignCreditTest, AStartReservesOneCreditForEachPendingRow) {
    const auto id = running(1, 4).id;
    expect(id, 6, 4);
    EXPECT_TRUE(reserve(id));  // Nothing is missing.
    expect(id, 6, 4);
    EXPECT_EQ(kinds(), (std::vector{Kind::opening, Kind::reserved}));
    const auto entry = take(reader()->ledger(account, {}, 1)).front();
    EXPECT_EQ(entry.amount, -4);
    EXPECT_EQ(entry.balance, 6);
    EXPECT_EQ(entry.reason, id.text());
}

TEST_P(CampaignCreditTest, ABalanceThatIsTooSmallReservesNothing) {
    const auto id = with_rows(1, 11).id;
    const auto refused = reserve(id);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::refused);
    EXPECT_TRUE(refused.error().detail.contains("11")) << refused.error().detail;
    EXPECT_TRUE(refused.error().detail.contains("10")) << refused.error().detail;
    expect(id, 10, 0);
}

TEST_P(CampaignCreditTest, MessagesAreChargedFromTheReserve) {
    const auto id = running(1, 4).id;
    const auto made = queued(id, 1);
    EXPECT_TRUE(made.charged);
    expect(id, 6, 3);
    end(made, MessageState::sent);
    expect(id, 6, 3);
    const auto failing = queued(id, 2);
    expect(id, 6, 2);
    end(failing, MessageState::failed);
    expect(id, 6, 3);
    end(queued(id, 3), MessageState::cancelled);
    expect(id, 6, 3);
    end(queued(id, 4), MessageState::held);  // It stays charged.
    expect(id, 6, 2);
    move(id, CampaignState::finished);
    expect(id, 8, 0);
    EXPECT_EQ(kinds().back(), Kind::released);
}

TEST_P(CampaignCreditTest, AWithdrawnMessageGivesItsCreditToTheReserve) {
    const auto id = running(1, 2).id;
    withdraw(queued(id, 1));
    expect(id, 8, 2);
}

TEST_P(CampaignCreditTest, AMessageThatFailsAfterTheEndIsRefundedToTheAccount) {
    const auto id = running(1, 3).id;
    const auto late = queued(id, 1);
    move(id, CampaignState::cancelled);
    expect(id, 9, 0);
    end(late, MessageState::failed);
    expect(id, 10, 0);
}

TEST_P(CampaignCreditTest, AMessageThatIsSentAgainTakesFromTheReserveOrTheAccount) {
    const auto id = running(1, 1).id;
    const auto again = [&](const model::Message& ended) {
        auto made = message_of(id, 1);
        const auto copy = *made;
        WriteBatch batch;
        batch.accepts.push_back({.message = std::move(made), .retry_of = ended.id});
        write_as_it_is(batch);
        auto stored = copy;
        stored.charged = batch.accepts.front().message->charged;
        EXPECT_EQ(batch.accepts.front().result, Accept::Result::stored);
        return stored;
    };
    const auto first = queued(id, 1);
    end(first, MessageState::failed);
    expect(id, 9, 1);
    const auto second = again(first);
    expect(id, 9, 0);
    end(second, MessageState::failed);
    move(id, CampaignState::finished);
    expect(id, 10, 0);
    const auto third = again(second);
    EXPECT_TRUE(third.charged);
    expect(id, 9, 0);
    end(third, MessageState::sent);
    expect(id, 9, 0);
}

TEST_P(CampaignCreditTest, UncountedCreditReservesNothing) {
    use_account(std::nullopt);
    const auto id = running(1, 2).id;
    EXPECT_FALSE(queued(id, 1).charged);
    EXPECT_EQ(campaign(id).reserved, 0);
    EXPECT_TRUE(faults().empty());
}

TEST_P(CampaignCreditTest, CreditThatIsCountedLaterIsTakenFromTheAccountWhileThereIsSome) {
    use_account(std::nullopt);
    const auto id = running(1, 3).id;
    const auto free = queued(id, 1);
    set_credit(1);
    EXPECT_TRUE(queued(id, 2).charged);
    expect(id, 0, 0);
    EXPECT_EQ(queue_rows(id, 3), PlannedRow::Result::credit_exhausted);
    expect(id, 0, 0);
    end(free, MessageState::failed);  // It was not charged.
    expect(id, 0, 0);
}

TEST_P(CampaignCreditTest, ReservesAreReleasedWhenCreditIsNoLongerCounted) {
    const auto id = running(1, 4).id;
    const auto made = queued(id, 1);
    set_credit(std::nullopt);
    EXPECT_EQ(campaign(id).reserved, 0);
    EXPECT_TRUE(faults().empty());
    end(made, MessageState::failed);
    EXPECT_TRUE(faults().empty());
    set_credit(7);
    EXPECT_TRUE(reserve(id));
    expect(id, 4, 3);
}

TEST_P(CampaignCreditTest, TheLedgerStaysExactWhenRetentionAddsUpItsRows) {
    const auto id = running(1, 3).id;
    end(queued(id, 1), MessageState::sent);
    end(queued(id, 2), MessageState::sent);
    clock.advance(24h);
    set_credit(20);
    const auto prune = [&](Timestamp before) {
        for (PruneStep step; !step.complete;) {
            EXPECT_TRUE(change_once([&](Tables& tables) -> Result<void> {
                step = take(tables.prune({.messages_before = before, .ledger_before = before}));
                return {};
            }));
        }
    };
    prune(clock.now() - 1h);
    expect(id, 20, 1);
    EXPECT_EQ(kinds().front(), Kind::opening);
    clock.advance(24h);
    prune(clock.now());
    expect(id, 20, 1);
    move(id, CampaignState::finished);
    expect(id, 21, 0);
}

INSTANTIATE_TEST_SUITE_P(Engines, CampaignCreditTest, ::testing::ValuesIn(engines_and_cuts()),
                         name_of);

}  // namespace
}  // namespace merpati::store
