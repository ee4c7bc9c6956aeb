// Reports of platforms on messages of campaigns, and what a withdrawn message leaves to searches.
#include "store/conformance/campaign_fixture.hpp"

namespace merpati::store {
namespace {

using namespace std::chrono_literals;
using model::MessageState;
using model::Progress;
using model::RecipientState;

struct CampaignReportsTest : CampaignTest {
    /// The platform has accepted the message.
    void accept_by_platform(const model::Message& made) {
        WriteBatch batch;
        batch.hand_overs.push_back({.message = made.id,
                                    .device = device,
                                    .source = made.source,
                                    .queued_at = made.due_at,
                                    .platform_id = made.id.text(),
                                    .decide_by = clock.now() + 60s});
        write_as_it_is(batch);
        EXPECT_TRUE(batch.hand_overs.front().handed_over);
    }
    void report(const model::Message& made, Progress progress) {
        WriteBatch batch;
        batch.changes.push_back({.run = [&](Tables& tables) -> Result<void> {
            const auto noted = take(tables.note_status(
                device, made.id.text(), {.progress = progress, .at = clock.now()}, clock.now()));
            return noted.message
                       ? tables.count_report(noted.message->message, progress, clock.now())
                       : Result<void>{};
        }});
        write_as_it_is(batch);
        note_changes(batch);
    }
    void end_by_platform(const model::Message& made) {
        auto completion = finish_of(made).completion;
        completion.platform_id = made.id.text();
        EXPECT_TRUE(change([&](Tables& tables) -> Result<void> {
            EXPECT_TRUE(take(tables.end_handed_over(made, completion, {})));
            return {};
        }));
    }
    void expect_counts(model::CampaignId id, std::int64_t delivered, std::int64_t read) {
        const auto counts = campaign(id).counts;  // Compares with a recount.
        EXPECT_EQ(counts.delivered, delivered);
        EXPECT_EQ(counts.read, read);
    }
};

TEST_P(CampaignReportsTest, ARowIsDeliveredAndReadOnce) {
    const auto id = running(1, 2).id;
    const auto made = queued(id, 1);
    accept_by_platform(made);
    EXPECT_EQ(row(id, 1).state, RecipientState::queued);
    end_by_platform(made);
    EXPECT_EQ(row(id, 1).state, RecipientState::sent);
    expect_counts(id, 0, 0);
    report(made, Progress::delivered);
    expect_counts(id, 1, 0);
    report(made, Progress::delivered);
    report(made, Progress::read);
    expect_counts(id, 1, 1);
    report(made, Progress::read);
    report(made, Progress::delivered);
    expect_counts(id, 1, 1);
    EXPECT_EQ(row(id, 1).progress, Progress::read);
    EXPECT_EQ(last_reported()->counts.read, 1);
}

TEST_P(CampaignReportsTest, ARowStaysQueuedWhileItsMessageGoesBackAndIsCountedOnce) {
    const auto id = running(1, 2).id;
    const auto made = queued(id, 1);
    accept_by_platform(made);
    report(made, Progress::failed);
    EXPECT_TRUE(change([&](Tables& tables) -> Result<void> {
        EXPECT_TRUE(take(tables.return_to_lane({.message = made.id,
                                                .device = device,
                                                .source = made.source,
                                                .queue_at = made.due_at})));
        return {};
    }));
    EXPECT_EQ(row(id, 1).state, RecipientState::queued);
    report(made, Progress::delivered);  // The platform id that it had.
    expect_counts(id, 0, 0);
    end(made, MessageState::sent);
    EXPECT_EQ(row(id, 1).state, RecipientState::sent);
    expect_counts(id, 0, 0);
}

TEST_P(CampaignReportsTest, ARowWhoseMessageIsHeldWithoutAStatusIsUncertain) {
    const auto id = running(1, 2).id;
    const auto made = queued(id, 1);
    accept_by_platform(made);
    auto completion = finish_of(made, MessageState::held).completion;
    EXPECT_TRUE(change([&](Tables& tables) -> Result<void> {
        EXPECT_TRUE(take(tables.end_handed_over(made, completion, {})));
        return {};
    }));
    EXPECT_EQ(row(id, 1).state, RecipientState::uncertain);
    expect_counts(id, 0, 0);
}

TEST_P(CampaignReportsTest, AMessageThatIsReadWasDelivered) {
    const auto id = running(1, 1).id;
    const auto made = queued(id, 1);
    accept_by_platform(made);
    report(made, Progress::read);
    end_by_platform(made);
    expect_counts(id, 1, 1);
    EXPECT_EQ(row(id, 1).state, RecipientState::sent);
}

TEST_P(CampaignReportsTest, AStatusBeforeTheAcceptanceCounts) {
    const auto id = running(1, 1).id;
    const auto made = queued(id, 1);
    report(made, Progress::delivered);
    expect_counts(id, 0, 0);
    accept_by_platform(made);
    end_by_platform(made);
    expect_counts(id, 1, 0);
}

TEST_P(CampaignReportsTest, AMessageThatIsSentAgainBeginsWithoutProgress) {
    const auto id = running(1, 1).id;
    const auto made = queued(id, 1);
    accept_by_platform(made);
    report(made, Progress::delivered);
    auto completion = finish_of(made, MessageState::failed).completion;
    EXPECT_TRUE(change([&](Tables& tables) -> Result<void> {
        EXPECT_TRUE(take(tables.end_handed_over(made, completion, {})));
        return {};
    }));
    expect_counts(id, 1, 0);
    WriteBatch batch;
    batch.accepts.push_back({.message = message_of(id, 1), .retry_of = made.id});
    write_as_it_is(batch);
    expect_counts(id, 0, 0);
    report(made, Progress::read);  // Of the earlier message.
    expect_counts(id, 0, 0);
}

TEST_P(CampaignReportsTest, SearchesAndSummariesPassOverAWithdrawnMessage) {
    const auto id = running(1, 1).id;
    const auto other = accepted();
    const auto made = queued(id, 1);
    SummaryPlace place;
    const auto summarise = [&] {
        EXPECT_TRUE(change([](Tables& tables) { return tables.begin_summary(); }));
        auto step = take(reader()->summarise(2, clock.now() + 1h, place));
        const bool is_made = step.summary != nullptr;
        if (is_made) {
            EXPECT_TRUE(change([&](Tables& tables) -> Result<void> {
                EXPECT_TRUE(take(tables.put_summary(*step.summary)));
                return {};
            }));
        }
        return is_made;
    };
    EXPECT_TRUE(summarise());
    withdraw(made);
    EXPECT_TRUE(finish(finish_of(other)));
    EXPECT_TRUE(summarise());  // Both that were open are gone: it is made anew.
    EXPECT_FALSE(summarise());
    const auto found = take(reader()->messages({.recipient = made.recipient}));
    ASSERT_EQ(found.records.size(), 1);
    EXPECT_EQ(found.records.front().message.id, other.id);
    EXPECT_TRUE(take(reader()->messages({.state = MessageState::pending})).records.empty());
}

INSTANTIATE_TEST_SUITE_P(Engines, CampaignReportsTest, ::testing::ValuesIn(engines()), name_of);

}  // namespace
}  // namespace merpati::store
