// Why recipients got no message, and people of whom nothing stays.
#include "store/conformance/campaign_fixture.hpp"

namespace merpati::store {
namespace {

using model::CampaignState;
using model::MessageState;
using model::RecipientState;
using model::SkipReason;
using model::StatusCode;

struct CampaignOutcomesTest : CampaignTest {
    OutcomeCounts outcomes(model::CampaignId id) {
        return take(reader()->campaigns().outcomes(id));
    }
    void retry(model::CampaignId id, std::optional<StatusCode> code = {}) {
        EXPECT_TRUE(run([&](CampaignTables& campaigns) {
            return campaigns.retry_rows(id, RetryScope::failed, code, 0, 100, clock.now());
        }));
    }
    void erase(std::int64_t n) {
        EXPECT_TRUE(run([&](ContactTables& contacts) {
            return contacts.erase_person(account, number(n), 0, 100, clock.now());
        }));
    }
    bool is_erased(model::CampaignId id, Row row) {
        return take(run([&](CampaignTables& campaigns) { return campaigns.is_erased(id, row); }));
    }
    /// Those of which a try is due within a day.
    std::vector<Erasure> erasures() {
        return take(
            reader()->contacts().erasures(account, clock.now() + std::chrono::hours{24}, 10));
    }
};

TEST_P(CampaignOutcomesTest, RowsThatWereSkippedAreCountedByTheirReason) {
    const auto id = create().id;
    EXPECT_EQ(outcomes(id), OutcomeCounts{});
    upload(id, {fresh(1), fresh(1), {.number = {}, .original = "x", .values = {}}, fresh(2)});
    const OutcomeCounts uploaded{.skipped = {{SkipReason::invalid, 1}, {SkipReason::duplicate, 1}},
                                 .failed = {}};
    EXPECT_EQ(outcomes(id), uploaded);
    start(id);
    std::vector<PlannedRow> rows;
    rows.push_back({.row = 4, .reason = SkipReason::empty_value});
    queue_rows(id, std::move(rows));
    auto skipped = uploaded.skipped;
    skipped.emplace_back(SkipReason::empty_value, 1);
    EXPECT_EQ(outcomes(id).skipped, skipped);
    campaign(id);
    EXPECT_TRUE(faults().empty());
}

TEST_P(CampaignOutcomesTest, FailuresAreCountedByCodeUntilTheyAreRetried) {
    const auto id = running(1, 3).id;
    end(queued(id, 1), MessageState::failed, StatusCode::recipient_unregistered);
    end(queued(id, 2), MessageState::failed, StatusCode::failed);
    end(queued(id, 3), MessageState::failed, StatusCode::failed);
    EXPECT_EQ(outcomes(id).failed,
              (std::vector<std::pair<StatusCode, std::int64_t>>{
                  {StatusCode::failed, 2}, {StatusCode::recipient_unregistered, 1}}));
    retry(id, StatusCode::recipient_unregistered);
    EXPECT_EQ(outcomes(id).failed,
              (std::vector<std::pair<StatusCode, std::int64_t>>{{StatusCode::failed, 2}}));
    reopen();
    retry(id);
    EXPECT_TRUE(outcomes(id).failed.empty());
    campaign(id);
    EXPECT_TRUE(faults().empty());
}

TEST_P(CampaignOutcomesTest, AnEmptiedAudienceHasNone) {
    const auto id = create().id;
    upload(id, {fresh(1), fresh(1)});
    EXPECT_TRUE(run([&](CampaignTables& campaigns) { return campaigns.empty_audience(id); }));
    EXPECT_EQ(outcomes(id), OutcomeCounts{});
    EXPECT_TRUE(faults().empty());
}

TEST_P(CampaignOutcomesTest, ARowOfAPersonWhoWasErasedIsNeverHandedOver) {
    const auto id = running(1, 2).id;
    const auto message = queued(id, 1);
    EXPECT_FALSE(is_erased(id, 1));
    erase(1);
    EXPECT_TRUE(is_erased(id, 1));
    EXPECT_FALSE(is_erased(id, 2));
    withdraw(message);
    EXPECT_EQ(row(id, 1).state, RecipientState::pending);
    EXPECT_EQ(queue_rows(id, 1), PlannedRow::Result::left);
    EXPECT_EQ(row(id, 1).state, RecipientState::cancelled);
    EXPECT_EQ(campaign(id).counts.of(RecipientState::cancelled), 1);
    EXPECT_EQ(queue_rows(id, 2), PlannedRow::Result::queued);
}

TEST_P(CampaignOutcomesTest, AMessageThatWasErasedIsNotSentAgain) {
    const auto id = running(1, 1).id;
    const auto message = queued(id, 1);
    end(message, MessageState::failed);
    EXPECT_TRUE(
        take(run([&](ContactTables& contacts) { return contacts.erase_message(message.id); })));
    WriteBatch batch;
    batch.accepts.push_back({.message = message_of(id, 1), .retry_of = message.id});
    write_as_it_is(batch);
    EXPECT_EQ(batch.accepts.front().result, Accept::Result::erased);
}

TEST_P(CampaignOutcomesTest, AMessageIsNotSentAgainWhereItsCampaignDoesThat) {
    const auto id = running(1, 1).id;
    const auto failed = queued(id, 1);
    end(failed, MessageState::failed);
    EXPECT_EQ(take(run([&](CampaignTables& campaigns) {
                  return campaigns.retry_rows(id, RetryScope::failed, {}, 0, 10, clock.now());
              })).changed,
              1U);
    const auto send_again = [&] {
        WriteBatch batch;
        batch.accepts.push_back({.message = message_of(id, 1), .retry_of = failed.id});
        write_as_it_is(batch);
        return batch.accepts.front().result;
    };
    EXPECT_EQ(send_again(), Accept::Result::recipient_taken);
    (void)queued(id, 1);
    EXPECT_EQ(send_again(), Accept::Result::recipient_taken);
}

TEST_P(CampaignOutcomesTest, AMessageIsNotSentAgainWhileItsCampaignIsPausedOrCancelled) {
    const auto id = running(1, 2).id;
    const auto failed = queued(id, 1);
    end(failed, MessageState::failed);
    const auto send_again = [&] {
        WriteBatch batch;
        batch.accepts.push_back({.message = message_of(id, 1), .retry_of = failed.id});
        write_as_it_is(batch);
        return std::move(batch.accepts.front());
    };
    const std::pair<CampaignState, Accept::Result> cases[]{
        {CampaignState::paused, Accept::Result::campaign_paused},
        {CampaignState::cancelled, Accept::Result::campaign_cancelled}};
    for (const auto& [state, result] : cases) {
        move(id, state);
        const auto refused = send_again();
        EXPECT_EQ(refused.result, result);
        EXPECT_FALSE(take(reader()->message(refused.message->id)));
        EXPECT_EQ(row(id, 1).state, RecipientState::failed);
    }
    move(id, CampaignState::paused);
    move(id, CampaignState::running);
    EXPECT_EQ(send_again().result, Accept::Result::stored) << "it was not sent again before";
}

TEST_P(CampaignOutcomesTest, AWishToBeErasedIsKeptUntilItIsDone) {
    const Erasure first{.account = account, .number = number(1), .at = clock.now()};
    auto later = first;
    later.at += std::chrono::hours{1};
    const auto change = [&](auto act) { EXPECT_TRUE(run(act)); };
    change([&](ContactTables& contacts) { return contacts.put_erasure(first); });
    change([&](ContactTables& contacts) { return contacts.put_erasure(later); });
    reopen();
    EXPECT_EQ(erasures(), std::vector{later});
    change([&](ContactTables& contacts) { return contacts.end_erasure(first); });
    EXPECT_EQ(erasures(), std::vector{later});
    change([&](ContactTables& contacts) { return contacts.note_rows_erased(first); });
    EXPECT_TRUE(erasures().front().rows_left) << "the later wish has rows of its own";
    change([&](ContactTables& contacts) { return contacts.note_rows_erased(later); });
    EXPECT_FALSE(erasures().front().rows_left);
    later.rows_left = false;
    change([&](ContactTables& contacts) { return contacts.end_erasure(later); });
    EXPECT_TRUE(erasures().empty());
}

TEST_P(CampaignOutcomesTest, AWishThatIsPostponedIsNotDueBefore) {
    const auto wish = [this](std::int64_t n) {
        return Erasure{.account = account, .number = number(n), .at = clock.now()};
    };
    const auto change = [&](auto act) { EXPECT_TRUE(run(act)); };
    for (const auto n : {1, 2, 3}) {
        change([&](ContactTables& contacts) { return contacts.put_erasure(wish(n)); });
    }
    const auto hour = std::chrono::minutes{60};
    change([&](ContactTables& contacts) {
        return contacts.postpone_erasure(wish(1), clock.now() + 2 * hour);
    });
    change([&](ContactTables& contacts) {
        return contacts.postpone_erasure(wish(2), clock.now() + hour);
    });
    reopen();
    const auto due_in = [&](auto time) {
        return take(reader()->contacts().erasures(account, clock.now() + time, 10));
    };
    EXPECT_EQ(due_in(hour / 2), std::vector{wish(3)});
    EXPECT_EQ(due_in(2 * hour), (std::vector{wish(3), wish(2), wish(1)}));
    EXPECT_EQ(take(reader()->contacts().erasing_accounts({}, 10)), std::vector{account});
    EXPECT_TRUE(take(reader()->contacts().erasing_accounts(account, 10)).empty());
    auto again = wish(1);
    again.at += std::chrono::minutes{1};
    change([&](ContactTables& contacts) { return contacts.put_erasure(again); });
    EXPECT_EQ(due_in(hour / 2).size(), 2U) << "a new wish is tried at once";
}

INSTANTIATE_TEST_SUITE_P(Engines, CampaignOutcomesTest, ::testing::ValuesIn(engines()), name_of);

}  // namespace
}  // namespace merpati::store
