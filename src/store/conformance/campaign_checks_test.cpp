// What a campaign may send to whom: suppressions, exclusion, frequency, and the sender that a
// person keeps.
#include <algorithm>
#include <iterator>

#include "store/conformance/campaign_fixture.hpp"

namespace merpati::store {
namespace {

using namespace std::chrono_literals;
using model::CampaignState;
using model::MessageState;
using model::RecipientState;
using model::SkipReason;
using model::StatusCode;
using model::SuppressionReason;

struct CampaignChecksTest : CampaignTest {
    bool suppress(std::int64_t n, SuppressionReason reason,
                  std::optional<model::CampaignId> campaign = {}) {
        return take(run([&](ContactTables& contacts) {
            return contacts.put_suppression({.account = account,
                                             .number = number(n),
                                             .reason = reason,
                                             .at = clock.now(),
                                             .campaign = campaign});
        }));
    }
    std::optional<model::Suppression> suppression(std::int64_t n) {
        return take(reader()->contacts().suppression(account, number(n)));
    }
    /// Hands the row over; its reason if it was skipped.
    SkipReason skipped(model::CampaignId id, Row one) {
        const auto result = queue_rows(id, one);
        EXPECT_EQ(result == PlannedRow::Result::skipped, row(id, one).reason != SkipReason::none);
        return row(id, one).reason;
    }
    SkipReason checked(model::CampaignId id, std::int64_t n) {
        const auto open = reader();
        auto& campaigns = open->campaigns();
        return take(campaigns.check_recipient(**campaigns.campaign(id), number(n), clock.now()));
    }
    /// A finished campaign that has sent to these.
    model::CampaignId sent_to(std::int64_t from, std::int64_t to) {
        const auto id = running(from, to).id;
        for (Row one = 1; std::cmp_less_equal(one, to - from + 1); ++one) {
            end(queued(id, one), MessageState::sent);
        }
        move(id, CampaignState::finished);
        return id;
    }
};

TEST_P(CampaignChecksTest, ANumberThatWasSuppressedSinceItWasQueuedIsNotSentTo) {
    const auto id = running(1, 2).id;
    const std::vector made{queued(id, 1), queued(id, 2)};
    suppress(1, SuppressionReason::opt_out);
    WriteBatch batch;
    for (const auto& one : made) {
        batch.intents.push_back({.message = one.id,
                                 .device = device,
                                 .source = one.source,
                                 .queued_at = one.due_at,
                                 .unless_suppressed = number(one.campaign_row),
                                 .account = account});
    }
    write_as_it_is(batch);
    EXPECT_FALSE(batch.intents[0].recorded);
    EXPECT_TRUE(batch.intents[1].recorded);
    EXPECT_FALSE(take(reader()->find_queued(made[0]))->intent_recorded);
    EXPECT_TRUE(take(reader()->find_queued(made[1]))->intent_recorded);
}

TEST_P(CampaignChecksTest, ASuppressedNumberIsSkippedAtTheUpload) {
    suppress(1, SuppressionReason::manual);
    const auto id = create().id;
    EXPECT_EQ(upload(id, {fresh(1), fresh(2)}).suppressed, 1);
    EXPECT_EQ(row(id, 1).reason, SkipReason::suppressed);
    EXPECT_EQ(campaign(id).counts.of(RecipientState::pending), 1);
}

TEST_P(CampaignChecksTest, ANumberSuppressedSinceIsSkippedWhenItsTurnComes) {
    const auto id = running(1, 2).id;
    suppress(1, SuppressionReason::opt_out);
    EXPECT_EQ(checked(id, 1), SkipReason::suppressed);
    EXPECT_EQ(skipped(id, 1), SkipReason::suppressed);
    EXPECT_EQ(checked(id, 2), SkipReason::none);
    EXPECT_EQ(skipped(id, 2), SkipReason::none);
    EXPECT_EQ(campaign(id).counts.of(RecipientState::skipped), 1);
}

TEST_P(CampaignChecksTest, ASuppressionOfAnotherAccountSkipsNobody) {
    const auto mine = account;
    account = create_account();
    suppress(1, SuppressionReason::manual);
    account = mine;
    const auto id = running(1, 1).id;
    EXPECT_EQ(skipped(id, 1), SkipReason::none);
}

TEST_P(CampaignChecksTest, ARowThatTheCallerSkipsKeepsItsReason) {
    const auto id = running(1, 1).id;
    std::vector<PlannedRow> rows;
    rows.push_back({.row = 1, .reason = SkipReason::empty_value});
    EXPECT_EQ(queue_rows(id, std::move(rows)).rows.front().result, PlannedRow::Result::skipped);
    EXPECT_EQ(row(id, 1).reason, SkipReason::empty_value);
}

TEST_P(CampaignChecksTest, OnlyRecipientsThatGotAMessageAreExcluded) {
    const auto earlier = running(1, 3).id;
    end(queued(earlier, 1), MessageState::sent);
    end(queued(earlier, 2), MessageState::failed);
    const auto id = running(1, 3, {.exclude = {{.campaigns = {earlier}}}}).id;
    EXPECT_EQ(skipped(id, 1), SkipReason::excluded);
    EXPECT_EQ(skipped(id, 2), SkipReason::none);
    EXPECT_EQ(skipped(id, 3), SkipReason::none);
}

TEST_P(CampaignChecksTest, PeopleWhoWereContactedLatelyAreExcluded) {
    sent_to(1, 1);
    clock.advance(6 * 24h);
    sent_to(2, 2);
    clock.advance(24h + 1s);
    const auto id = running(1, 2, {.exclude = {{.contacted_within_days = 7}}}).id;
    EXPECT_EQ(skipped(id, 1), SkipReason::none);
    EXPECT_EQ(skipped(id, 2), SkipReason::excluded);
}

TEST_P(CampaignChecksTest, FrequencyCountsMessagesOfAllCampaigns) {
    const model::CampaignPlan plan{.frequency = {{.messages = 2, .days = 1}}};
    sent_to(1, 2);
    EXPECT_EQ(skipped(running(1, 1, plan).id, 1), SkipReason::none);  // The second, still queued.
    const auto id = running(1, 2, plan).id;
    EXPECT_EQ(skipped(id, 1), SkipReason::frequency);
    EXPECT_EQ(skipped(id, 2), SkipReason::none);
    clock.advance(25h);
    EXPECT_EQ(skipped(running(1, 1, plan).id, 1), SkipReason::none);
}

TEST_P(CampaignChecksTest, APersonKeepsTheSenderOfTheLastCampaign) {
    const auto other = model::PhoneNumber::from_stored(6281100000009);
    EXPECT_TRUE(add_device({.number = other, .account = account}));
    const auto sender = [&] { return take(reader()->campaigns().last_sender(account, number(1))); };
    EXPECT_FALSE(sender());
    const auto first = sent_to(1, 1);
    EXPECT_EQ(sender(), device);
    clock.advance(1min);
    const auto id = running(1, 1, {.devices = {other}}).id;
    EXPECT_EQ(sender(), device);
    std::vector<PlannedRow> rows;
    rows.push_back(planned(id, 1));
    rows.back().message->device = other;
    const auto made = *queue_rows(id, std::move(rows)).rows.front().message;
    EXPECT_EQ(sender(), other);
    EXPECT_NE(first, id);
    EXPECT_EQ(take(run([&](CampaignTables& campaigns) {
                  return campaigns.last_campaign_of(account, number(1));
              })),
              id);
    EXPECT_EQ(made.device, other);
}

TEST_P(CampaignChecksTest, ANumberThatIsNotRegisteredTwiceIsSuppressed) {
    const auto unregistered = [&](model::CampaignId id, Row one) {
        end(queued(id, one), MessageState::failed, StatusCode::recipient_unregistered);
    };
    const auto first = running(1, 2).id;
    unregistered(first, 1);
    end(queued(first, 2), MessageState::failed);
    EXPECT_FALSE(suppression(1));
    const auto second = running(1, 2).id;
    unregistered(second, 1);
    unregistered(second, 2);
    ASSERT_TRUE(suppression(1));
    EXPECT_EQ(suppression(1)->reason, SuppressionReason::unregistered);
    EXPECT_EQ(suppression(1)->campaign, second);
    EXPECT_FALSE(suppression(2));
    EXPECT_EQ(campaign(second).ends.unregistered_recently(), 2);
}

TEST_P(CampaignChecksTest, ARetryThatEndsAsNotRegisteredCountsAsTheSecondTime) {
    const auto id = running(1, 1).id;
    end(queued(id, 1), MessageState::failed, StatusCode::recipient_unregistered);
    EXPECT_TRUE(run([&](CampaignTables& campaigns) {
        return campaigns.retry_rows(id, RetryScope::failed, {}, 0, 10, clock.now());
    }));
    EXPECT_FALSE(suppression(1));
    end(queued(id, 1), MessageState::failed, StatusCode::recipient_unregistered);
    EXPECT_TRUE(suppression(1));
}

TEST_P(CampaignChecksTest, AnOptOutStaysUntilItIsTakenBack) {
    const auto id = running(1, 1).id;
    EXPECT_TRUE(suppress(1, SuppressionReason::import));
    EXPECT_TRUE(suppress(1, SuppressionReason::opt_out, id));
    EXPECT_FALSE(suppress(1, SuppressionReason::manual));
    EXPECT_EQ(suppression(1)->reason, SuppressionReason::opt_out);
    EXPECT_EQ(campaign(id).ends.opt_outs, 1);
    EXPECT_TRUE(suppress(1, SuppressionReason::opt_out, id));
    EXPECT_EQ(campaign(id).ends.opt_outs, 1);
    const auto remove = [&] {
        return take(run([&](ContactTables& contacts) {
            return contacts.remove_suppression(account, number(1));
        }));
    };
    EXPECT_TRUE(remove());
    EXPECT_FALSE(remove());
    EXPECT_FALSE(suppression(1));
}

TEST_P(CampaignChecksTest, SuppressionsAreListedInPages) {
    for (std::int64_t n = 1; n <= 3; ++n) {
        suppress(n, SuppressionReason::import);
    }
    const auto page = [this](std::optional<model::PhoneNumber> after) {
        return take(
            reader()->contacts().suppressions({.account = account, .after = after, .limit = 2}));
    };
    const auto first = page({});
    ASSERT_EQ(first.records.size(), 2);
    EXPECT_EQ(first.next, number(2));
    const auto second = page(first.next);
    ASSERT_EQ(second.records.size(), 1);
    EXPECT_EQ(second.records.front().number, number(3));
    EXPECT_FALSE(second.next);
}

TEST_P(CampaignChecksTest, SuppressionsAreFoundByTheirFirstDigits) {
    const auto of = [](std::int64_t value) { return model::PhoneNumber::from_stored(value); };
    const std::vector<std::int64_t> given{62'812'000,      6'281'200'001, 628'120'000'021,
                                          628'130'000'000, 7'281'200'000, 628'120'000'000'002};
    for (const auto value : given) {
        EXPECT_TRUE(take(run([&](ContactTables& contacts) {
            return contacts.put_suppression(
                {.account = account, .number = of(value), .at = clock.now()});
        })));
    }
    SuppressionFilter filter{.account = account, .beginning = 62'812, .limit = 2};
    std::vector<model::PhoneNumber> found;
    for (;;) {
        const auto page = take(reader()->contacts().suppressions(filter));
        std::ranges::transform(page.records, std::back_inserter(found),
                               &model::Suppression::number);
        if (!page.next) {
            break;
        }
        filter.after = page.next;
    }
    EXPECT_EQ(found, (std::vector{of(62'812'000), of(6'281'200'001), of(628'120'000'021),
                                  of(628'120'000'000'002)}));
    filter = {.account = account, .beginning = 628'130'000'000};
    EXPECT_EQ(take(reader()->contacts().suppressions(filter)).records.size(), 1U);
    filter.beginning = 628'130'000'001;
    EXPECT_TRUE(take(reader()->contacts().suppressions(filter)).records.empty());
}

INSTANTIATE_TEST_SUITE_P(Engines, CampaignChecksTest, ::testing::ValuesIn(engines()), name_of);

}  // namespace
}  // namespace merpati::store
